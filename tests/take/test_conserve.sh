#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_conserve.sh BUILD   Random programs with the consumer of a taken row, drawn by seed (conserve.c): what they
# record is read, lost, unwritten or a stray, exactly. CONSERVE_SEEDS: how many (16; 1000 with ALL=1). TAP.
. tests/support/tap.sh
build=$1
folder=$scratch/take
mkdir -p "$folder"
seeds=${CONSERVE_SEEDS:-$([ "${ALL:-0}" = 0 ] && echo 16 || echo 1000)}

made() { # OUT ROW COMPILER-WORDS...
	out=$1 row=$2
	shift 2
	"$@" -I. -I"$folder" -DHEADER="\"${row}_trace.h\"" -DPREFIX="$row" -DUPPER="$(echo "$row" | tr '[:lower:]' '[:upper:]')" \
		tests/take/conserve.c -pthread -o "$out" 2>"$scratch/err"
}
# Two at a time; what the first that fails has said.
conserves() { # NAME PROGRAM FIRST LAST
	seq "$3" "$4" | xargs -P 2 -I{} sh -c 'mkdir "$2/seed{}" && timeout 120 "$1" "$2/seed{}" {} >"$2/said{}" 2>&1 ||
		echo {} >>"$2/failed"; rm -rf "$2/seed{}"' - "$2" "$scratch"
	[ ! -s "$scratch/failed" ]
	report $? "$1, seeds $3 to $4: $(cat "$scratch"/said* | awk '/^recorded/ { for (i = 1; i < NF - 2; i += 2) sum[$i] += $(i + 1) }
		END { for (one in sum) printf "%s %d ", one, sum[one] }')"
	for one in $(head -3 "$scratch/failed" 2>/dev/null); do head -4 "$scratch/said$one" | sed "s/^/# seed $one: /"; done
	rm -f "$scratch/failed" "$scratch"/said*
}

[ "${ALL:-0}" = 0 ] && rows=packed_word || rows="packed_word varint_low full_tsc three_read packed_upper extended_header"
for row in $rows; do
	upper=$(echo "$row" | tr '[:lower:]' '[:upper:]')
	take_header "$row" && sed -i "s/\t${row}_trace_thread_write(/\tJOINED &/" "$folder/${row}_trace.h" && made "$scratch/plain" "$row" "${CC:-gcc}" -std=gnu11 -O2 -Wall -Wextra -Werror &&
		made "$scratch/small" "$row" "${CC:-gcc}" -std=gnu11 -O2 -D"${upper}"_COUNT_SHIFT=1 -D"${upper}"_SUBBUF_SHIFT=9 -D"${upper}"_THREADS=6 &&
		made "$scratch/large" "$row" "${CC:-gcc}" -std=gnu11 -O2 -D"${upper}"_COUNT_SHIFT=2 -D"${upper}"_SUBBUF_SHIFT=14
	report $? "$row is cut and compiled"
	head -5 "$scratch/err" | sed 's/^/# /'
	[ "$row" = packed_word ] && many=$seeds || many=$((seeds / 4))
	conserves "$row" "$scratch/plain" 1 "$many"
	conserves "$row, rings of a KiB" "$scratch/small" 10001 $((10000 + many / 2))
	conserves "$row, packets of 16 KiB" "$scratch/large" 20001 $((20000 + many / 4))
done
export TSAN_OPTIONS=die_after_fork=0
for which in $([ "${ALL:-0}" = 0 ] || echo thread address,undefined); do
	made "$scratch/clean" packed_word clang -std=gnu11 -g -O1 -fsanitize=$which -fno-sanitize-recover=all &&
		conserves "packed_word, -fsanitize=$which" "$scratch/clean" 30001 $((30000 + seeds / 8))
done
plan
