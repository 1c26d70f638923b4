#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: run.sh BUILD TEST...   Runs cmocka programs and scripts, one more at a time than there are
# CPUs, as some sleep; prints what failed or was skipped, and who took longest.
# ALL=1: the long ones too. SCRIPTS: these scripts, and all programs. SECONDS_PER_TEST: how long each
# may take (600; sanitized, 1800).
# tests/times has the seconds of each long test, measured: over 20 s it is left out of a run without ALL=1.
# TIMES=FILE: such a list of this run goes there (ALL=1 TIMES=tests/times).
# The longest come first, so that none runs alone at the end.
long="$(awk '/^[0-9]/ && $1 > 20 { print $2 }' tests/times)
test_mutants.sh test_history.sh test_ranks.py" # the first two first build what the explorer searches; the last checks a recorded file
scripts=${SCRIPTS-tests/*/test_*.sh tests/*/test_*.py}

count() { grep -ac "$1" "$log"; }

one() { # BUILD TEST
	name=$(basename "$2")
	log=$results/$name.log
	started=$(date +%s)
	case $2 in
	*.sh) set -- sh "$2" "$1" ;;
	*.py) set -- python3 -B "$2" "$1" ;;
	*) set -- "$2" ;;
	esac
	CMOCKA_MESSAGE_OUTPUT=TAP timeout "${SECONDS_PER_TEST:-$([ "${SANITIZE-}" ] && echo 1800 || echo 600)}" "$@" >"$log" 2>&1
	status=$?
	good=$(count '^ok ' | tr -d ' ')
	# cmocka says "not ok 4 # SKIP name" of a skipped test.
	skip=$(grep -aciE '^(not )?ok .*# *skip' "$log")
	bad=$(($(count '^not ok ') - $(grep -aci '^not ok .*# *skip' "$log")))
	good=$((good + $(grep -aci '^not ok .*# *skip' "$log")))
	# A program that dies, or says so only by its exit code, has failed at least once.
	if [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
	none='' silent=''
	case $name in
	*.sh | *.py) [ "$skip" -le "$(grep -aciE '^(not )?ok .*# *skip .' "$log")" ] || silent=yes ;;
	*) [ "$skip" -le "$(count '^skipped: .')" ] || silent=yes ;;
	esac
	[ -z "$silent" ] || bad=$((bad + 1))
	if [ $((good + bad)) -eq 0 ]; then bad=1 none=yes; fi
	{
		[ -n "$none" ] && echo "$name: ran no test"
		[ -n "$silent" ] && echo "$name: skipped a test and did not say why"
		printf '%-28s %4d passed, %d failed, %d skipped  (%d s)\n' "$name" \
			$((good - skip)) "$bad" "$skip" $(($(date +%s) - started))
		[ "$skip" -gt 0 ] && grep -aiE '# *skip|^skipped:' "$log" |
			sed 's/^not //; s/^/    /'
		if [ "$bad" -gt 0 ]; then
			echo "    exit code $status; its output:"
			{ grep -aA 8 "^not ok" "$log"; echo "its end:"; tail -40 "$log"; } | sed "s/^/    /"
		fi
	} >"$results/$name.said"
	cat "$results/$name.said"
	echo "$((good - skip)) $bad $skip $(($(date +%s) - started)) $name" >"$results/$name.sum"
}

if [ "$1" = --one ]; then
	results=$4
	one "$2" "$3"
	exit 0
fi

build=$1
shift
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
trap 'exit 130' INT TERM
# Debian's Python has Debian's modules, and a version manager's stand-in takes longer to start.
mkdir "$results/bin"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(PATH=/usr/bin:$PATH python3 -c 'import sys; print(sys.executable)')" \
	>"$results/bin/python3"
chmod +x "$results/bin/python3"
PATH=$results/bin:$PATH
export PATH
begin=$(date +%s)
[ -n "${SCRIPTS+these}" ] || [ "${ALL:-0}" != 0 ] || left=$long
chosen=$(for test in $scripts "$@"; do
	case " $(echo ${left:-}) " in *" $(basename "$test") "*) ;; *) [ -e "$test" ] && echo "$test" ;; esac
done)
{
	for name in $long; do echo "$chosen" | grep "\(^\|/\)$name\$"; done
	echo "$chosen"
} | awk '!seen[$0]++' | xargs -P "$(($(nproc) + 1))" -I{} sh tests/run.sh --one "$build" {} "$results"
total=$(cat "$results"/*.sum |
	awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
# Who left no sum died with its shell.
lost=$((0))
for test in $chosen; do
	[ -e "$results/$(basename "$test").sum" ] && continue
	echo "$(basename "$test"): no result"
	lost=$((lost + 1))
done
set -- $total
sort -k4 -rn "$results"/*.sum >"$build/tests.times" # passed, failed, skipped, seconds, test
[ -z "$TIMES" ] || {
	head -1 tests/times
	awk '$4 > 10 { print $4, $5 }' "$build/tests.times"
} >"$results/times"
[ -z "$TIMES" ] || cp "$results/times" "$TIMES"
longest=$(awk 'NR <= 5 { printf " %s %d s,", $5, $4 }' "$build/tests.times")
echo "took $(($(date +%s) - begin)) s; longest:${longest%,}"
echo "$1 passed, $(($2 + lost)) failed, $3 skipped"
[ -z "${left:-}" ] || echo "left out: $(echo $left | wc -w) long tests (make test ALL=1)"
[ $(($2 + lost)) -eq 0 ] && [ "$1" -gt 0 ]
