#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: record.sh OUT [large]   Records OUT/, a CTF trace of LTTng-UST with compact event headers,
# and OUT.csv.gz, babeltrace2's decode of it. Needs lttng-tools, liblttng-ust-dev, babeltrace2, python3 and
# CPUs 0 and 1. The session daemon is our own, in a private home; root runs all of it as nobody. With
# `large`, with the headers that the daemon asks for by itself; from 2.15 on the trace is CTF 2.
#
# LTTng-UST writes compact headers (5-bit id, 27-bit time) for whoever asks for them, but the session
# daemon of 2.13 asks for large ones always, per-process buffers or not. So what runs here is a copy
# of the installed daemon in which that one constant is changed, in both instructions that it is in.
set -eu
[ $# = 1 ] || [ $# = 2 ] && [ "${2:-large}" = large ] || { sed -n '3,10s/^# //p' "$0" >&2; exit 1; }
here=$(dirname "$0")
out=$1
work=$(mktemp -d)
daemon=
as=
if [ "$(id -u)" = 0 ]; then
	chown nobody "$work"
	as="setpriv --reuid=nobody --regid=nogroup --clear-groups"
fi
end() {
	[ -z "$daemon" ] || { kill "$daemon" && wait "$daemon" || true; }
	rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT TERM

gcc -O2 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$here/../.." -o "$work/compact" "$here/compact.c" -llttng-ust -ldl -pthread
chmod 755 "$work" "$work/compact"
export LTTNG_HOME="$work" HOME="$work" LTTNG_UST_REGISTER_TIMEOUT=5000
if [ $# = 1 ]; then
	python3 "$here/ask_compact.py" "$(command -v lttng-sessiond)" "$work/lttng-sessiond"
else
	cp "$(command -v lttng-sessiond)" "$work/lttng-sessiond"
fi
chmod 755 "$work/lttng-sessiond"
$as "$work/lttng-sessiond" --no-kernel >"$work/log" 2>&1 &
daemon=$!
tries=0
until $as lttng list >"$work/said" 2>&1; do
	tries=$((tries + 1))
	[ $tries -lt 50 ] || { cat "$work/log" >&2; exit 3; }
	sleep 0.1
done
# The timer closes packets in idle seconds too: some are empty.
for command in "create compact --output=$work/trace" \
	"enable-channel --userspace --buffers-pid --subbuf-size=4k --num-subbuf=8 --switch-timer=900000 few" \
	"enable-event --userspace --channel=few compact:*" "start"; do
	# shellcheck disable=SC2086
	set -f && $as lttng $command >"$work/said" 2>&1 || { cat "$work/said" >&2; exit 3; }
	set +f
done
$as "$work/compact" 0 1
$as lttng destroy >"$work/said" 2>&1 || { cat "$work/said" >&2; exit 3; }

trace=$(dirname "$(find "$work/trace" -name metadata)")
rm -rf "$out"
mkdir "$out"
cp "$trace"/metadata "$trace"/few_* "$out"
python3 "$here/decoded.py" "$out" | gzip -n9 >"$out.csv.gz"
ls -l "$out"
gzip -dc "$out.csv.gz" | wc -l
