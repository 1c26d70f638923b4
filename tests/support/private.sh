# SPDX-License-Identifier: MIT
# For scripts that start something in namespaces of processes and mounts, read by `.` with $private, a
# folder of their own that they made: it is removed, and $worker, the process that all others hang
# from, ended, whatever way the script ends; by somebody who watches, if it is killed.
worker=

# Processes of the namespace may still be dying; its mounts are not seen from here.
remove() {
	for _ in 1 2 3 4 5; do
		rm -rf --one-file-system "$private" 2>/dev/null && return
		sleep 1
	done
	echo "stampede: $private is left" >&2
}

end() {
	code=$?
	trap '' INT TERM HUP
	if [ -n "$worker" ]; then
		kill -KILL "$worker" 2>/dev/null
		wait "$worker" 2>/dev/null
	fi
	remove
	exit "$code"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
(
	trap '' INT TERM HUP
	tail -f /dev/null --pid=$$ >/dev/null 2>&1
	[ -e "$private" ] && remove
) </dev/null >/dev/null 2>&1 &
