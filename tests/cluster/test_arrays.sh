#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_arrays.sh BUILD   What is no search and runs on a cluster all the same: a bench on each kind
# of machine, storms and fuzzing as job arrays; of programs of Slurm's names that only write down what
# they are asked, and of fuzzers that only pretend. TAP.
build=$1
. tests/support/tap.sh
mkdir "$scratch/bin" "$scratch/build" "$scratch/build/fuzz" || exit 1
asked=$scratch/asked
fake "$scratch/bin/sbatch" <<-EOF
	[ ! -e "$scratch/refuses" ] || exit 1
	echo "\$*" >>"$asked"
	echo "\$((70 + \$(wc -l <"$asked")));cluster"
EOF
fake "$scratch/bin/sinfo" <<-EOF
	cat "$scratch/features"
EOF
fake "$scratch/bin/bench" <<-EOF
	echo "\$STAMPEDE_HOST_ALIAS: bench \$*" >>"$asked"
EOF
fake "$scratch/bin/run-stress" <<-EOF
	echo "run-stress \$*" >>"$asked"
EOF
export PATH="$scratch/bin:$PATH"
unset KINDS ARGS

# What sbatch is asked for: a pattern for each call.
fleet() { # name, pattern...; BENCH and others by the environment
	name=$1 at=0 code=0
	shift
	: >"$asked"
	BENCH=$scratch/bin/bench sh runner/fleet.sh "$scratch/fleet" ${options:+"$options"} \
		>"$scratch/out" 2>"$scratch/err" || code=$?
	for pattern; do
		at=$((at + 1))
		sed -n "${at}p" "$asked" | grep -qE -e "$pattern" || code="call $at"
	done
	[ "$code" = 0 ] && [ "$(wc -l <"$asked")" -eq $# ]
	report $? "$name"
	sed "s/^/# /" "$scratch/err"
}

fleets() {
	printf 'epyc,ib\nxeon\nepyc,ib\n(null)\n' >"$scratch/features"
	options=
	fleet "a bench on each kind, alone on its node" \
		"--job-name=stampede-bench-any --exclusive --time=240 .*fleet.sbatch $scratch/bin/bench $scratch/fleet/any\$" \
		"--exclusive --constraint=epyc&ib --time=240 .* $scratch/fleet/epyc\\+ib\$" \
		"--exclusive --constraint=xeon .* $scratch/fleet/xeon\$"
	mkdir -p "$scratch/fleet/xeon/latest"
	: >"$scratch/fleet/xeon/latest/bench.json"
	options="--partition=night --time=9"
	KINDS="xeon epyc" ARGS="--full --seed 1" fleet "kinds of mine, less those that are done" \
		"--constraint=epyc --time=240 .*--partition=night --time=9 .*fleet.sbatch .*bench $scratch/fleet/epyc --full --seed 1\$"
	grep -q "^xeon: done, in" "$scratch/out" && grep -q "plots/fleet.py $scratch/fleet/\*/latest" "$scratch/out"
	report $? "and it is said, and what comes then"
	: >"$scratch/refuses"
	says "Slurm refuses" 1 "refused a bench on any" env BENCH="$scratch/bin/bench" sh runner/fleet.sh \
		"$scratch/fleet"
	rm "$scratch/refuses"
	: >"$scratch/features"
	says "no node" 1 "names no node" env BENCH="$scratch/bin/bench" sh runner/fleet.sh "$scratch/fleet"
	says "no bench" 3 "no program" env BENCH=/nowhere sh runner/fleet.sh "$scratch/fleet"
	says "a kind that is no name" 1 "no folder's: ../x" env KINDS=../x BENCH="$scratch/bin/bench" \
		sh runner/fleet.sh "$scratch/fleet"
	says "no folder" 1 "fleet.sh DIR" sh runner/fleet.sh
	: >"$asked"
	job="env SLURMD_NODENAME=node7 sh runner/fleet.sbatch $scratch/bin/bench $scratch/fleet/xeon --full"
	env -u STAMPEDE_HOST_ALIAS $job
	STAMPEDE_HOST_ALIAS=mine $job
	printf '%s: bench --results %s --full\n' node7 "$scratch/fleet/xeon" mine \
		"$scratch/fleet/xeon" | cmp -s - "$asked"
	report $? "the job is a bench, whose record names its node, or what was asked for"
}

storms() {
	: >"$asked"
	storm="env SLURM_ARRAY_TASK_ID=7 DIR=$scratch/storms BUILD=$scratch/bin sh runner/storms.sbatch"
	$storm --seconds 60
	grep -qE "^run-stress --seed 7 --json $scratch/storms/storm-7\..*\.json --seconds 60$" "$asked"
	report $? "a storm of the index's seed"
	: >"$scratch/storms/storm-7.$(hostname).json"
	: >"$asked"
	$storm --seconds 60
	[ ! -s "$asked" ]
	report $? "is not done twice"
	says "no array" 1 "a job array with DIR and BUILD" env -u SLURM_ARRAY_TASK_ID sh runner/storms.sbatch
}

fleets
storms
plan
