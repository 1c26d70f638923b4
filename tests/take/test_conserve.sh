#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_conserve.sh BUILD   Random programs with the consumer of a taken row, drawn by seed (conserve.c): what they
# record is read, lost, unwritten or a stray, exactly. CONSERVE_SEEDS: how many (16; 64 with ALL=1). TAP.
. tests/support/tap.sh
build=$1
folder=$scratch/take
mkdir -p "$folder"
seeds=${CONSERVE_SEEDS:-$([ "${ALL:-0}" = 0 ] && echo 16 || echo 64)}

made() { # OUT ROW COMPILER-WORDS...
	out=$1 row=$2
	upper=$(echo "$row" | tr '[:lower:]' '[:upper:]')
	shift 2
	"$@" -I. -I"${from:-$folder}" -DHEADER="\"${row}_trace.h\"" -DPREFIX="$row" -DUPPER="$upper" tests/take/conserve.c -pthread \
		-o "$out" 2>"$scratch/err"
}
# Two at a time, until one fails, which is in $scratch/failed.
runs() { # PROGRAM FIRST LAST
	rm -f "$scratch/failed" "$scratch"/said*
	seq "$2" "$3" | xargs -P 2 -I{} sh -c 'mkdir "$2/seed{}" && timeout 120 "$1" "$2/seed{}" {} >"$2/said{}" 2>&1 ||
		{ echo {} >>"$2/failed"; exit 255; }; rm -rf "$2/seed{}"' - "$1" "$scratch" 2>/dev/null
	rm -rf "$scratch"/seed*
	[ ! -s "$scratch/failed" ]
}
conserves() { # NAME PROGRAM FIRST LAST
	runs "$2" "$3" "$4"
	report $? "$1, seeds $3 to $4: $(cat "$scratch"/said* | awk '/^recorded/ { for (i = 1; i < NF - 2; i += 2) sum[$i] += $(i + 1) }
		END { for (one in sum) printf "%s %d ", one, sum[one] }')"
	for one in $(head -3 "$scratch/failed" 2>/dev/null); do head -4 "$scratch/said$one" | sed "s/^/# seed $one: /"; done
}
gcc="${CC:-gcc} -std=gnu11 -O2"
# Between the last complete packet and the copy of the open one a consumer may wait for its CPU.
slow() { sed -i "s/^\t$1_ring_readable(/\tusleep(1500);\n&/; s/\b$1_copy(&slot->t, end/usleep(500) ? 0 : &/" "$from/$1_trace.h"; }

[ "${ALL:-0}" = 0 ] && rows=packed_word || rows="packed_word varint_low full_tsc three_read packed_upper extended_header"
for row in $rows; do
	upper=$(echo "$row" | tr '[:lower:]' '[:upper:]')
	# shellcheck disable=SC2086
	take_header "$row" && made "$scratch/plain" "$row" $gcc -Wall -Wextra -Werror &&
		made "$scratch/small" "$row" $gcc -D"${upper}"_COUNT_SHIFT=1 -D"${upper}"_SUBBUF_SHIFT=9 -D"${upper}"_THREADS=6 &&
		made "$scratch/large" "$row" $gcc -D"${upper}"_COUNT_SHIFT=2 -D"${upper}"_SUBBUF_SHIFT=14
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
# Rings of CPUs, and threads that move.
for row in $([ "$(uname -m)" != x86_64 ] || echo packed_word_locked_fenced restartable_full) $([ "${ALL:-0}" = 0 ] ||
	echo restartable full_tsc_locked_fenced three_read_locked_fenced extended_header_locked_fenced); do
	upper=$(echo "$row" | tr '[:lower:]' '[:upper:]')
	# shellcheck disable=SC2086
	take_header "$row" && made "$scratch/cpus" "$row" $gcc -D"$upper"_PER_CPU=1 -Wall -Wextra -Werror &&
		made "$scratch/tight" "$row" $gcc -D"$upper"_PER_CPU=1 -D"$upper"_COUNT_SHIFT=1 &&
		made "$scratch/few" "$row" $gcc -D"$upper"_PER_CPU=1 -D"$upper"_THREADS=1
	report $? "$row, a ring for each CPU: compiled"
	conserves "$row, rings of CPUs" "$scratch/cpus" 40001 $((40000 + seeds / 4))
	conserves "$row, rings of CPUs, of two packets" "$scratch/tight" 50001 $((50000 + seeds / 8))
	conserves "$row, a ring for one CPU" "$scratch/few" 60001 $((60000 + seeds / 8))
done

# ---- faults ----

faulty() { # NAME ROW WORDS FILE SED: at least one seed of 216 fails; under load few writers run at the same time as the consumer
	from=$scratch/faulty name=$1 row=$2 words=$3 header=$2$4.h script=$5
	rm -rf "$from" && mkdir "$from" && cp "$folder/$row"*.h "$from" && sed -i "$script" "$from/$header" &&
		! cmp -s "$from/$header" "$folder/$header" && { [ -z "$4" ] || slow "$row"; }
	# shellcheck disable=SC2086
	made "$scratch/bad" "$row" $gcc $words && { ! runs "$scratch/bad" 1 24 || ! runs "$scratch/bad" 25 72 || ! runs "$scratch/bad" 73 216; }
	report $? "seen: $name: $(head -1 "$scratch/said$(head -1 "$scratch/failed" 2>/dev/null)" 2>/dev/null)"
	head -5 "$scratch/err" | sed 's/^/# /'
	from=
}
faulty "nothing but a slow consumer" packed_word "-DPACKED_WORD_SUBBUF_SHIFT=9 -DPACKED_WORD_COUNT_SHIFT=6" _trace 's/$/ /' >"$scratch/none"
grep -q '^not ok' "$scratch/none"
report $? "a consumer that is slow conserves them"
while IFS='|' read -r name row words header script; do
	faulty "$name" "$row" "$words" "$header" "$script"
done <"$(table conserve_faults)"
plan
