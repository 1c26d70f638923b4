#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: record_gaps.sh BUILD [--seconds N] [--events "sched irq timer"] [--out FILE] [--keep DIR]
# Records events of this machine's kernel in a trace instance of its own, so that no setting of the
# kernel's other tracing changes, and writes the gaps between them as a workload of run-stress.
set -eu
build=$1
shift
seconds=3 events="sched irq timer" out=results/gaps.csv keep=

fail() { # exit code, text
	echo "stampede: $2" >&2
	exit "$1"
}

while [ $# -gt 0 ]; do
	[ $# -gt 1 ] || fail 1 "$1 takes a value"
	case $1 in
	--seconds) seconds=$2 ;;
	--events) events=$2 ;;
	--out) out=$2 ;;
	--keep) keep=$2 ;;
	*) fail 1 "'$1' is not an option of record-gaps: --seconds, --events, --out, --keep" ;;
	esac
	shift 2
done
case $seconds in
'' | *[!0-9]* | 0) fail 1 "--seconds takes a whole number from 1, not '$seconds'" ;;
esac
[ "$(id -u)" = 0 ] || fail 3 "record-gaps reads the kernel's trace: run it as root"
[ -z "$keep" ] || [ ! -e "$keep" ] || fail 1 "$keep is there already; name another --keep"

work=$(mktemp -d)
mounted='' instance=''
restore() {
	trap '' INT TERM HUP
	if [ -n "$instance" ] && [ -d "$instance" ]; then
		echo 0 > "$instance/tracing_on" || :
		echo 0 > "$instance/events/enable" || :
		rmdir "$instance" || echo "stampede: remove $instance by hand" >&2
	fi
	if [ -n "$mounted" ]; then umount "$mounted" || :; fi
	rm -rf "$work"
}
trap restore EXIT
trap 'exit 5' INT TERM HUP

tracefs=$(awk '$3 == "tracefs" { print $2; exit }' /proc/mounts)
if [ -z "$tracefs" ]; then
	mkdir "$work/tracefs"
	mount -t tracefs nodev "$work/tracefs" 2>/dev/null ||
		fail 4 "this kernel has no tracefs to mount; record on another machine"
	mounted=$work/tracefs tracefs=$mounted
fi
mkdir "$tracefs/instances/stampede-$$" 2>/dev/null ||
	fail 4 "$tracefs/instances takes no new instance; has the kernel CONFIG_TRACING?"
instance=$tracefs/instances/stampede-$$

echo 0 > "$instance/tracing_on"
echo 16384 > "$instance/buffer_size_kb" || fail 3 "no memory for 16 MiB of trace per CPU"
for event in $events; do
	enable=$instance/events/$event/enable
	[ "$event" != all ] || enable=$instance/events/enable
	[ -e "$enable" ] ||
		fail 1 "this kernel has no events called '$event' (see $tracefs/events, or 'all')"
	echo 1 > "$enable"
done
echo "stampede: $events for $seconds s"
echo 1 > "$instance/tracing_on"
sleep "$seconds"
echo 0 > "$instance/tracing_on"

mkdir "$work/capture"
cp "$tracefs/events/header_page" "$tracefs/events/header_event" "$work/capture"
# An instance may have sub-buffers of its own size; what cpu<N>.raw holds is read to its end.
for cpu in "$instance"/per_cpu/cpu*; do
	name=$(basename "$cpu")
	timeout 60 dd if="$cpu/trace_pipe_raw" of="$work/capture/$name.raw" bs=4096 iflag=nonblock \
		2> "$work/dd" || grep -q 'temporarily unavailable' "$work/dd" ||
		fail 3 "cannot read $name: $(head -1 "$work/dd")"
done
mkdir -p "$(dirname "$out")"
"$build/read-trace" --gaps "$out" "$work/capture"
if [ -n "$keep" ]; then cp -r "$work/capture" "$keep"; fi
echo "stampede: gaps in $out; replay them: $build/run-stress --workload replay --gaps $out"
