#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_board.sh BUILD   A scheme as a header for a board: small, without a C library or an atomic of 64 bits,
# and right in a program on qemu's mps2-an385, whose clock wraps some hundred times. TAP.
. tests/support/tap.sh
build=$(cd "$1" && pwd)
row=packed_word32 folder=$scratch/take
mkdir -p "$folder/board"
"$build/take-facts" $row >"$folder/facts" && python3 -B extras/take/take.py scheme $row "$folder" &&
	python3 -B extras/take/take.py header $row "$folder" "$folder/facts" &&
	python3 -B extras/take/board.py $row "$folder/board" "$folder/facts" && [ "$(wc -l <"$folder/board/$row.h")" -le 600 ] &&
	[ "$(wc -l <"$folder/board/${row}_reader.h")" -le 600 ] && ! grep -qE 'malloc|calloc|[^n]_memcpy' "$folder"/board/$row*.h
report $? "two headers of 600 lines at most, without a heap"
"$build/take-facts" packed_word >"$folder/facts_64"
refuses "a row that claims 64 bits" 1 "packed_word cannot be taken for a Cortex-M: it claims a word of 64 bits" \
	python3 -B extras/take/board.py packed_word "$folder" "$folder/facts_64"
refuses "an unknown target" 1 "TARGET=cortex-r: no such target; there is cortex-m" \
	env TARGET=cortex-r sh extras/take/take.sh "$build" $row
"${CC:-gcc}" "$folder/board/${row}_metadata.c" -o "$folder/metadata"
report $? "the metadata of its trace"

# What is wrong in the trace of the example, on a CPU, with $folder/board/FILE changed by sed.
traced() { # CPU [FILE SED]
	rm -rf "$scratch/run" && mkdir -p "$scratch/run/trace" && cp "$folder/board/"* "$scratch/run" && cp "$folder"/$row*.h "$scratch"
	# Some 250 wraps of 27 bits, and 8 of 32.
	sed -i 's/(~REG(0x40002004))/(~REG(0x40002004) * 9973)/' "$scratch/run/${row}_example.c"
	if [ $# = 3 ]; then
		sed -i "$3" "$scratch/run/$2" && ! cmp -s "$scratch/run/$2" "$folder/board/$2" || echo "nothing is planted"
	fi
	(
		cd "$scratch/run" || exit
		arm-none-eabi-gcc -mcpu="$1" -mthumb -O2 -ffreestanding -nostdlib -Wall -Wextra -Werror -Wl,-e,start \
			-Wl,--section-start=.vectors=0 -Wl,-Ttext=0x100 -Wl,-Tdata=0x20000000 ${row}_example.c -lgcc -o it 2>err ||
			{ grep -m1 error err && exit; }
		arm-none-eabi-nm it | grep -E ' (__atomic|__sync)_.*_8$'
		timeout 30 qemu-system-arm -M mps2-an385 -display none -serial none -semihosting -icount shift=5,sleep=off \
			-kernel it || echo "exit $?"
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
for cpu in cortex-m3 cortex-m0plus cortex-m4 cortex-m33; do
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
if command -v riscv64-unknown-elf-gcc >/dev/null; then
	sed 's/~REG(0x40002004)/0u/; /^static uint32_t semihost/,/^}/d; s/semihost(.*);/0;/' "$folder/board/${row}_example.c" >"$folder/board/rv.c"
	riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32 -O2 -ffreestanding -Wall -Wextra -c "$folder/board/rv.c" -o "$folder/rv.o" 2>"$scratch/err"
	report $? "RV32IMAC compiles it"
else
	skip "RV32IMAC" "no riscv64-unknown-elf-gcc"
fi
plan
