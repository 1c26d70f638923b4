#!/bin/sh
# SPDX-License-Identifier: MIT
# In a guest that has nothing else: sh lttng.sh begin|start NAME BYTES COUNT|stop NAME|...
# NAME.trace gets LTTng's trace of one channel that discards, with so many sub-buffers on each CPU;
# NAME.calls has what was called (in-kernel --calls).
set -e
PATH=/busybox.d:/bin:/usr/bin HOME=/
export PATH HOME
case $1 in
begin)
	/busybox mkdir -p /busybox.d /dev/shm /run /var
	/busybox --install -s /busybox.d
	ln -s /run /var/run
	mount -t tmpfs shm /dev/shm
	ifconfig lo up
	# Its daemon wants to know what the kernel has built in, and takes no empty list.
	: >"/lib/modules/$(uname -r)/modules.order"
	echo kernel/none.ko >"/lib/modules/$(uname -r)/modules.builtin"
	ln -s /bin/kmod /run/depmod
	/run/depmod -a 2>/dev/null
	lttng-sessiond --daemonize --kmod-probes=power >/sessiond 2>&1 || cat /sessiond
	cat /sys/devices/system/clocksource/clocksource0/current_clocksource
	;;
start)
	lttng create "$2" --output="/$2.trace"
	lttng enable-channel -k c --discard --subbuf-size="$3" --num-subbuf="$4"
	lttng enable-event -k -c c power_cpu_frequency
	lttng start
	;;
stop)
	lttng stop
	lttng destroy "$2"
	du -sk "/$2.trace" "/$2.calls"
	;;
count)
	[ ! -x /usr/bin/babeltrace2 ] || babeltrace2 "/$2.trace" -c sink.utils.counter -p step=+0
	;;
clear)
	rm -r "/$2.trace" "/$2.calls"
	;;
alter) # one call's entry becomes the beginning of time; $3: where, in 16 bytes
	cp "/$2.calls" /altered.calls
	dd if=/dev/zero of=/altered.calls bs=16 seek="$3" count=1 conv=notrunc 2>/dev/null
	;;
drop) # one CPU's stream is lost
	cp -r "/$2.trace/kernel" /dropped.trace
	rm /dropped.trace/c_1
	du -sk /dropped.trace /altered.calls
	;;
esac
