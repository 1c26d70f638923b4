#!/bin/sh
# SPDX-License-Identifier: MIT
# The deep checks: both compilers, sanitizers, and a minute of storm per row at two widths.
# SECONDS_PER_ROW shortens the storm; ONLY="storm|mutants": the steps whose names match.
set -eu
seconds=${SECONDS_PER_ROW:-60}
failed=0 done=0

step() { # name command...
	name=$1
	shift
	echo "$name" | grep -Eq "${ONLY:-.}" || return 0
	echo "== $name"
	done=$((done + 1))
	begin=$(date +%s)
	if ! "$@"; then
		failed=$((failed + 1))
		echo "== $name FAILED"
	fi
	echo "== $name took $(($(date +%s) - begin)) s"
}

jobs=-j$(nproc)
# What the steps run.
make --no-print-directory $jobs all tests explored explored-points explored-taken
for row in $(sed -n 's/^X(\([^,]*\),.*/\1/p' schemes/schemes.def); do
	# A beat of 16 bits would be due every few microseconds: the narrowest real one is 22.
	case $row in heartbeat* | *_beat) narrow=22 ;; *) narrow=16 ;; esac
	step "storm, $row, 27 bits" build/run-stress --scheme "=$row" --seconds "$seconds"
	step "storm, $row, $narrow bits" build/run-stress --scheme "=$row" --bits $narrow \
		--seconds "$seconds"
done
step "migrate" build/run-stress --workload migrate --seconds "$seconds"
step "migrate, 16 bits" build/run-stress --workload migrate --bits 16 --seconds "$seconds"
step "live" build/run-stress --workload live --schemes all --seconds "$((seconds / 6 + 1))"
step "live, 16 bits" build/run-stress --workload live --schemes all --bits 16 \
	--seconds "$((seconds / 6 + 1))"
step "live, shared" build/run-stress --workload live_shared --seconds "$((seconds / 6 + 1))"
step "live, shared, 16 bits" build/run-stress --workload live_shared --bits 16 \
	--seconds "$((seconds / 6 + 1))"
step "live, moving" build/run-stress --workload live_migrate --seconds "$((seconds / 6 + 1))"
step "live, moving, 16 bits" build/run-stress --workload live_migrate --bits 16 \
	--seconds "$((seconds / 6 + 1))"
step "live, large" build/run-stress --workload live --payload 4000 --bits 24 \
	--seconds 2
step "other machines compile it" env SCRIPTS=tests/machines/compiles.sh sh tests/run.sh build
step "published faults" make --no-print-directory history
step "mutants" make --no-print-directory mutants
step "mutants, by a swarm" python3 -B tests/cases/cases.py --swarm 1 --seconds 300 build/mutants/late_*.patch \
	build/mutants/last_[giow]*.patch
step "the judges, mutated, a sample" make --no-print-directory mutate ARGS="--sample 400 --seed 1"
step "late beats" build/run-stress --workload late_beat --seconds 5
step "random programs with the consumer of a taken row" env ALL=1 CONSERVE_SEEDS=$((seconds * 50)) \
	SECONDS_PER_TEST=7200 SCRIPTS=tests/take/test_conserve.sh sh tests/run.sh build
step "200 kills" env KILLS=200 sh tests/results/test_kills.sh build
step "a planted change" sh tests/results/planted.sh build
step "random payloads" build/run-stress --payload random --seconds 5
step "an installation" sh -c 'make install PREFIX=/usr DESTDIR=build/dest && make uninstall PREFIX=/usr DESTDIR=build/dest'
step "explorer, long tier, all rows" make --no-print-directory $jobs explored-all
step "explorer, long tier, all rows" build/explore --tier long --schemes all
step "explorer, C11's order" make --no-print-directory $jobs explored-order
for mode in discard overwrite; do
	step "explorer, C11's order, $mode" build/explore --order c11 --shape timed --mode $mode --live 1 \
		--events 1 --nested 1 --full 2 --preemptions 1 --delays 1
done
step "explorer, C11's order, writers on two CPUs" build/explore --order c11 --schemes all --shape wrap3 \
	--events 2 --nested 0 --writers 2 --preemptions 2 --jumps 1 --before 1
step "explorer, its tests at large" env BUDGETS=large TIER=long SECONDS_PER_TEST=3600 \
	SCRIPTS="tests/explore/test_explore.sh" sh tests/run.sh build
step "explorer and storms, a swarm" python3 -B explore/swarm.py build "$(date +%j)" --minutes 60
step "explorer, other compilers" sh tests/explore/long_explore.sh build
for release in bookworm trixie; do
	step "package, $release" make --no-print-directory test-distro DISTRO=$release DEB=1
done
for machine in arm64 armhf i386 riscv64; do
	step "machine, $machine" make --no-print-directory test-machine MACHINE=$machine
done
# Published faults where words of 64 bits are two: by labelled points, at the same budgets.
step "machine, i386, history" sh tests/machines/machine.sh i386 history
step "schemes in kernels" make --no-print-directory test-kernel
step "fuzz" make --no-print-directory fuzz SECONDS=${FUZZ_SECONDS:-600}
# What tests build themselves is built by the environment: in it, and not only for make.
clang="env CC=clang" sanitized="env SANITIZE=address,undefined OPT=-O1"
step "clang" $clang make --no-print-directory $jobs BUILD=build/clang all tests explored \
	explored-points explored-taken
step "clang tests" $clang sh tests/run.sh build/clang $(ls tests/*/test_*.c |
	sed 's,\(.*\)\.c,build/clang/\1,')
step "ASan and UBSan" $sanitized make --no-print-directory $jobs BUILD=build/sanitized all tests \
	explored explored-points explored-taken
step "sanitized tests" $sanitized sh tests/run.sh build/sanitized $(ls tests/*/test_*.c |
	sed 's,\(.*\)\.c,build/sanitized/\1,')
step "sanitized storm" build/sanitized/run-stress --seconds 3
echo "$failed of $done steps failed"
[ "$failed" -eq 0 ] && [ "$done" -gt 0 ]
