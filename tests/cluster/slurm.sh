#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: private.sh slurm BUILD   A real Slurm with one node searches in parts, while one of them is
# killed and the node is lost with all that runs on it.
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
# The node does four at a time, however many CPUs there are, and comes back as it likes; what was requeued need not wait two minutes, until its credential ends (5 s is
# the least); what is not found on a node is looked for no longer than a start and a message take.
sed "s,PRIVATE,$private,;s,SOCKET,$socket," tests/cluster/slurm.conf >"$private/slurm.conf"
export SLURM_CONF="$private/slurm.conf"
# Newer ones ask for a cgroup where there may be none.
case $(slurmd -V) in
*\ 2[0-2].* | *\ 23.02*) ;;
*) echo CgroupPlugin=disabled >"$private/cgroup.conf" ;;
esac

# In processes of its own: when the first of them is gone, the node and all that ran on it are.
start_node() {
	unshare --pid --fork --kill-child=KILL --mount-proc slurmd -D >"$private/slurmd.out" 2>&1 &
	node=$!
}
is_idle() { sinfo -h -o %t 2>/dev/null | grep -q "^\(idle\|mix\|alloc\)$"; }

munged --foreground --key-file="$private/munge/key" --socket="$socket" \
	--pid-file="/run/munged.pid" --log-file="$private/munge/log" \
	--seed-file="$private/munge/seed" >"$private/munged.out" 2>&1 &
patiently 20 [ -S "$socket" ] || {
	show "$private/munged.out"
	refuse 3 "munged does not start"
}
slurmctld -D -c >"$private/slurmctld.out" 2>&1 &
start_node
if patiently 30 is_idle; then
	report 0 "a node is there: $(slurmd -V)"
else
	report 1 "a node is there"
	for log in slurmctld.out slurmctld.log slurmd.out slurmd.stampede.log; do
		tail -n 5 "$private/$log" 2>/dev/null | sed "s/^/# $log: /"
	done
	plan_end
fi

# ---- the search ----

# shellcheck disable=SC2086
submit() { EXPLORE=$explore sh explore/parts/nodes.sh "$folder" $parts slurm --mem=256M -- --memory 200 $searched; }
is_over() { [ -z "$(squeue -h -o %i)" ]; }

one_process
submit >"$private/submitted" 2>"$private/err"
report $? "64 parts are submitted"
show "$private/submitted"
show "$private/err"
submit >"$private/out" 2>"$private/err"
[ $? -eq 5 ] && grep -q 'are in the queue' "$private/err"
report $? "they are not submitted twice"

patiently 60 records 3 && patiently 60 stop_one true && kill -KILL "$victim"
report $? "part ${struck:-?} is killed in the middle"
patiently 60 [ -e "$folder/part-$struck.json" ]
report $? "it is done all the same"

patiently 60 records 12 && patiently 60 stop_one true && kill -KILL $node
report $? "the node is lost while it does part ${struck:-?}"
sleep 8
echo "$(ls "$folder" | grep -c '^part-.*json') records are there" >"$private/out"
show "$private/out"
[ ! -e "$folder/part-$struck.json" ] && ! stop_one true
report $? "nothing runs, and that part has no record"
start_node
if patiently 240 is_over; then
	report 0 "all jobs end"
else
	report 1 "all jobs end"
	squeue | sed 's/^/# /'
fi
grep -qs 'equeu' "$private/slurmctld.log"
report $? "Slurm put back what the node lost"
grep -i 'requeu' "$private/slurmctld.log" | sed 's/^/# /'
same "the verdict that the last job wrote"

# ---- faults ----

rm "$folder/part-37.json"
before=$(stat -c %Y.%i "$folder/part-36.json")
submit >"$private/submitted" 2>"$private/err"
[ $? -eq 0 ] && patiently 60 is_over && [ "$(stat -c %Y.%i "$folder/part-36.json")" = "$before" ]
report $? "a part that is gone is done again"
same "the verdict after it"
foreign 5 && submit >"$private/submitted" 2>"$private/err" && patiently 60 is_over
grep -q 'part-5.json is of another search' "$folder/verdict.txt" && ! grep -q kept "$folder/verdict.txt"
report $? "a part of another search: the last job refuses it by name, and says no verdict"
plan_end
