# SPDX-License-Identifier: MIT
# For slurm.sh and parallel.sh, read by `.` in the namespaces of private.sh with $build and $private:
# a plan, what one process finds of it, and the loopback. Sets $explore, $plan, $shards, $begun.
begun=$(date +%s)
number=0 failed=0
shards=64
plan=$private/plan
explore=$(readlink -f "$build/explore")
# A shard of these takes some tenths of a second: long enough to be killed in the middle.
searched="--nested 4 --events 4 --engine schedules"
rows="=packed_word =three_read =extended_header =full_tsc =dwcas"

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
	[ "$(ls "$plan" | grep -c '^shard-[0-9]*\.json$')" -ge "$1" ]
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

# stop_one COMMAND...: stops a shard that runs, has no record yet and of which the command is true, and
# sets $victim, its process, and $struck, its number. All processes that are seen here are ours. They
# are looked through at once: a shard is over before all have been asked one by one.
stop_one() {
	for process in $(grep -alF -- "$explore" /proc/[0-9]*/cmdline 2>/dev/null); do
		victim=$(basename "$(dirname "$process")")
		kill -STOP "$victim" 2>/dev/null || continue
		struck=$({ tr '\0' ' ' <"$process"; } 2>/dev/null |
			sed -nE "s,^$explore --shard ([0-9]+) .*,\1,p")
		[ -n "$struck" ] && [ ! -e "$plan/shard-$struck.json" ] && "$@" && return 0
		kill -CONT "$victim" 2>/dev/null
	done
	return 1
}

# Lines without what differs: seconds, and states that shards have in common.
counts() {
	grep -E '^[a-z_0-9]+ +[a-z0-9]+ +shared' "$1" | sed -E 's/ +[0-9.]+ s  / /; s/[0-9]+ states//'
}

unsharded() {
	# shellcheck disable=SC2086
	"$explore" $searched --schemes "$rows" >"$private/one" 2>"$private/err" &&
		"$explore" $searched --schemes "$rows" --plan "$plan" --shards $shards \
			>"$private/planned" 2>"$private/err" &&
		counts "$private/one" >"$private/one.counts" && [ -s "$private/one.counts" ]
	code=$?
	report $code "one process finds what is to be found: $(wc -l <"$private/one.counts") rows"
	[ $code = 0 ] || show "$private/err"
}

# same NAME FILE: what that merge says is what one process says.
same() {
	counts "$2" >"$private/all.counts"
	cmp -s "$private/one.counts" "$private/all.counts"
	code=$?
	report $code "$1: $(awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^D=/) sum += $(i + 2) }
		END { printf "%.0f", sum }' "$private/all.counts") schedules, as in one process"
	[ $code = 0 ] || diff "$private/one.counts" "$private/all.counts" | sed 's/^/# /'
}

# foreign SHARD: that shard's record becomes one of another plan.
foreign() {
	# shellcheck disable=SC2086
	"$explore" --nested 2 --schemes "$rows" --plan "$private/other" --shards $shards \
		>"$private/out" && "$explore" --shard "$1" "$private/other" 2>"$private/err" &&
		cp "$private/other/shard-$1.json" "$plan"
}
