#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_foreign.sh BUILD   Foreign tracers under the explorer: one of ours with faults, and those of
# extras/foreign/ that this machine has the packages of. TAP.
build=$1
. tests/support/tap.sh
explore=$build/explore
toy=tests/explore/foreign
# As in build/clang and build/sanitized, which tests/long.sh builds.
[ -f "$build/../Makefile" ] || {
	skip "foreign tracers" "--foreign wants the source tree beside $build"
	plan
	exit
}

# found NAME FAULT CONDITION OPTION...: what the search of the toy with that fault says.
found() {
	name=$1 fault=$2 condition=$3
	shift 3
	FAULT=$fault "$explore" --foreign $toy --events 2 --nested 2 --depth 2 --json "$scratch/json" "$@" \
		>"$scratch/out" 2>"$scratch/err"
	finds "$name" "$scratch/json" "$condition" || sed 's/^/# /' "$scratch/err"
}

found "the tracer is kept, before every instruction" 0 "f['verdict'] == 'kept' and f['schedules'] > 1000" --stops all
found "and five deep" 0 "f['verdict'] == 'kept' and f['schedules'] > 1000" --nested 4 --depth 4
while read -r fault oracle options; do
	# shellcheck disable=SC2086
	found "fault $fault breaks $oracle" "$fault" \
		"f['broken'] > 0 and f['objections']['$oracle'] > 0" $options
	again=$(sed -n 's,^  build/explore \(--foreign.* --replay .*\),\1,p' "$scratch/out")
	FAULT=$fault sh -c "$explore $again" </dev/null >"$scratch/again" 2>&1
	[ $? -eq 2 ] && [ -n "$again" ]
	report $? "and does so again, by the command that is printed"
done <"$(table foreign_faults)"
# An interrupt that waits for the lock of whom it interrupted: the timeline is told up to there, found or replayed.
for schedule in "" "--replay n4"; do
	# shellcheck disable=SC2086
	FAULT=12 timeout 60 "$explore" --foreign $toy --events 1 --nested 1 --processes 1 $schedule >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 2 ] && grep -A1 ' E1 enters' "$scratch/out" | grep -q 'the writer does not end'
	report $? "a lock that an interrupt waits for ${schedule:-is found}"
done
# The guide's shim as it stands there, with the tracer that it speaks of.
mkdir "$scratch/tiny"
sed -n '/^```c$/,/^```$/{ /^```/!p }' docs/foreign.md >"$scratch/tiny/shim.c"
cat >"$scratch/tiny/tiny.h" <<'END'
static struct {
	unsigned int events;
	uint64_t last;
	struct { uint32_t delta; uint64_t value; } event[32];
} tiny;
static int tiny_trace(uint64_t value)
{
	uint64_t now = get_time();
	tiny.event[tiny.events].value = value;
	tiny.event[tiny.events++].delta = now - tiny.last;
	tiny.last = now;
	return 0;
}
END
small() { # NAME CONDITION OPTION...
	name=$1 condition=$2
	shift 2
	"$explore" --foreign "$scratch/tiny" --json "$scratch/json" "$@" >"$scratch/out" 2>"$scratch/err"
	finds "$name" "$scratch/json" "$condition" || sed 's/^/# /' "$scratch/err"
}
small "the guide's smallest shim is kept without interrupts" "f['verdict'] == 'kept'" --nested 0 --events 4
small "with interrupts its tracer is not" "f['objections']['exact'] > 0" --stops all --nested 1
# Buffers of the C library are explored memory, too: else the schedule before hides what is not written.
mkdir "$scratch/heap"
cat >"$scratch/heap/shim.c" <<'END'
#include "explore/stops/foreign.h"
#include <stdlib.h>
static const struct scheme_desc foreign_desc = { .title = "heap", .source = "", .promises = PROMISE_EXACT };
static struct { uint64_t value, time; } *slots;
static uint64_t claimed;
static FOREIGN_PLAIN void foreign_begin(void) { slots = 0; }
static bool foreign_record(uint64_t value, uint32_t extra)
{
	uint64_t mine = __atomic_fetch_add(&claimed, 1, __ATOMIC_RELAXED), time = foreign_clock();
	(void)extra;
	slots[mine].value = value;
	if (*(volatile uint64_t *)&claimed == mine + 1) /* an interrupted writer forgets its time */
		slots[mine].time = time;
	return true;
}
static FOREIGN_PLAIN void foreign_read(void)
{
	for (uint64_t i = 0; i < claimed; i++)
		foreign_event(slots[i].value, slots[i].time, false);
}
END
for how in "foreign_memory(512)" "malloc(512)" "calloc(32, 16)"; do
	sed -i "s/slots = .*; }/slots = $how; }/" "$scratch/heap/shim.c"
	"$explore" --foreign "$scratch/heap" --nested 1 --json "$scratch/json" >"$scratch/out" 2>"$scratch/err"
	finds "$how: a time that is not written is missed" "$scratch/json" "f['broken'] == 1"
done
# fails NAME CODE WORDS COMMAND...: lines of make are there, too
fails() {
	name=$1 code=$2 words=$3
	shift 3
	"$@" >"$scratch/out" 2>"$scratch/err"
	[ $? -eq "$code" ] && grep -q "$words" "$scratch/err"
	report $? "$name"
}
sed -i "s/slots = .*; }/slots = reallocarray(slots, 32, 16); }/" "$scratch/heap/shim.c"
fails "memory that no schedule sets back is refused" 1 "no schedule sets back, by reallocarray" "$explore" --foreign "$scratch/heap"
FAULT=9 fails "a call out of the shim is refused by name" 1 "writers call time_of_day, in which no interrupt" \
	"$explore" --foreign $toy
says "no such folder" 1 "nowhere: No such file" "$explore" --foreign nowhere
fails "no shim in it" 1 "no .*tests/shim.c: --foreign names" "$explore" --foreign tests
mkdir -p "$scratch/bin/explored" && cp "$explore" "$scratch/bin/explore"
says "no source tree" 4 "wants the source tree" "$scratch/bin/explore" --foreign $toy
mkdir "$scratch/large"
sed 's/event\[32\]/event[4096]/' "$scratch/tiny/tiny.h" >"$scratch/large/tiny.h" && cp "$scratch/tiny/shim.c" "$scratch/large"
says "a tracer that shares too much" 1 "share 6[0-9]* bytes, of which .* make buffers smaller" "$explore" --foreign "$scratch/large"
says "the engine of rows is refused" 4 "every schedule is run" "$explore" --foreign $toy --engine states
for budget in "beats 1" "reads 1" "discards 1" "flushes 1" "live 1" "traced 1" "writers 2"; do
	says "--$budget is refused, as a budget of rows" 4 "leave the others out" "$explore" --foreign $toy --$budget
done

# real NAME PACKAGE CONDITION OPTION...
real() {
	name=$1 package=$2 condition=$3
	shift 3
	"$explore" --foreign "extras/foreign/$name" --json "$scratch/json" "$@" >"$scratch/out" 2>"$scratch/err"
	if grep -q "(package $package" "$scratch/err"; then
		skip "$name" "no package $package"
		return 1
	fi
	finds "$name: $*" "$scratch/json" "$condition"
}

real barectf python3-barectf "f['objections']['exact'] == f['broken'] - f['objections']['monotonic'] > 0" \
	--stops all --nested 1
real barectf python3-barectf "f['verdict'] == 'kept'" --stops all --nested 0 --events 4 --jumps 1
real dpdk libdpdk-dev "f['verdict'] == 'need not met' and not f['broken']" --stops all --nested 2 --depth 2
real dpdk libdpdk-dev "f['verdict'] == 'need not met' and not f['broken']" --stops all --nested 0 --events 3 --jumps 1
# The budgets of docs/linux-ring-buffer.md in which wrong times, and nothing else, are found in the file itself.
real linux_ring_buffer linux-source-6.1 "f['verdict'] == 'kept' and f['schedules'] > 200000" --stops all --nested 2 &&
	real linux_ring_buffer linux-source-6.1 "f['objections']['exact'] == f['broken'] > 0" --nested 1 --jumps 1 &&
	real linux_ring_buffer linux-source-6.1 "f['objections']['exact'] == f['broken'] > 0" \
		--events 1 --nested 2 --depth 1 --offsets all
# A full ring: --size large has events refused, and records that count them.
real perf linux-source-6.1 "f['verdict'] == 'kept' and f['schedules'] > 250000" --stops all --nested 2 --depth 2 &&
	real perf linux-source-6.1 "f['verdict'] == 'kept' and f['schedules'] > 250000" \
		--nested 2 --depth 2 --size large --offsets all &&
	PERF_BACKWARD=1 real perf linux-source-6.1 "f['verdict'] == 'kept' and f['schedules'] > 1000" --nested 2 --depth 2
# That a stamp is saved after its record's reservation costs whole stamps, and never loses one.
real lttng lttng-modules-dkms "f['verdict'] == 'kept' and f['schedules'] > 400000" --stops all --nested 2 --depth 2 &&
	real lttng lttng-modules-dkms "f['verdict'] == 'kept' and f['schedules'] > 300000" --nested 1 --jumps 1
real xray llvm-toolchain-14 "f['verdict'] == 'kept' and f['schedules'] > 600000" --stops all --nested 2 &&
	real xray llvm-toolchain-14 "f['objections']['conservation'] == f['broken'] > 0" --events 1 --nested 0 --jumps 1

# Repaired by our edit (extras/foreign/*/repair.sed), what was broken is kept, at the budgets that break the files as
# they are shipped (above) and at larger ones.
repaired() { # NAME PACKAGE OPTION...
	name=$1 package=$2
	shift 2
	REPAIRED=1 real "$name" "$package" "f['verdict'] == 'kept' and f['schedules'] > 100" "$@"
}
repaired barectf python3-barectf --stops all --nested 2 --depth 2
repaired linux_ring_buffer linux-source-6.1 --nested 1 --jumps 1
repaired linux_ring_buffer linux-source-6.1 --events 1 --nested 2 --depth 1 --offsets all
repaired linux_ring_buffer linux-source-6.1 --stops all --nested 2 --depth 2
echo "nothing of it" >"$scratch/other.c"
says "an edit of another version" 1 "changes nothing in .*other.c: is it another version" \
	sh extras/foreign/repair.sh extras/foreign/barectf/repair.sed "$scratch/other.c"

# planted NAME PACKAGE FILE EDIT OPTION...: a fault that sed puts into what the shim includes is found, in a
# budget that breaks nothing otherwise. The shims' prepare.sh find barectf, pkg-config and sources here.
planted() {
	plant=$4
	case $1 in
	linux_ring_buffer | perf)
		tree=$(ls -d "$build/foreign/$1/$2" 2>/dev/null) || return
		rm -rf "$scratch/linux" && cp -r "$tree" "$scratch/linux" && export LINUX_SOURCE="$scratch/linux"
		sed -i "$plant" "$scratch/linux/kernel/$3"
		;;
	lttng)
		tree=$(ls -d "$build"/foreign/lttng/package/usr/src/lttng-modules-2* 2>/dev/null) || return
		rm -rf "$scratch/lttng" && cp -r "$tree" "$scratch/lttng" && export LTTNG_SOURCE="$scratch/lttng"
		sed -i "$plant" "$scratch/lttng/include/ringbuffer/$3"
		;;
	xray)
		[ -d "$build/foreign/xray/compiler-rt" ] || return
		rm -rf "$scratch/xray" && cp -r "$build/foreign/xray/compiler-rt" "$scratch/xray"
		export XRAY_SOURCE="$scratch/xray"
		sed -i "$plant" "$scratch/xray/lib/xray/$3"
		;;
	dpdk)
		[ -f "/usr/include/dpdk/$3" ] || return
		mkdir -p "$scratch/include" && sed "$plant" "/usr/include/dpdk/$3" >"$scratch/include/$3"
		;;
	esac
	name=$1 package=$2
	shift 4
	PLANT=$plant PATH="$scratch/tools:$PATH" real "$name" "$package" "${wanted:-f['broken'] > 0}" "$@"
	unset LINUX_SOURCE LTTNG_SOURCE XRAY_SOURCE
}
mkdir "$scratch/tools"
fake "$scratch/tools/barectf" <<'END'
PATH=${PATH#*:}
command -v barectf >/dev/null || { echo "stampede: no barectf (package python3-barectf)" >&2; exit 69; }
barectf "$@" && sed -i "$PLANT" barectf.c
END
fake "$scratch/tools/pkg-config" <<END
echo "-I$scratch/include"
PATH=\${PATH#*:}
exec pkg-config "\$@"
END
while IFS=@ read -r name package file plant options wanted; do
	# shellcheck disable=SC2086
	[ "${name#"#"}" != "$name" ] || planted "$name" "$package" "$file" "$plant" $options </dev/null
done <"$(table foreign_planted)"
plan
