#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_mcu.sh BUILD   Rows on boards in qemu are kept, each planted fault is found, and a board that hangs
# or faults says where. TAP.
. tests/support/tap.sh
build=$(cd "$1" && pwd)
board=extras/mcu/board.sh

# The broken promises of a row on a board, with headers in $scratch/plant changed by sed; and how many nested.
judged() { # BOARD ROW [HEADER SED]...
	rm -rf "$scratch/plant"
	one=$1 row=$2
	shift 2
	while [ $# != 0 ]; do
		mkdir -p "$(dirname "$scratch/plant/$1")"
		sed "$2" "$1" >"$scratch/plant/$1"
		cmp -s "$1" "$scratch/plant/$1" && echo "nothing is planted"
		shift 2
	done
	BUILD=$build PLANT=$scratch/plant "$build/judge-tracer" --events 30000 --workload $row --json "$scratch/json" \
		"./extras/tracers/mcu_$one/" >"$scratch/out" 2>"$scratch/err" || [ $? = 2 ] || cat "$scratch/err"
	python3 - "$scratch/json" "$scratch/out" <<-END
		import json, re, sys
		promises = json.load(open(sys.argv[1]))[0]["promises"]
		depth = [int(n) for n in re.search("depth ([0-9 ]+);", open(sys.argv[2]).read())[1].split()]
		print(*[name for name, one in promises.items() if one["seen"]],
		      "deep" if depth[1] > 2000 and depth[3] else "flat", sep=" ")
	END
}

for one in m3 m0 rv32; do
	said=$(BUILD=$build sh $board $one "$scratch" packed_word32 1000 2>&1 >/dev/null)
	case $? in
	4) skip "board $one" "${said#stampede: }" && continue ;;
	esac
	for row in packed_word32 packed_word32_24 packed_word32_16 delta_masked accumulated; do
		[ $one != m0 ] || [ $row = packed_word32 ] || continue
		said=$(judged $one $row)
		[ "$said" = deep ]
		report $? "$one $row is kept, three interrupts deep: $said"
	done
done
if command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null; then
	# A ring that begins 64 KiB before 4 GiB: its slots hold the last numbers before.
	late='s/^#define SCHEME_START .*/#define SCHEME_START late_start(s)/; /^static inline struct reservation delta_place/i \
static void late_start(struct scheme_ring *s)\
{\
	uint32_t i, first = (1 << 22) - 64;\
	s->ring.tail = first << 10;\
	s->ring.consumed = first;\
	for (i = first - 4; i != first; i++) {\
		s->ring.subbufs[i \& 3].number = i;\
		s->ring.subbufs[i \& 3].commits = (i \/ 4 + 1) << 10;\
	}\
	s->last = 0;\
}\

'
	said=$(judged m3 delta_masked schemes/delta_sync.h "$late")
	[ "$said" = deep ]
	report $? "an offset of 32 bits goes on behind 4 GiB: $said"
	said=$(judged m3 delta_masked schemes/delta_sync.h "$late" schemes/core/ring_offset.h 's/^#if LOCAL_BITS == 32/#if 0/')
	case $said in *losses*) true ;; *) false ;; esac
	report $? "an offset whose upper bits are forgotten: $said"
	while IFS=@ read -r name wanted row header script; do
		said=$(judged m3 "$row" "$header" "$script" </dev/null)
		case $said in $wanted) true ;; *) false ;; esac
		report $? "$name: $said"
	done <"$(table mcu_faults)"
	for i in 1 2; do
		BUILD=$build sh $board m3 "$scratch" packed_word32 20000 >"$scratch/run$i" && cat "$scratch/decoded" >>"$scratch/run$i"
		BUILD=$build sh $board m3 "$scratch" packed_word32 20000 price >>"$scratch/run$i"
	done
	cmp "$scratch/run1" "$scratch/run2" && grep -q 'instructions per event' "$scratch/run1"
	report $? "two runs are the same to the instruction"
	# The lines of make test-mcu.
	said=$(BUILD=$build PLANT=$scratch/plant sh extras/mcu/boards.sh 3000 m3 2>/dev/null)
	code=$?
	[ $code = 2 ] && [ "$(echo "$said" | grep -c '^m3 packed.* losses broken .* times,.*instructions per event; .*of code$')" = 3 ] &&
		[ "$(echo "$said" | grep -c '^m3 \(delta_masked\|accumulated\):.* losses kept')" = 2 ]
	report $? "a line for each row, and exit status 2 if one breaks a promise"
	if command -v barectf >/dev/null; then
		said=$(judged barectf barectf)
		[ "$said" = "order whole losses deep" ]
		report $? "barectf's C is interrupted where it must not be: $said"
		mkdir "$scratch/fake"
		fake "$scratch/fake/barectf" <<'END'
PATH=${PATH#*:}
barectf "$@" && sh "$TREE/extras/foreign/repair.sh" "$TREE/extras/foreign/barectf/repair.sed" barectf.c
END
		said=$(TREE=$PWD PATH=$scratch/fake:$PATH judged barectf barectf)
		[ "$said" = deep ]
		report $? "it is right if it enters its section first, and the compiler keeps that: $said"
	else
		skip "barectf on a board" "no barectf (package python3-barectf)"
	fi
	mkdir -p "$scratch/hang/schemes/parts" "$scratch/fault/schemes/parts"
	word=schemes/parts/packed32.h
	sed 's/^	local_uint next = .*/&\n	while (!(stamp \& 0x30));/' $word >"$scratch/hang/$word"
	sed 's/^	local_uint next = .*/&\n	*(volatile uint32_t *)0xf0000000 = 1;/' $word >"$scratch/fault/$word"
	said=$(BUILD=$build PLANT=$scratch/hang SECONDS_MOST=1 sh $board m3 "$scratch" packed_word32 20000 2>&1)
	[ $? = 1 ] && case $said in *R15=*"no end"*) true ;; *) false ;; esac
	report $? "a board that hangs says its registers"
	said=$(BUILD=$build PLANT=$scratch/fault sh $board m3 "$scratch" packed_word32 20000 2>&1)
	[ $? = 1 ] && case $said in *"board: fault"*pc*) true ;; *) false ;; esac
	report $? "a fault says its registers"
fi
mkdir "$scratch/bin"
for tool in sh dirname; do ln -s "$(command -v $tool)" "$scratch/bin/"; done
said=$(PATH=$scratch/bin sh $board m3 "$scratch" packed_word32 1000 2>&1)
[ $? = 4 ] && [ "$(echo "$said" | wc -l)" = 1 ]
report $? "no compiler: $said"
plan
