#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_cluster.sh BUILD   What explore/cluster/ asks Slurm and GNU parallel for, of programs of
# these names that only write down what they are asked; and that make test-slurm and its sister leave
# nothing behind. The real ones are tested by those. TAP.
build=$1
. tests/support/tap.sh
mkdir "$scratch/bin" "$scratch/plan" "$scratch/tmp" || exit 1
asked=$scratch/asked

fake "$scratch/bin/sbatch" <<-EOF
	[ ! -e "$scratch/refuses" ] || exit 1
	echo "\$*" >>"$asked"
	echo "\$((70 + \$(grep -vc scontrol "$asked")));cluster"
EOF
fake "$scratch/bin/squeue" <<-EOF
	cat "$scratch/queue" 2>/dev/null || :
EOF
fake "$scratch/bin/scontrol" <<-EOF
	echo "scontrol \$*" >>"$asked"
	[ "\$1" != show ] || echo "MaxArraySize            = \$(cat "$scratch/most")"
EOF
fake "$scratch/bin/parallel" <<-EOF
	[ "\$1" != --version ] || exec echo "GNU parallel 20221122"
	echo "\$*; \$(tr '\n' ' ')" >>"$asked"
	echo "\$PARALLEL_SSH" >"$scratch/ssh"
EOF
# It is killed, once a file says by what; else it tells what it was asked.
fake "$scratch/bin/explore" <<-EOF
	[ ! -e "$scratch/signal" ] || kill -\$(cat "$scratch/signal") \$\$
	echo "explore \$*" >>"$asked"
EOF
export PATH="$scratch/bin:$PATH"
export EXPLORE="$scratch/bin/explore"
unset MEMORY PARALLEL_SSH
echo 1001 >"$scratch/most"
options=

new_plan() { # shards; the third is the longest, 1000 s
	rm -rf "$scratch/plan"
	mkdir "$scratch/plan"
	seq 0 $(($1 - 1)) | awk -v shards="$1" '
		BEGIN { printf "{\"schema\":1,\"shards\":%d}\n", shards }
		{ printf "{\"shard\":%d,\"seconds\":%s,\"pieces\":[]}\n", $1,
			$1 == 2 ? "1000.0" : "1.5e1" }' >"$scratch/plan/plan.jsonl"
}
done_ones() { for shard in "$@"; do : >"$scratch/plan/shard-$shard.json"; done; }
slurm="sh explore/cluster/slurm.sh $scratch/plan"
parallel="sh explore/cluster/parallel.sh $scratch/plan"

submits() { # name, what sbatch is asked for, a pattern for each call
	name=$1 at=0
	shift
	: >"$asked"
	$slurm ${options:+"$options"} >"$scratch/out" 2>"$scratch/err"
	code=$?
	grep -v '^scontrol' "$asked" >"$scratch/calls"
	for pattern; do
		at=$((at + 1))
		sed -n "${at}p" "$scratch/calls" | grep -q -- "$pattern" || code="call $at"
	done
	[ "$code" = 0 ] && [ "$(wc -l <"$scratch/calls")" -eq $# ]
	good=$?
	report $good "$name"
	[ $good = 0 ] || sed "s/^/# $code: /" "$scratch/calls" "$scratch/err"
}

slurm_is_asked() {
	new_plan 10
	submits "all shards, and the merge behind them" \
		"--array=0-9 --time=60 --mem=2560M .* $scratch/plan 2048 0\$" \
		"--dependency=afterany:71 .*verdict.txt .*cluster/merge.sbatch $EXPLORE $scratch/plan\$"
	done_ones 0 2 3 7
	submits "those without a record, and their time" "--array=1,4-6,8-9 --time=11 " "afterany:71 "
	echo 4 >"$scratch/most"
	submits "as many arrays as it takes" "--array=1 .* 0\$" "--array=0-2 .* 4\$" \
		"--array=0-1 .* 8\$" "afterany:71:72:73 "
	echo 1001 >"$scratch/most"
	options="--partition=night --time=5"
	submits "options of mine come last" "--time=11 .* --partition=night --time=5 explore/cluster/sh" \
		"afterany:71 .* --partition=night --time=5 explore/cluster/merge"
	options=
	: >"$scratch/refuses"
	says "Slurm refuses" 1 "sbatch refused the shards" $slurm
	rm "$scratch/refuses"
	echo 71_4 >"$scratch/queue"
	says "in the queue already" 5 "are in the queue: wait, or scancel -n stampede-" $slurm
	rm "$scratch/queue"
	done_ones 1 4 5 6 8 9
	submits "all are done: nothing"
	grep -q "all 10 shards are done; the verdict: $EXPLORE --merge $scratch/plan" "$scratch/out"
	report $? "and it is said"
}

# A job as Slurm starts it.
job() {
	: >"$asked"
	env SLURM_ARRAY_TASK_ID=3 SLURM_JOB_ID=75 "$@" sh explore/cluster/shards.sbatch "$EXPLORE" \
		"$scratch/plan" 256 40 >"$scratch/out" 2>"$scratch/err"
}
jobs_run() {
	job
	[ $? -eq 0 ] && [ "$(cat "$asked")" = "explore --shard 43 --memory 256 $scratch/plan" ]
	report $? "a job does the shard of its index from the first one"
	echo KILL >"$scratch/signal"
	job
	[ $? -eq 137 ] && [ "$(cat "$asked")" = "scontrol requeue 75" ]
	report $? "what was killed goes into the queue again"
	job SLURM_RESTART_COUNT=3
	[ $? -eq 137 ] && [ ! -s "$asked" ]
	report $? "but not for ever"
	rm "$scratch/signal"
}

# What parallel was asked for, and then the merge.
hosts() { # name, pattern of the first call, arguments...
	name=$1 pattern=$2
	shift 2
	: >"$asked"
	$parallel "$@" >"$scratch/out" 2>"$scratch/err" &&
		sed -n 1p "$asked" | grep -q -- "$pattern" &&
		[ "$(sed -n '$p' "$asked")" = "explore --merge $scratch/plan" ]
	code=$?
	report $code "$name"
	[ $code = 0 ] || sed 's/^/# /' "$asked" "$scratch/err"
}

parallel_is_asked() {
	new_plan 4
	log=$scratch/plan/parallel.log
	hosts "on hosts" "--joblog $log --resume-failed --retries 4 --sshlogin 4/one,two \
$EXPLORE --shard {} --memory 2048 $scratch/plan; 0 1 2 3 \$" 4/one two
	grep -q 'BatchMode=yes.*ServerAliveInterval' "$scratch/ssh"
	report $? "a host that is gone is noticed"
	printf ':\n' >"$scratch/hosts.list"
	hosts "on hosts of a file" "--sshloginfile $scratch/hosts.list " --sshloginfile "$scratch/hosts.list"
	hosts "here" "--retries 4 $EXPLORE "
	done_ones 0 1 3
	printf 'Seq\tHost\n1\tone\n2\tone\n3\tone\n4\tone\n' >"$log"
	hosts "a record that is gone" "--resume-failed"
	[ "$(cut -f1 "$log" | tr '\n' ' ')" = "Seq 1 2 4 " ]
	report $? "is not done by parallel's log either"
	done_ones 2
	hosts "all are done: the verdict at once" "^explore --merge"
}

refused() {
	says "no folder" 1 "slurm.sh DIR" sh explore/cluster/slurm.sh
	says "no folder for parallel" 1 "parallel.sh DIR" sh explore/cluster/parallel.sh
	says "no plan" 3 "no plan in $scratch/tmp" sh explore/cluster/slurm.sh "$scratch/tmp"
	says "no program" 3 "no program /nowhere" env EXPLORE=/nowhere $slurm
	says "memory that is none" 1 "MEMORY=lots: a number" env MEMORY=lots $slurm
	says "no file of hosts" 3 "a file that can be read" $parallel --sshloginfile "$scratch/none"
	says "an option that is none" 1 "hosts or --sshloginfile" $parallel --jobs
	mkdir "$scratch/c d" && cp "$scratch/plan/plan.jsonl" "$scratch/c d"
	says "a path with a blank" 1 "no blank or quote" sh explore/cluster/slurm.sh "$scratch/c d"
	sed -i '$d' "$scratch/plan/plan.jsonl"
	says "a plan that lost a line" 1 "has not all its shards" $slurm
	fake "$scratch/bin/parallel" </dev/null
	new_plan 4
	says "another program of that name" 3 "is not GNU's" $parallel
}

# The whole way by real shards, and by a parallel that is xargs; then by one that does nothing.
really() {
	if [ ! -d "$build/explored" ]; then
		skip "a plan's shards" "no objects in $build/explored: make explored"
		return
	fi
	rm -rf "$scratch/plan"
	EXPLORE=$build/explore
	"$EXPLORE" --schemes =packed_word --nested 2 --plan "$scratch/plan" --shards 3 >"$scratch/out"
	fake "$scratch/bin/parallel" <<-'EOF'
		[ "$1" != --version ] || exec echo "GNU parallel 20221122"
		while [ "$1" != --retries ]; do shift; done
		shift 2
		xargs -I'{}' "$@" 2>/dev/null
	EOF
	shows "a real plan, and its verdict" "packed_word .* kept" $parallel
	rm "$scratch/plan/shard-1.json"
	fake "$scratch/bin/parallel" <<-'EOF'
		[ "$1" != --version ] || exec echo "GNU parallel 20221122"
	EOF
	says "what is missing is said" 5 "1 of 3 shards are missing: 1;" $parallel
}

# make test-slurm and make test-parallel, in namespaces that begin, and do nothing.
left() {
	ls -A "$scratch/tmp"
	pgrep -f '^sleep 278$'
}
ended() { # signal, name
	rm -f "$scratch/began"
	env --default-signal=INT TMPDIR="$scratch/tmp" sh tests/cluster/private.sh slurm "$build" \
		>"$scratch/out" 2>&1 &
	for _ in $(seq 200); do
		[ -s "$scratch/began" ] && break
		sleep 0.02
	done
	[ -s "$scratch/began" ]
	report $? "$2: under way"
	kill "-$1" $!
	wait $! 2>/dev/null
	for _ in $(seq 200); do
		[ -z "$(left)" ] && break
		sleep 0.02
	done
	[ -z "$(left)" ]
	report $? "$2: nothing is left"
	left | sed 's/^/# /'
}
ends() {
	says "neither of the two" 1 "make test-slurm or" sh tests/cluster/private.sh nonsense
	if [ "$(id -u)" != 0 ] || [ ! -d "$build/explored" ] ||
		! unshare --mount --pid --net --uts --ipc --fork true 2>/dev/null; then
		skip "ends of test-slurm" "needs root, namespaces and make explored"
		return
	fi
	says "nothing is built" 3 "no explorer in" sh tests/cluster/private.sh slurm "$scratch"
	fake "$scratch/bin/unshare" <<-EOF
		for last; do :; done
		[ "\$last" != true ] || exit 0
		echo begun >"$scratch/began"
		exec sleep 278
	EOF
	ended INT "Ctrl-C"
	ended TERM "ended"
	ended KILL "killed outright"
}

slurm_is_asked
jobs_run
parallel_is_asked
refused
really
ends
plan
