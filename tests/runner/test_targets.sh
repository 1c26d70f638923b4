#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_targets.sh BUILD   Does every target of `make help-all` still work? Each is run here, with
# the least that it takes, or by the file that is named for it; a target that nobody runs fails. TAP.
build=$1
. tests/support/tap.sh
# What is missing is not installed here, but said.
export PACKAGES=present
unset MAKEFLAGS MAKELEVEL MFLAGS
list=$scratch/targets
cat >"$list" <<'END'
all tests/runner/test_targets.sh
bench make bench ARGS=--list
bench-power make -n bench-power
run-stress make run-stress ARGS=--list
plots make plots RUN="$scratch/run"
compare make compare ARGS=--help
man make man
readme tests/plots/test_plots.py
install tests/long.sh
uninstall tests/long.sh
deb make -n deb
take make take ROW=packed_word RUN="$scratch/run"
explore make explore SCHEMES==packed_word ARGS="--shape page --events 1 --nested 1"
explore-record make -n explore-record
pictures make -n pictures
test .ci/run
check-house make -n check-house
test-long make -n test-long
test-exhaustive make -n test-exhaustive
clean make clean BUILD="$scratch/none"
help make help
help-all make help-all
fuzz tests/long.sh
lint make -n lint
kernel-module tests/kernel/module.py
kernel-bench tests/kernel/test_kernel_module.py
test-kernel tests/long.sh
programs make programs ARGS="--programs true --rows packed_word --check-only"
judged make judged TRACERS="py_logging lttng_ust floor" ARGS="--workload steady --events 2000 --json $scratch/judged.json"
history tests/long.sh
mutants tests/long.sh
mutate tests/long.sh
verdicts make -n verdicts
test-distro make -n test-distro
test-machine tests/long.sh
test-slurm make -n test-slurm
test-mcu tests/tracers/test_mcu.sh
test-parallel make -n test-parallel
END
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
