#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: private.sh slurm BUILD   A real Slurm with one node does a plan's shards, while one of them is
# killed and the node is lost with all that runs on it; then a bench on each of two kinds of nodes.
set -u
build=$1 private=$2
. tests/cluster/cluster.sh
for daemon in munged slurmctld slurmd sbatch; do
	PATH=$PATH:/usr/sbin command -v $daemon >/dev/null ||
		refuse 3 "no $daemon: apt-get install munge slurmctld slurmd slurm-client"
done
PATH=$PATH:/usr/sbin
unset SLURM_CONF SBATCH_PARTITION SBATCH_ACCOUNT SQUEUE_FORMAT SLURM_CLUSTERS SBATCH_CLUSTERS
echo stampede >/proc/sys/kernel/hostname && mount -t tmpfs tmpfs /run || refuse 4 "no mounts here"
loopback

# ---- daemons ----

mkdir "$private/state" "$private/munge" || exit 3
chmod 700 "$private/munge"
head -c 1024 /dev/urandom >"$private/munge/key"
chmod 600 "$private/munge/key"
socket=/run/stampede-munge
# The node does four at a time, however many CPUs there are, and comes back as it likes; 64 shards
# take two arrays; what was requeued need not wait two minutes, until its credential ends (5 s is
# the least); what is not found on a node is looked for no longer than a start and a message take.
cat >"$private/slurm.conf" <<-END
	ClusterName=stampede
	SlurmctldHost=stampede(127.0.0.1)
	SlurmUser=root
	SlurmdUser=root
	AuthType=auth/munge
	AuthInfo=socket=$socket,cred_expire=5
	StateSaveLocation=$private/state
	SlurmdSpoolDir=$private/spool.%n
	SlurmctldPidFile=/run/slurmctld.pid
	SlurmdPidFile=/run/slurmd.%n.pid
	SlurmctldLogFile=$private/slurmctld.log
	SlurmdLogFile=$private/slurmd.%n.log
	SlurmctldParameters=node_reg_mem_percent=1
	SlurmdParameters=config_overrides
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU_Memory
	PropagateResourceLimits=NONE
	ReturnToService=2
	SlurmdTimeout=10
	BatchStartTimeout=2
	MessageTimeout=5
	KillWait=2
	MaxArraySize=40
	SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=100000,batch_sched_delay=0
	NodeName=stampede NodeAddr=127.0.0.1 CPUs=4 RealMemory=4000 Feature=first,kind
	NodeName=another NodeAddr=127.0.0.1 Port=6819 CPUs=4 RealMemory=4000 Feature=second
	PartitionName=all Nodes=stampede Default=YES MaxTime=INFINITE State=UP
	PartitionName=kinds Nodes=stampede,another MaxTime=INFINITE State=UP
END
export SLURM_CONF="$private/slurm.conf"
# Newer ones ask for a cgroup where there may be none.
case $(slurmd -V) in
*\ 2[0-2].* | *\ 23.02*) ;;
*) echo CgroupPlugin=disabled >"$private/cgroup.conf" ;;
esac

# In processes of its own: when the first of them is gone, the node and all that ran on it are. With a
# host name of its own: that is how a slurmd knows which node it is.
start_node() {
	unshare --pid --uts --fork --kill-child=KILL --mount-proc sh -c \
		"echo $1 >/proc/sys/kernel/hostname && exec slurmd -D" >"$private/$1.out" 2>&1 &
	node=$!
}
is_idle() { sinfo -h -n "$1" -o %t 2>/dev/null | grep -q "^\(idle\|mix\|alloc\)$"; }

munged --foreground --key-file="$private/munge/key" --socket="$socket" \
	--pid-file="/run/munged.pid" --log-file="$private/munge/log" \
	--seed-file="$private/munge/seed" >"$private/munged.out" 2>&1 &
patiently 20 [ -S "$socket" ] || {
	show "$private/munged.out"
	refuse 3 "munged does not start"
}
slurmctld -D -c >"$private/slurmctld.out" 2>&1 &
start_node stampede
if patiently 30 is_idle stampede; then
	report 0 "a node is there: $(slurmd -V)"
else
	report 1 "a node is there"
	for log in slurmctld.out slurmctld.log stampede.out slurmd.stampede.log; do
		tail -n 5 "$private/$log" 2>/dev/null | sed "s/^/# $log: /"
	done
	plan_end
fi

# ---- the search ----

submit() { EXPLORE=$explore MEMORY=256 sh explore/cluster/slurm.sh "$plan"; }
is_over() { [ -z "$(squeue -h -o %i)" ]; }

unsharded
submit >"$private/submitted" 2>"$private/err"
[ $? -eq 0 ] && [ "$(grep -c ': shards 0-[0-9]* from' "$private/submitted")" -eq 2 ]
report $? "64 shards are submitted as two arrays, since one may have 40"
show "$private/submitted"
show "$private/err"

submit >"$private/out" 2>"$private/err"
[ $? -eq 5 ] && grep -q 'are in the queue' "$private/err"
report $? "they are not submitted twice"

patiently 60 records 3 && patiently 60 stop_one true && kill -KILL "$victim"
report $? "shard ${struck:-?} is killed in the middle"
again() {
	grep -qs "shard $struck was killed.*again" "$plan"/slurm/* &&
		grep -q "Requeuing JobId=[0-9]*_$struck(" "$private/slurmctld.log"
}
patiently 30 again
report $? "it goes into the queue again"

patiently 60 records 12 && patiently 60 stop_one true && kill -KILL $node
report $? "the node is lost while it does shard ${struck:-?}"
sleep 8
ls "$plan" | grep -c '^shard-' | sed 's/$/ records are there/' >"$private/out"
show "$private/out"
[ ! -e "$plan/shard-$struck.json" ] && ! stop_one true
report $? "nothing runs, and that shard has no record"
start_node stampede
if patiently 240 is_over; then
	report 0 "all jobs end"
else
	report 1 "all jobs end"
	squeue | sed 's/^/# /'
fi
grep -qs 'equeu' "$private/slurmctld.log"
report $? "Slurm put back what the node lost"
grep -i 'requeu' "$private/slurmctld.log" | sed 's/^/# /'
records $shards
report $? "all records are there"
same "the verdict that the last job wrote" "$plan/verdict.txt"

# ---- faults ----

rm "$plan/shard-37.json"
"$explore" --merge "$plan" >"$private/out" 2>"$private/err"
[ $? -eq 5 ] && grep -q '1 of 64 shards are missing: 37;' "$private/err"
report $? "a record that is gone is missed"
submit >"$private/submitted" 2>"$private/err"
grep -q ': shards 37 from 0' "$private/submitted" && patiently 60 is_over
report $? "that shard alone is done again"
same "the verdict after it" "$plan/verdict.txt"

cp "$plan/shard-5.json" "$private/kept"
rm "$plan/shard-6.json"
foreign 5 && submit >"$private/submitted" 2>"$private/err" && patiently 60 is_over
grep -q 'shard-5.json is of another plan' "$plan/verdict.txt"
report $? "a record of another plan: the last job refuses it by name"
! grep -q kept "$plan/verdict.txt"
report $? "and says no verdict"
cp "$private/kept" "$plan/shard-5.json"
submit >"$private/submitted" 2>"$private/err"
"$explore" --merge "$plan" >"$private/out" 2>"$private/err"
same "with the right record" "$private/out"

# ---- benches ----

# The smallest there are, and without plots: what is asked is whether each comes from its node.
mkdir "$private/plain" && cp "$build/bench" "$private/plain" || exit 3
printf '#!/bin/sh\n' >"$private/plain/plots" && chmod +x "$private/plain/plots"
fleet() {
	BENCH=$private/plain/bench ARGS="--quick --schemes =full_tsc,=packed_word --workloads steady \
--repetitions 2 --budget 0" sh runner/fleet.sh "$private/benches" "--partition=kinds"
}
start_node another
patiently 30 is_idle another
report $? "a node of another kind is there"
fleet >"$private/submitted" 2>"$private/err"
[ $? -eq 0 ] && grep -q ': a bench on first&kind, ' "$private/submitted" &&
	grep -q ': a bench on second, ' "$private/submitted"
report $? "a bench on each kind is submitted"
show "$private/submitted"
show "$private/err"
patiently 120 is_over && [ -s "$private/benches/first+kind/latest/bench.json" ] &&
	[ -s "$private/benches/second/latest/bench.json" ]
report $? "each has a record"
for kind in first+kind second; do
	[ -s "$private/benches/$kind/latest/bench.json" ] || show "$private/benches/$kind/job.log"
done
fleet >"$private/out" 2>"$private/err"
[ $? -eq 0 ] && [ "$(grep -c ': done, in' "$private/out")" -eq 2 ] && is_over
report $? "none is done twice"
python3 -B plots/fleet.py "$private"/benches/*/latest >"$private/out" 2>"$private/err"
code=$?
[ $code = 0 ] && grep -q '^| A | .* | stampede |' "$private/out" &&
	grep -q '^|  |  |  | another |' "$private/out" &&
	grep -q 'Of [3-9] rows that all have' "$private/out"
report $? "one statement of both: exit code $code"
show "$private/err"
"$build/compare" --matrix "$private"/benches/*/latest >"$private/out" 2>"$private/err"
code=$?
[ $code = 0 ] && grep -q packed_word "$private/out"
report $? "and their cells side by side: exit code $code"
show "$private/err"
plan_end
