#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_programs.sh BUILD   A preloaded tracer records what a program does, threads and all, and its times are
# right; planted faults are seen; what cannot be traced is one line. TAP.
. tests/support/tap.sh
build=$1
programs="python3 -B extras/programs/programs.py $build"
${CC:-gcc} -O1 -fno-builtin -pthread tests/programs/traced.c -o "$scratch/traced" &&
	${CC:-gcc} -O1 -fno-builtin -pthread -static tests/programs/traced.c -o "$scratch/static" &&
	${CC:-gcc} -O1 -fno-builtin -pthread -finstrument-functions tests/programs/traced.c -o "$scratch/hooks" || exit 1

# traces NAME LIBRARY "LEAST MOST" CONDITION COMMAND...: one process has as many events, and $read and $wrong are so.
traces() {
	name=$1 library=$2 events=$3 condition=$4
	shift 4
	rm -f "$scratch/events"
	timeout 20 env STAMPEDE_CHECK=1 STAMPEDE_FILE="$scratch/events" LD_PRELOAD="$library" "$@"
	read -r counted read bytes wrong <"$scratch/events"
	[ "$(wc -l <"$scratch/events")" -eq 1 ] && [ "$counted" -ge "${events% *}" ] && [ "$counted" -le "${events#* }" ] &&
		eval "[ $condition ]"
	report $? "$name"
}

# Of 1000 allocations 100 are made larger: 2200 events, two times in each of three threads; the child's are not
# recorded. What the C library allocates for a thread it frees at the end, or keeps.
for row in packed_word varint_low full_tsc; do
	library=$build/programs/preload.$row.so
	traces "$row: malloc in threads: all events are read, and right" "$library" "13200 13220" \
		'$read -eq $counted -a $wrong -eq 0' "$scratch/traced"
	traces "$row: of a full ring the newest, without a hole" "$library" "66000 66000" \
		'$read -gt 20000 -a $read -lt 60000 -a $bytes -lt 1200000 -a $wrong -eq 0' "$scratch/traced" many
done
# The entries of main, thread and allocate, and as many exits: 20 more, and main's own.
traces "functions: entries and exits, too" "$library" "13220 13242" '$read -eq $counted -a $wrong -eq 0' "$scratch/hooks"
traces "who only interposes counts as many" "$build/programs/preload.none.so" "66000 66000" '$read -eq 0' "$scratch/traced" many

# faulty NAME SED: the header changed so: the check sees it.
faulty() {
	mkdir -p "$scratch/faulty" && cp "$build/take/packed_word_reader.h" "$scratch/faulty"
	sed "$2" "$build/take/packed_word.h" >"$scratch/faulty/packed_word.h"
	! cmp -s "$scratch/faulty/packed_word.h" "$build/take/packed_word.h"
	report $? "$1: applies"
	${CC:-gcc} -std=gnu11 -O2 -D_GNU_SOURCE -w -I. -fPIC -shared -fvisibility=hidden -fno-builtin-malloc \
		-fno-builtin-calloc -pthread -DROW=packed_word -DHEADER="\"$scratch/faulty/packed_word_reader.h\"" \
		extras/programs/preload.c -o "$scratch/faulty.so" -ldl
	traces "$1: is seen" "$scratch/faulty.so" "13200 13220" '$wrong -gt 0' "$scratch/traced"
}
faulty "a gap longer than the field is not seen" \
	's/packed_word_unlikely((packed_word_packed_upper(ring, stamp) ^ tail) >> packed_word_ring_packed_bits(ring) ||/packed_word_unlikely(/'
faulty "a stamp without its upper bits" \
	's/(stamp & packed_word_bits_mask(bits)) << PACKED_WORD_CTF_ID_BITS/(stamp \& packed_word_bits_mask(bits - 12)) << PACKED_WORD_CTF_ID_BITS/'
faulty "payloads that are not written" 's/memcpy(rsv->payload, src->payload, len);/(void)rsv; (void)src; (void)len;/'

# ---- the command ----

$programs --programs "" --command "crash=$scratch/traced crash" --command "static=$scratch/static" \
	--command "mine=$scratch/traced many" --rows "packed_word full_tsc" --check-only >"$scratch/out" 2>"$scratch/err" &&
	grep -q '^stampede: crash is left out: ended by signal 11$' "$scratch/err" &&
	grep -q '^stampede: static is left out: the library did not attach' "$scratch/err" &&
	grep -q '^# mine packed_word: 66000 events, the newest [0-9]* were read: 0 wrong$' "$scratch/out"
report $? "one that crashes and one that is static are a line each, and others are checked nonetheless"
if command -v hyperfine >/dev/null; then
	$programs --programs "" --command "mine=$scratch/traced many" --rows "packed_word full_tsc" --rounds 2 \
		>"$scratch/out" 2>"$scratch/err"
	report $? "a program is measured"
	[ "$(grep -c '^|' "$scratch/out")" = 6 ] && grep -q '^|  | `full_tsc` | .* | .* | .* | 28\.' "$scratch/out"
	report $? "as a table of Markdown: a line for each tracer"
	grep -q '^| mine: 0.07 M events in [0-9]* ms | nothing, against itself | [-0-9.]* |  |  |  |$' "$scratch/out"
	report $? "the first has its name, and all their events; of two rounds there is no interval"
else
	skip "a program is measured" "no hyperfine"
fi
python3 -c '
import sys
sys.path.insert(0, "extras/programs")
from programs import results
one = {("untraced", None): 0.9, ("again", None): 1.1, ("none", "none"): 1.2, ("a", "a"): 1.5, ("b", "b"): 2.0}
found = results([{key: factor * cpu for key, cpu in one.items()} for factor in [1] * 6 + [2]],
                {"none": 1000000, "a": 1000000, "b": 1000000}, ["a", "b"])
its = [[round(one[key][0]) if one.get(key) else None for key in ("percent", "more_percent", "ns")] for one in found]
assert its == [[20, None, None], [20, None, None], [50, None, 300], [100, 50, 800]], its'
report $? "slow-downs against both untraced runs of a round, and those against each other"
plan
