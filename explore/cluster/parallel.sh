#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: parallel.sh DIR [HOST... | --sshloginfile FILE]   Does what has no record yet of the plan in
# DIR by GNU parallel, on hosts that ssh comes to without a password, or here; then says the verdict.
# DIR and the build are in folders that all hosts see under the same path. A host is NAME, or N/NAME for
# N shards at a time (one for each CPU); ":" is this machine. A shard whose host goes away is done on
# another. Once more does what is still missing.
# EXPLORE (default: build/explore of this clone): the program that made the plan. MEMORY=MIB (2048):
# what the states of a search may take. PARALLEL_SSH: how hosts are come to. Exit code: that of explore
# --merge, of which 5 is that some shards are missing; 3: something is not to be had.
set -u
directory=${1:-}
case $directory in
'' | -*)
	echo "stampede: sh explore/cluster/parallel.sh DIR [HOST... | --sshloginfile FILE]" >&2
	exit 1
	;;
esac
shift
. "$(dirname "$0")/plan.sh"
command -v parallel >/dev/null || refuse 3 "no parallel: apt-get install parallel, or make -j"
parallel --version 2>/dev/null | grep -q '^GNU parallel' ||
	refuse 3 "$(command -v parallel) is not GNU's: apt-get install parallel"
case ${1:-} in
--sshloginfile)
	[ $# -eq 2 ] && [ -r "$2" ] || refuse 3 "--sshloginfile: a file that can be read is wanted"
	set -- --sshloginfile "$(readlink -f "$2")"
	;;
-*) refuse 1 "$1: hosts or --sshloginfile FILE are wanted" ;;
?*) set -- --sshlogin "$(echo "$*" | tr ' ' ,)" ;;
esac
# A host that is gone is known to be gone within a minute.
export PARALLEL_SSH="${PARALLEL_SSH:-ssh -o BatchMode=yes -o ConnectTimeout=15 -o \
ServerAliveInterval=15 -o ServerAliveCountMax=3}"

# parallel leaves out what its log calls done. The records know better: what has none is not done.
log=$directory/parallel.log
if [ -e "$log" ]; then
	{
		echo "$missing" | sed 's/.*/missing &/'
		cat "$log"
	} | awk '$1 == "missing" { missing[$2] = 1; next } $1 == "Seq" || !(($1 - 1) in missing)' \
		>"$log.new" && mv "$log.new" "$log" || refuse 3 "cannot write $log"
fi
if [ -n "$missing" ]; then
	seq 0 $((shards - 1)) | parallel --joblog "$log" --resume-failed --retries 4 "$@" \
		"$explore" --shard '{}' --memory "$memory" "$directory"
fi
exec "$explore" --merge "$directory"
