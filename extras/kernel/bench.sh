#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: bench.sh check CONFIRM
#        bench.sh run CONFIRM MODULE PROGRAM LINES [options of in-kernel]
# Loads stampede.ko into the kernel that runs, prices and judges its rows, and takes it out again,
# however that ends. Refuses in one line where it was not asked to, or where something is missing.
# LINES: the file that in-kernel appends its results to.
set -eu
what=$1 confirm=$2
refuse() {
	echo "stampede: $1" >&2
	exit 4
}
check() {
	release=$(uname -r)
	[ "$confirm" = load ] || refuse \
		"this loads a module into the kernel that runs here, $release: say CONFIRM=load"
	[ "$(id -u)" = 0 ] || refuse "only root loads modules: sudo make kernel-bench CONFIRM=load"
	[ -e /proc/modules ] || refuse "this kernel has no modules"
	[ "$(cat /proc/sys/kernel/modules_disabled 2>/dev/null)" != 1 ] || refuse \
		"modules are disabled until the next boot (kernel.modules_disabled)"
	! grep -q '\[\(integrity\|confidentiality\)\]' /sys/kernel/security/lockdown 2>/dev/null ||
		refuse "the kernel is locked down (secure boot): it takes signed modules only"
	[ -e "/lib/modules/$release/build/Makefile" ] || refuse \
		"no headers of this kernel: apt-get install linux-headers-$release"
	! grep -q '^stampede ' /proc/modules || refuse "the module is loaded: rmmod stampede"
}
check
[ "$what" = run ] || exit 0
module=$3 program=$4 lines=$5
shift 5
child=
# In the background: a shell that is told to end would first wait for what it runs itself.
step() {
	"$program" --json "$lines" "$@" &
	child=$!
	wait "$child"
}
quit() {
	trap '' INT TERM HUP
	[ -z "$child" ] || kill "$child" 2>/dev/null || :
	wait
	exit 5
}
rm -f "$lines"
trap 'rmmod stampede' EXIT
trap quit INT TERM HUP
insmod "$module" || {
	trap - EXIT
	refuse "the kernel does not take $module: dmesg says why"
}
step --price "$@"
step --events 1000000 --seconds 60 "$@"
