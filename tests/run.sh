#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: run.sh BUILD TEST...   Runs cmocka programs and scripts; prints what failed or was skipped.
build=$1
shift
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
begin=$(date +%s)

count() { grep -c "$1" "$log"; }

one() { # name command...
	name=$1
	shift
	started=$(date +%s)
	CMOCKA_MESSAGE_OUTPUT=TAP timeout 300 "$@" >"$log" 2>&1
	status=$?
	good=$(count '^ok ' | tr -d ' ')
	# cmocka says "not ok 4 # SKIP name" of a skipped test.
	skip=$(grep -ciE '^(not )?ok .*# *skip' "$log")
	bad=$(($(count '^not ok ') - $(grep -ci '^not ok .*# *skip' "$log")))
	good=$((good + $(grep -ci '^not ok .*# *skip' "$log")))
	# A program that dies, or says so only by its exit code, has failed at least once.
	if [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
	if [ $((good + bad)) -eq 0 ]; then bad=1; echo "$name: ran no test"; fi
	passed=$((passed + good - skip)) failed=$((failed + bad)) skipped=$((skipped + skip))
	printf '%-28s %4d passed, %d failed, %d skipped  (%d s)\n' "$name" $((good - skip)) "$bad" \
		"$skip" $(($(date +%s) - started))
	[ "$skip" -gt 0 ] && grep -iE '# *skip|^skipped:' "$log" | sed 's/^not //; s/^/    /'
	if [ "$bad" -gt 0 ]; then
		echo "    exit code $status; its output:"
		tail -60 "$log" | sed 's/^/    /'
	fi
}

for test in "$@"; do
	one "$(basename "$test")" "$test"
done
for script in tests/test_*.sh; do
	[ -e "$script" ] && one "$(basename "$script")" sh "$script" "$build"
done
echo "took $(($(date +%s) - begin)) s"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
