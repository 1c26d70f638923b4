#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_targets.sh BUILD   Does every target of `make help-all` still work? Each is run here, with
# the least that it takes, or by the file that is named for it; a target that nobody runs fails. TAP.
build=$1
. tests/support/tap.sh
# What is missing is not installed here, but said.
export PACKAGES=present
unset MAKEFLAGS MAKELEVEL MFLAGS
list="$(table make_targets)"
mkdir "$scratch/run" && cp tests/data/bench_sample.json "$scratch/run/bench.json"
make help-all | awk '{ print $1 }' | sort >"$scratch/known"
cut -d' ' -f1 "$list" | sort | diff "$scratch/known" - | sed 's/^/# /'
cut -d' ' -f1 "$list" | sort | cmp -s - "$scratch/known"
report $? "each target of make help-all is here, and no other"
while read -r target how; do
	case $how in
	make*)
		eval "timeout 300 $how" >"$scratch/out" 2>"$scratch/err"
		report $? "$how"
		tail -3 "$scratch/err" | sed 's/^/# /'
		;;
	*)
		grep -q "$target" "$how" || [ "$target" = readme ] && [ -e "$how" ]
		report $? "$target is run by $how"
		;;
	esac
done <"$list"
make --no-print-directory BUILD="$build" all >/dev/null 2>&1
report $? "all"
if pkg-config --exists lttng-ust 2>/dev/null; then
	python3 -c "
import json, sys
assert any(one['tracer'] == 'LTTng-UST' and one['decoded'] == 2000 for one in json.load(open(sys.argv[1])))" \
		"$scratch/judged.json" 2>"$scratch/err"
	told $? "and LTTng-UST was judged"
	"$build/judge-tracer" --price --events 2000 floor packed_word lttng_ust | grep -q '^LTTng-UST  .* ns  '
	report $? "and has a price beside ours"
else
	skip "LTTng-UST, judged and priced" "no liblttng-ust-dev"
fi
plan
