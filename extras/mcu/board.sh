#!/bin/sh
# SPDX-License-Identifier: MIT
# board.sh BOARD FOLDER ROW EVENTS [price]: builds the program of extras/mcu for a board, runs it in
# qemu, and leaves `truth` and `decoded` in FOLDER (docs/tracers/README.md). Exit status 4: no
# compiler or no qemu here. NESTED=N: goes on until N events have interrupted another one, too.
# PLANT=DIR: headers in DIR come before those of the tree.
top=$(cd "$(dirname "$0")/../.." && pwd)
board=$1 out=$2 row=$3 events=$4 price=
[ "${5:-}" != price ] || price=yes # EVENTS are priced, and not judged
build=${BUILD:-$top/build}

needs() {
	command -v "$1" >/dev/null && return
	echo "stampede: no $1 (package $2), so the board $board is not run" >&2
	exit 4
}

pause=900 # at most as many ticks between interrupts of a level: slower code would do nothing else
case $board in
m3 | m0)
	needs arm-none-eabi-gcc gcc-arm-none-eabi
	needs qemu-system-arm qemu-system-arm
	cross=arm-none-eabi source=mps2 machine=mps2-an385
	case $board in m3) cpu="-mthumb -mcpu=cortex-m3" ;; *) cpu="-mthumb -mcpu=cortex-m0plus" pause=2500 ;; esac
	qemu="qemu-system-arm -M $machine"
	;;
rv32)
	needs riscv64-unknown-elf-gcc gcc-riscv64-unknown-elf
	needs qemu-system-riscv32 qemu-system-misc
	cross=riscv64-unknown-elf source=virt cpu="-march=rv32imac_zicsr -mabi=ilp32 -mcmodel=medany"
	pause=1300
	qemu="qemu-system-riscv32 -M virt -bios none -rtc clock=vm"
	;;
*)
	echo "stampede: no board '$board'; there are m3, m0 and rv32" >&2
	exit 1
	;;
esac
header=packed_word recorder=row tracer=
case $row in
packed_word32) bits="-DPACKED_WORD32 -DSTAMP_BITS=27 -DCOUNTER_BITS=32" ;;
packed_word32_24) bits="-DPACKED_WORD32 -DSTAMP_BITS=19 -DCOUNTER_BITS=24" ;;
packed_word32_16) bits="-DPACKED_WORD32 -DSTAMP_BITS=11 -DCOUNTER_BITS=16" ;;
delta_masked) bits="-DSTAMP_BITS=27 -DCOUNTER_BITS=32" header=delta_sync ;;
accumulated) bits="-DSTAMP_BITS=32 -DCOUNTER_BITS=32 -DTIME_BITS=64" header=accumulated ;;
barectf) bits="-DSTAMP_BITS=27 -DCOUNTER_BITS=32" recorder=barectf ;;
*)
	echo "stampede: no row '$row' on a board" >&2
	exit 1
	;;
esac
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
: >"$work/time.h" # a board has a clock of its own
common="$bits -std=gnu11 -Wall -Wextra -DSTAMPEDE_TIMED
	-DRING_TIMED_SUBBUF_SHIFT=10 -DRING_TIMED_COUNT_SHIFT=2 -DROW_HEADER=\"schemes/$header.h\""
own="-O2 -g -Wno-maybe-uninitialized $cpu -ffreestanding -nostdlib -DLOCAL_BITS=32 -DCLOCK_GIVEN=\"extras/mcu/clock.h\"
	-DEVENTS=$events -DNESTED=${NESTED:-1} -DPAUSE=$pause ${price:+-DPRICE}"
cd "$top" || exit 3
if [ $recorder = barectf ]; then
	tracer=$work/tracer.o
	sh extras/foreign/barectf/prepare.sh "$work" 2>"$work/said" || { cat "$work/said" >&2 && exit 4; }
	# shellcheck disable=SC2086
	$cross-gcc -Iextras/mcu/shim $own -c "$work/barectf.c" -o "$tracer" &&
		$cross-objcopy --rename-section .text=reserve_text "$tracer" || exit 1
fi
# shellcheck disable=SC2086
$cross-gcc ${PLANT:+-I"$PLANT"} -Iextras/mcu/shim -I"$work" -I. $common $own -DRECORDER="\"extras/mcu/$recorder.h\"" \
	-Wl,--no-warn-rwx-segments -T extras/mcu/$source.ld extras/mcu/record.c $tracer extras/mcu/calls.c \
	extras/mcu/semihost.c extras/mcu/$source.c schemes/core/ring.c -lgcc -o "$work/board.elf" || exit 1
# shellcheck disable=SC2086
cc -O2 -I. $common extras/mcu/decode.c schemes/core/ring.c "$build/libbase.a" -o "$work/decode" || exit 1
cd "$work" || exit 3
# With -icount a timer may end at any instruction, not only where qemu's blocks of code end; an
# instruction takes 2^shift ns, so that shift=5 is the board's 25 MHz, near enough.
mkfifo monitor
$qemu -display none -serial none -monitor stdio -icount "shift=$([ -n "$price" ] && echo 0 || echo 5),sleep=off" \
	-semihosting-config enable=on,target=native -kernel board.elf <monitor >said 2>&1 &
exec 3>monitor
left=$((${SECONDS_MOST:-250} * 5))
while kill -0 $! 2>/dev/null && [ $left -gt 0 ]; do
	sleep 0.2
	left=$((left - 1))
done
if [ $left = 0 ]; then
	printf 'info registers\nquit\n' >&3
	wait
	code="no end; its registers are above"
else
	wait $!
	code=$?
fi
[ "$code" = 0 ] || {
	sed 's/.*(qemu) //; /^QEMU/d; /\x1b/d' said >&2
	echo "stampede: board $board, $row: $code" >&2
	exit 1
}
all=$($cross-objdump -d -j .row board.elf | grep -v '\.word' | grep -c '^ *[0-9a-f]*:')
./decode board.bin "$out" "$all" || exit 1
[ -z "$price" ] || $cross-size -A board.elf | awk '$1 == ".row" { print $2 " bytes of code" }'
