#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_manners.sh BUILD   What all programs have in common, and compare on real records. TAP.
build=$1
. tests/support/tap.sh
programs="bench run-stress compare plots explore every-scheme read-trace judge-tracer"

lacking=0
for program in $programs; do
	"$build/$program" --help >"$scratch/help" 2>"$scratch/err" && [ ! -s "$scratch/err" ] &&
		grep -q "^usage: $program" "$scratch/help" && grep -qi '^example' "$scratch/help" &&
		grep -qi '^exit' "$scratch/help" &&
		awk 'length > 100 { exit 1 }' "$scratch/help" || {
		lacking=$((lacking + 1))
		echo "# --help of $program"
	}
done
report $lacking "every --help has usage, exit codes and examples, in 100 columns"
lacking=0
for program in $programs; do
	most=16
	[ $program = explore ] && most=25
	[ "$("$build/$program" --help | grep -cE '^ +(-., )?--')" -le $most ] || {
		lacking=$((lacking + 1))
		echo "# --help of $program shows too many options: which are rare?"
	}
done
report $lacking "no --help shows more than 16 options, or 25 (explore)"
for program in bench run-stress compare explore every-scheme read-trace judge-tracer; do
	says "$program: unknown option" 1 "'--nonsense' is not an option" \
		"$build/$program" --nonsense
done

# Two small runs, floor against a row of twice the bytes.
results=$scratch/results
plain_bench
small="$plain_bench --quick --schemes =full_tsc --workloads steady --repetitions 9"
mkdir -p "$results/latest-in_kernel"
echo '{"kernels": []}' >"$results/latest-in_kernel/in_kernel.json"
$small --results "$results" >"$scratch/out1" 2>"$scratch/err1"
$small --results "$results" --json - >"$scratch/json" 2>"$scratch/err2"
got=$?
[ $got -eq 0 ] || [ $got -eq 7 ]
report $? "two small runs"
grep -q '"in_kernel"' "$results/latest/bench.json"
report $? "what was found in a kernel is taken over"
if command -v python3 >/dev/null; then
	python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert d["benchmarks"]' \
		"$scratch/json" 2>"$scratch/err"
	report $? "bench --json - prints JSON and nothing else"
else
	skip "bench --json - prints JSON and nothing else" "no python3"
fi
! grep -q "$(printf '\r')" "$scratch/err1" && grep -q '^\[ *[0-9]* %\].* s left$' "$scratch/err1"
report $? "piped: plain lines of progress"
if command -v script >/dev/null; then
	shown="$plain_bench --all --quick --schemes =full_tsc --workloads steady --repetitions 2"
	shown="$shown --results $scratch/shown"
	script -qec "env TERM=xterm $shown" /dev/null >"$scratch/pty"
	esc=$(printf '\033')
	grep -q "$(printf '\r').*s left" "$scratch/pty"
	report $? "on a terminal: one line of progress"
	mkdir "$scratch/sample" && cp tests/data/bench_sample.json "$scratch/sample/bench.json"
	shown="$build/plots --all $scratch/sample"
	script -qec "env TERM=xterm $shown" /dev/null | grep -q "^full_tsc *$esc\[32mkept"
	report $? "and colour"
	script -qec "env TERM=xterm NO_COLOR=1 $shown" /dev/null >"$scratch/pty"
	grep -q '^full_tsc *kept' "$scratch/pty" && ! grep -q "$esc\[[0-9;]*m" "$scratch/pty"
	report $? "NO_COLOR"
else
	skip "on a terminal: one line of progress" "no script(1)"
	skip "and colour" "no script(1)"
	skip "NO_COLOR" "no script(1)"
fi

# Beside other tests one pair of runs this small may differ in time; a comparison that is wrong differs in each.
compare="$build/compare --results $results" tries=0
until first=$(ls "$results" | grep -v latest | tail -2 | head -1) && $compare "$first" latest >"$scratch/out" 2>"$scratch/err" &&
	grep -q '^regressed 0, improved 0' "$scratch/out" || [ $tries -eq 5 ] || grep -q ' -> ' "$scratch/out"; do
	tries=$((tries + 1))
	$small --results "$results" >"$scratch/again" 2>&1
done
grep -q '^regressed 0, improved 0' "$scratch/out" || sed 's/^/# /' "$scratch/out"
grep -q '^regressed 0, improved 0' "$scratch/out"
report $? "the same tree: nothing regressed, nothing improved"
$compare --in latest floor full_tsc >"$scratch/out" 2>"$scratch/err"
[ $? -eq 2 ] && grep -q 'header_bytes: 4 -> 12, regressed' "$scratch/out"
report $? "floor against full_tsc: regressed by 8 header bytes, exit 2"
$compare --matrix "$first" latest --json - >"$scratch/out" &&
	grep -q '"full_tsc/steady"' "$scratch/out"
report $? "a matrix as JSON"
# What make kernel-bench leaves beside them.
mkdir "$results/20260101T000000Z-kernel" && echo '{}' >"$results/20260101T000000Z-kernel/kernel.json"
$compare --matrix "$results"/*Z-* >"$scratch/out" 2>"$scratch/err" &&
	[ "$(cat "$scratch/err")" = \
		"stampede: $results/20260101T000000Z-kernel is no bench run: left out" ] &&
	grep -q 'full_tsc' "$scratch/out"
report $? "a matrix of all in results/: what is no bench run is left out, and named"
$compare --matrix "$results/20260101T000000Z-kernel" >"$scratch/out" 2>"$scratch/err"
[ $? -eq 1 ] && grep -q 'no bench run among these' "$scratch/err"
report $? "a matrix of no bench run: exit code 1"
rm -r "$results/20260101T000000Z-kernel"
says "compare: no such run" 1 "no such run" $compare nothing latest
says "compare: one run" 1 "takes two runs" $compare latest
says "compare: no such row" 1 "no row 'full_tcs'" $compare --in latest floor full_tcs
head -c 1000 "$results/latest/bench.json" >"$scratch/cut.json"
says "compare: a truncated file" 1 "the file is cut off" $compare latest "$scratch/cut.json"
says "compare: JSON to where nothing can be" 3 "cannot write" \
	$compare --json "$scratch/no/where" "$first" latest
# Every key of a record is in SCHEMA.md, between backticks or as the end of a path; of each workload, too.
for one in $(sed -n 's/^X(\(.*\))/\1/p' workloads/workloads.def); do
	"$build/run-stress" --workload "$one" --schemes "=restartable =heartbeat" --seconds 0.1 --json "$scratch/of_$one.json"; done >"$scratch/out" 2>&1
undocumented=
for key in $(grep -ohE '"[A-Za-z_0-9]+":' "$results/latest/bench.json" "$scratch"/of_*.json | tr -d '":' | sort -u); do
	grep -qE "[\`.]$key(\[\])?\`" results/SCHEMA.md ||
		grep -qE "^\| \`context\.([a-z]+\.)*$key[.\`]" results/SCHEMA.md ||
		undocumented="$undocumented $key"
done
[ -z "$undocumented" ]
report $? "SCHEMA.md has every key of a record:$undocumented"

if command -v help2man >/dev/null && command -v man >/dev/null; then
	lacking=0
	mkdir "$scratch/built"
	for program in $programs; do
		ln -s "$(readlink -f "$build/$program")" "$scratch/built/"
	done
	sh runner/man.sh "$scratch/built" test 2>"$scratch/err" || lacking=1
	for program in $programs; do
		man --warnings -l "$scratch/built/man/stampede-$program.1" \
			>"$scratch/page" 2>"$scratch/err" &&
			[ ! -s "$scratch/err" ] && grep -q '^SYNOPSIS' "$scratch/page" &&
			grep -q '^EXAMPLES' "$scratch/page" || lacking=$((lacking + 1))
	done
	report $lacking "manual pages of all programs"
else
	skip "manual pages of all programs" "no help2man or man"
fi
if command -v bash >/dev/null; then
	bash -c '. runner/completion/stampede.bash
		COMP_WORDS=("$1" --schemes packed_w) COMP_CWORD=2; _stampede "$1"
		case " ${COMPREPLY[*]} " in *" packed_word "*) ;; *) exit 1 ;; esac
		case " ${COMPREPLY[*]} " in *" late_beat "*) exit 3 ;; esac
		COMP_WORDS=("$1" --workloads late) COMP_CWORD=2; _stampede "$1"
		[ "${COMPREPLY[*]}" = late_beat ] || exit 2
		COMP_WORDS=("$1" --res) COMP_CWORD=1; _stampede "$1"
		[ "${COMPREPLY[*]}" = "--results" ] || exit 4
		COMP_WORDS=("$2" --schemes packed_w) COMP_CWORD=2; _stampede "$2"
		case " ${COMPREPLY[*]} " in *" packed_word "*) ;; *) exit 5 ;; esac
		COMP_WORDS=("$2" --dis) COMP_CWORD=1; _stampede "$2"
		[ "${COMPREPLY[*]}" = "--discards" ] || exit 6' \
		bash "$build/bench" "$build/explore"
	report $? "completion of rows, workloads and options"
else
	skip "completion of rows, workloads and options" "no bash"
fi
plan
