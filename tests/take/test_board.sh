#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_board.sh BUILD   A scheme as a header for a board: small, without a C library or an atomic of 64 bits,
# and right in a program on qemu's mps2-an385, whose clock wraps some hundred times. TAP.
. tests/support/tap.sh
build=$(cd "$1" && pwd)
row=packed_word32 folder=$scratch/take
mkdir -p "$folder/board"
take_header $row && python3 -B extras/take/board.py $row "$folder/board" "$folder/$row.facts" && cp "$folder"/$row*.h "$folder/board/host" && [ "$(wc -l <"$folder/board/$row.h")" -le 600 ] &&
	[ "$(wc -l <"$folder/board/${row}_reader.h")" -le 600 ] && ! grep -qE 'malloc|calloc|[^n]_memcpy' "$folder"/board/$row*.h
report $? "two headers of 600 lines at most, without a heap"
"$build/take-facts" packed_word >"$folder/facts_64"
refuses "a row that claims 64 bits" 1 "packed_word cannot be taken for a Cortex-M: it claims a word of 64 bits" \
	python3 -B extras/take/board.py packed_word "$folder" "$folder/facts_64"
refuses "an unknown target" 1 "TARGET=cortex-r: no such target; there are cortex-m and rv32" \
	env TARGET=cortex-r sh extras/take/take.sh "$build" $row
"${CC:-gcc}" "$folder/board/host/${row}_metadata.c" -o "$folder/metadata"
report $? "the metadata of its trace"

# What is wrong in the trace of the example, on a CPU, with $folder/board/FILE changed by sed.
traced() { # CPU [FILE SED]
	rm -rf "$scratch/run" && mkdir -p "$scratch/run/trace" && cp -r "$folder/board/"* "$scratch/run"
	# Some 250 wraps of 27 bits, and 8 of 32; the RV32's 150 and 4.
	sed -i 's/_CLOCK() \(.*REG(0x[0-9A-F]*8)\|(.*REG.*4))\)/_CLOCK() (\1 * 9973)/' "$scratch/run/${row}_example.c"
	if [ $# = 3 ]; then
		sed -i "$3" "$scratch/run/$2" && ! cmp -s "$scratch/run/$2" "$folder/board/$2" || echo "nothing is planted"
	fi
	(
		cd "$scratch/run" || exit
		case $1 in
		rv32) set -- riscv64-unknown-elf "-march=rv32imac_zicsr -mabi=ilp32 -mcmodel=medany -Wl,--no-warn-rwx-segments" \
			0x80000000 "0x80000100" "riscv32 -M virt -bios none" ;;
		*) set -- arm-none-eabi "-mcpu=$1 -mthumb" 0 "0x100 -Wl,-Tdata=0x20000000" "arm -M mps2-an385" ;;
		esac
		# shellcheck disable=SC2086
		"$1-gcc" $2 -O2 -ffreestanding -nostdlib -Wall -Wextra -Werror -Wl,-e,start -Wl,--section-start=.vectors=$3 \
			-Wl,-Ttext=$4 ${row}_example.c -lgcc -o it 2>err || { grep -m1 error err && exit; }
		"$1-nm" it | grep -E ' (__atomic|__sync)_.*_8$'
		# shellcheck disable=SC2086
		timeout 30 qemu-system-$5 -display none -serial none -semihosting -icount shift=5,sleep=off -kernel it || echo "exit $?"
		"$folder/metadata" >trace/metadata && babeltrace2 --clock-cycles trace 2>/dev/null >events
		python3 - <<-'END'
			import re
			at, ids, first, wrong = -1, {"thread": -1, "interrupt": -1}, None, set()
			for line in open("events"):
			    time, name, number, clock = re.match(r"\[(\d+)\].* (\w+): \{ .*number = (\d+), clock = (\d+)", line).groups()
			    time, number = int(time), int(number)
			    wrong |= {"order"} if time < at else set()
			    # At most what an interrupt takes passes between the two readings.
			    wrong |= {"window"} if (time - int(clock)) % 2**32 > 1 << 25 else set()
			    wrong |= {"losses"} if number != ids[name] + 1 and name == "thread" or number <= ids[name] else set()
			    first = time if first is None else first
			    at, ids[name] = time, number
			print(*sorted(wrong), "many" if ids["thread"] == 19999 and ids["interrupt"] > 1000 and at - first > 4 << 32 else
			      f"few: {ids}, {at - (first or 0)} ticks")
		END
	)
}

for tool in arm-none-eabi-gcc qemu-system-arm babeltrace2; do
	command -v $tool >/dev/null || { skip "a board" "no $tool" && plan && exit; }
done
for cpu in cortex-m3 cortex-m0plus cortex-m4 cortex-m33 rv32; do
	if [ $cpu = rv32 ] && ! { command -v riscv64-unknown-elf-gcc && command -v qemu-system-riscv32; } >/dev/null; then
		skip "rv32: each event is in the trace" "no riscv64-unknown-elf-gcc or qemu-system-riscv32"
		continue
	fi
	said=$(traced $cpu)
	[ "$said" = many ]
	report $? "$cpu: each event is in the trace, at its time: $said"
done
found() { # NAME WANTED FILE SED
	said=$(traced cortex-m3 "$3" "$4")
	case $said in *$2*) true ;; *) false ;; esac
	report $? "$1: $said"
}
found "a stamp that is not taken again" window $row.h '/stamp = .*clock_read("clock again")/d'
found "a claim that is no single step" "exit 124" $row.h 's/"ldrex %0, /"ldr %0, /
	s/"strex %0, %3, \[%1\]/"str %3, [%1]\\n\\tmov %0, #0/'
found "times that are not made longer" few ${row}_reader.h 's/[a-z_0-9]*put_u64(at + 4, t->time)/(void)at/'
found "a packet's begin that is not" few ${row}_reader.h 's/header->timestamp_begin = t->time/(void)header/'
found "a payload of another size" "exit 1" ${row}_example.c 's/step(0, i);/&packed_word32_write(\&ring, 0, words, 1);/'
found "no clock" "define CLOCK() before" ${row}_example.c '/^#define .*_CLOCK/d'
for shift in SUBBUF_SHIFT=7 SUBBUF_SHIFT=11 COUNT_SHIFT=0; do
	found "$shift" "SUBBUF_SHIFT is 8 .. 10" ${row}_example.c "s/^#include \"${row}_reader/#define PACKED_WORD32_${shift%=*} ${shift#*=}\n&/"
done

# ---- tasks of an RTOS, sleeps, and a flight recorder ----

# tasks CPU WORDS...: what tasks.c records; $folder/board with what a sed has changed.
tasks() {
	cpu=$1
	shift
	rm -rf "$scratch/run" && mkdir -p "$scratch/run/trace"
	cp "$OLDPWD/tests/take/tasks.c" "$scratch/run" 2>/dev/null || cp tests/take/tasks.c "$scratch/run"
	(
		cd "$scratch/run" || exit
		arm-none-eabi-gcc -mcpu="$cpu" -mthumb -O2 -ffreestanding -nostdlib -Wall -Wextra -Wconversion -Werror -Wl,-e,start \
			-Wl,--section-start=.vectors=0 -Wl,-Ttext=0x100 -Wl,-Tdata=0x20000000 -I"${boards:-$folder/board}" "$@" tasks.c -lgcc -o it 2>err ||
			{ grep -m1 error err && exit; }
		timeout 40 qemu-system-arm -M mps2-an386 -display none -serial none -semihosting -icount shift=5,sleep=off \
			-kernel it || echo "exit $?"
		[ ! -e ring.bin ] || timeout 20 "$scratch/dump" ring.bin >trace/0 2>err || cat err
		torn=$(sed -n 's/.* it stopped within a record.*/torn/p' err 2>/dev/null)
		"$scratch/names" >trace/metadata && babeltrace2 --clock-cycles trace 2>warned >events
		[ ! -e counts ] || python3 "$scratch/judge.py" $torn "$@"
	)
}
sed 's/^TAKEN_EVENT.*//; s/^PACKED_WORD32_EVENT.*//; s/.*event_type types.*/#define N(kind, id) { #kind, step_type.fields, id, 8 }\n\tstruct packed_word32_event_type types[] = { N(a, 0), N(b, 1), N(low, 2), N(high, 3), N(slept, 4) };/
	s/types, 2,/types, 5,/; s/^int main/PACKED_WORD32_EVENT(step, 5, STEP);\n&/' "$folder/board/host/${row}_metadata.c" >"$folder/board/host/names.c"
"${CC:-gcc}" "$folder/board/host/names.c" -o "$scratch/names" && "${CC:-gcc}" -Wall -Wextra -Werror -DPACKED_WORD32_OVERWRITE=1 \
	-DPACKED_WORD32_COUNT_SHIFT=3 "$folder/board/host/${row}_dump.c" -o "$scratch/dump" 2>"$scratch/err"
report $? "the host's programs are compiled"
head -5 "$scratch/err" | sed 's/^/# /'
cat >"$scratch/judge.py" <<'END'
import re, struct, sys
counts = struct.unpack("<8I", open("counts", "rb").read())
size, kinds = counts[6], ("a", "b", "low", "high", "slept")
crash, sleeps = any("CRASH" in one for one in sys.argv), [int(one[8:-3], 0) for one in sys.argv if "SLEEP" in one]
at, ids, wrong, events, first = None, {}, set(), 0, {}
lines = list(open("events"))
for line in lines[:-100] if "torn" in sys.argv else lines:  # more than a packet of these
    time, name, number, clock = re.match(r"\[(\d+)\] (?:.* )?(\w+): .*number = (\d+), clock = (\d+)", line).groups()
    time, number, events = int(time), int(number), events + 1
    if at is not None and time < at:
        wrong.add("order")
    if not sleeps and (time - int(clock)) % 2**32 > 1 << 25:
        wrong.add("window")
    if number != ids.get(name, number - 1 if crash else -1) + 1 and not (name == "a" and sleeps and number % 512 == 0):
        wrong.add("losses")
    if name == "slept" and not 0 < time - at - sleeps[0] < 1 << 20:
        wrong.add("sleep")
    first.setdefault(name, number)
    at, ids[name] = time, number
for kind, count in zip(kinds, counts[:4] + counts[7:]):
    if count and not count - (600 if "torn" in sys.argv else 1) <= ids.get(kind, -1) <= count - 1 + crash:
        wrong.add("the end of " + kind)
if crash and events < 300 or not crash and events < 3000 or counts[4] < 300 or sleeps and not counts[7]:
    wrong.add("few")
print(*sorted(wrong), "all", *(["torn"] if "torn" in sys.argv else []), "lost" if counts[5] else "none lost", events, "events,", counts[4], "switches, a ring of", size, "bytes")
END
cleans() { # NAME CPU WORDS...
	name=$1
	shift
	said=$(tasks "$@")
	case $said in all*) true ;; *) false ;; esac
	report $? "$name: $said"
}
cleans "two tasks that are switched, and two nested timers" cortex-m4 -DEVENTS=500
cleans "the same, on a Cortex-M3" cortex-m3 -DEVENTS=300
cleans "sleeps of 5e9 ticks, longer than the counter" cortex-m4 -DEVENTS=1100 -DSLEEP=5000000000ull
"$build/read-trace" --lint "$scratch/run/trace" >"$scratch/err" 2>&1 && grep -q 'nothing found$' "$scratch/err"
told $? "and read-trace --lint finds nothing in them"
cleans "sleeps of 2^32 - 2 ticks" cortex-m4 -DEVENTS=1100 -DSLEEP=4294967294ull
# Wherever it is: of a record that is not ended what comes behind it may be wrong, and the dump says so.
torn=0
for crash in 550 551 552 553 554 555 556 559; do
	cleans "a crash: the newest events of 8 KiB, from the ring's memory" cortex-m4 -DEVENTS=$crash -DCRASH -DPACKED_WORD32_OVERWRITE=1 \
		-DPACKED_WORD32_COUNT_SHIFT=3
	case $said in *torn*) torn=$((torn + 1)) ;; esac
done
[ $torn -ge 2 ] && [ $torn -lt 8 ]
report $? "of eight crashes $torn are within a record of a task or of the other timer"
case $said in *" 8432 bytes") true ;; *) false ;; esac
report $? "its books have 240 bytes"
head -c 9000 /dev/zero >"$scratch/none"
! "$scratch/dump" "$scratch/none" 2>"$scratch/err" && grep -q 'no recorder that was opened' "$scratch/err" &&
	! "${CC:-gcc}" "$folder/board/host/${row}_dump.c" -o "$scratch/dump4" 2>/dev/null &&
	"${CC:-gcc}" -DPACKED_WORD32_OVERWRITE=1 "$folder/board/host/${row}_dump.c" -o "$scratch/dump4" &&
	! "$scratch/dump4" "$scratch/run/ring.bin" 2>"$scratch/err" && grep -q ' -D.*_SUBBUF_SHIFT=10 -D.*_COUNT_SHIFT=3' "$scratch/err" &&
	dd if="$scratch/run/ring.bin" of="$scratch/none" bs=4 skip=13 seek=13 count=1 conv=notrunc status=none &&
	! "$scratch/dump" "$scratch/none" 2>"$scratch/err" &&
	grep -q 'no event' "$scratch/err" && ! "$scratch/dump" "$scratch/nowhere" 2>"$scratch/err" && grep -q 'No such file' "$scratch/err" &&
	LC_ALL=C sed -z 's/\x07\x0a\x20\xa5/\x07\x0a\x18\xa5/' "$scratch/run/ring.bin" >"$scratch/none" &&
	! "$scratch/dump" "$scratch/none" >"$scratch/out" 2>"$scratch/err" && grep -q 'counter of 24 bits: .* COUNTER_BITS=24$' "$scratch/err"
told $? "a dump says what is no ring, another ring, and one without events"
# ---- on the host: sleeps while a task is suspended at any instruction ----

naps() { # NAME TICKS COUNT WANTED [SED]: how many times are wrong is 0 or not, with the reader changed by sed
	cp "$folder/board/"*.h "$scratch" && { [ $# = 4 ] || sed -i "$5" "$scratch/${row}_reader.h"; } &&
		{ [ $# = 4 ] || ! cmp -s "$scratch/${row}_reader.h" "$folder/board/${row}_reader.h"; } &&
		"${CC:-gcc}" -O2 -I"$scratch" tests/take/naps.c -o "$scratch/naps" && said=$(timeout 250 "$scratch/naps" "$2" "$3") &&
		[ "$said" "$4" 0 ]
	report $? "$1: $said times are wrong"
}
if [ "$(uname -m)" = x86_64 ]; then
	naps "a sleep of 5e9 ticks" 5000000000 1 -eq
	naps "a sleep that no call is needed for" 1000000000 1 -eq
	naps "50 short sleeps without an event" 100000000 50 -eq
	naps "the bound: 32 without an event, and a task that is suspended in write()" 5000000000 32 -ne
	naps "seen: a suspended writer's old stamp" 5000000000 1 -ne '/fetch_add(&ring->tail/d'
	naps "seen: a sleep that the reader does not add" 5000000000 1 -ne 's/slept = .*slept_behind(.*/slept = 0;/'
	naps "seen: a sleep with nothing to be read" 5000000000 1 -ne 's/t->slept += ticks;/(void)ticks;/'
	naps "seen: a remainder that is dropped" 100000000 50 -ne 's/ + ticks;/ + (ticks >> 27 << 27);/'
	naps "seen: a sleep in a field that writers have" 5000000000 1 -ne \
		's/header->timestamp_end = \(.*slept_behind.*\);/header->reserved = (uint32_t)((\1) >> 4);/; s/? header->timestamp_end : 0/? (uint64_t)header->reserved << 4 : 0/'
	naps "seen: a reader that takes the sleep first" 5000000000 1 -ne '/t->times = (uint32_t)number + 1/d; s/^\tt->time += slept;/&\n\tt->times = (uint32_t)number + 1;/'
else
	skip "sleeps at any instruction" "x86-64 only"
fi
boards=$scratch/faulty && mkdir "$boards"
dirty() { # NAME WANTED FILE SED CPU WORDS...
	name=$1 wanted=$2
	cp "$folder/board/"*.h "$boards" && sed -i "$4" "$boards/$3" && ! cmp -s "$boards/$3" "$folder/board/$3" || wanted="nothing is planted"
	shift 4
	said=$(tasks "$@")
	case $said in *"$wanted"*) true ;; *) false ;; esac
	report $? "seen: $name: $said"
}
dirty "a claim that is no single step" "exit 124" $row.h 's/"ldrex %0, /"ldr %0, /
	s/"strex %0, %3, \[%1\]/"str %3, [%1]\\n\\tmov %0, #0/' cortex-m4 -DEVENTS=500
boards=
plan
