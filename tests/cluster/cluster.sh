# SPDX-License-Identifier: MIT
# For slurm.sh and parallel.sh, read by `.` in the namespaces of private.sh with $build and $private:
# a search, what one process finds of it, and the loopback. Sets $explore, $folder, $parts, $begun.
begun=$(date +%s)
number=0 failed=0 struck=
parts=64
folder=$private/folder
explore=$(readlink -f "$build/explore")
# A part of these takes some tenths of a second: long enough to be killed in the middle.
searched="--nested 4 --events 4 --engine schedules --schemes \
=packed_word,=three_read,=extended_header,=full_tsc,=dwcas"

refuse() { # exit code, line
	echo "stampede: $2" >&2
	exit "$1"
}

report() { # good? name
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		failed=$((failed + 1))
	fi
}

plan_end() {
	echo "1..$number"
	echo "# took $(($(date +%s) - begun)) s"
	[ $failed -eq 0 ] || exit 1
}

show() { # file: as a comment
	sed 's/^/# /' "$1"
}

# patiently SECONDS COMMAND...: until it is so.
patiently() {
	until=$(($(date +%s) + $1))
	shift
	while ! "$@"; do
		[ "$(date +%s)" -lt $until ] || return 1
		sleep 0.1
	done
}

records() { # at least so many
	[ "$(ls "$folder" 2>/dev/null | grep -c '^part-[0-9]*\.json$')" -ge "$1" ]
}

# Who asks which kinds of addresses there are (getaddrinfo(3)) does not count 127.0.0.1: one more, of
# those that nobody has.
loopback() {
	printf '127.0.0.1 localhost stampede\n' >"$private/hosts"
	mount --bind "$private/hosts" /etc/hosts && python3 -B - <<-'PYTHON' ||
	import fcntl, socket, struct
	up = struct.pack("16sh14x", b"lo", 0x41)  # IFF_UP | IFF_RUNNING
	one = struct.pack("16sHH4s16x", b"lo:1", socket.AF_INET, 0, socket.inet_aton("192.0.2.1"))
	with socket.socket() as any_socket:
	    fcntl.ioctl(any_socket, 0x8914, up)  # SIOCSIFFLAGS
	    fcntl.ioctl(any_socket, 0x8916, one)  # SIOCSIFADDR
	PYTHON
		refuse 4 "the loopback of a private network cannot be set up"
}

# stop_one COMMAND...: stops a part that runs, has no record yet and of which the command is true, and
# sets $victim, its process, and $struck, its number. All processes that are seen here are ours. They
# are looked through at once: a part is over before all have been asked one by one.
stop_one() {
	for process in $(grep -alF -- "$folder/part-" /proc/[0-9]*/cmdline 2>/dev/null); do
		victim=$(basename "$(dirname "$process")")
		kill -STOP "$victim" 2>/dev/null || continue
		struck=$({ tr '\0' ' ' <"$process"; } 2>/dev/null | sed -nE "s,.*/part-([0-9]+)\.json .*,\1,p")
		[ -n "$struck" ] && [ ! -e "$folder/part-$struck.json" ] && "$@" && return 0
		kill -CONT "$victim" 2>/dev/null
	done
	return 1
}

one_process() {
	# shellcheck disable=SC2086
	"$explore" $searched --json "$private/one.json" >"$private/one" 2>"$private/err"
	code=$?
	report $code "one process finds what is to be found"
	[ $code = 0 ] || show "$private/err"
}

# same NAME: what the merge wrote is what one process found.
same() {
	found=$(python3 -B tests/explore/same_counts.py "$private/one.json" "$folder/all.json" \
		"$folder"/part-*.json 2>&1)
	report $? "$1: $found"
	rm -f "$folder/all.json"
}

# foreign PART: that part becomes one of another search.
foreign() {
	"$explore" --nested 2 --schemes =packed_word --part "$1/$parts" --json "$folder/part-$1.json" \
		>"$private/out"
}
