#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_take.sh BUILD   Schemes as headers of their own: clean with both compilers in C and C++,
# right in a program of their own, and the same code, counts and verdicts where they come back as
# rows. TAP.
. tests/support/tap.sh
build=$1
folder=$scratch/take
mkdir -p "$folder"

# ---- a made-up suite, and what becomes of it ----

tree=$scratch/tree python=$(python3 -c 'import sys; print(sys.executable)')
sed -n 's/^= //p' tests/data/cut_tree.txt | while read -r name; do
	mkdir -p "$tree/$(dirname "$name")" && sed "1,\\|^= $name\$|d;/^= /,\$d" tests/data/cut_tree.txt >"$tree/$name"
done
cp extras/take/take.py extras/take/prune.py "$tree/extras/take/"
cut() {
	"$python" -B extras/take/take.py "$@" 2>&1 || echo "exit code $?"
}
(
	cd "$tree" && mkdir bin && cut && cut known twig && cut known twi && cut known gone && cut scheme twig
	for row in twig restart; do
		mkdir $row && cut scheme $row $row && mv facts/$row $row/facts
		# shellcheck disable=SC2046
		cut header $row $row $row/facts $([ $row = restart ] || echo facts/run) && tail -n +1 $row/*.[ch]
	done
	unifdef=$(command -v unifdef) PATH=$PWD/bin
	cut scheme twig bin
	/bin/ln -s "$unifdef" bin/ && cut scheme twig bin
	for tool in ctags unifdef; do
		printf '#!/bin/sh\necho of %s >&2\nexit 2\n' $tool >bin/.new && /bin/chmod +x bin/.new && /bin/mv bin/.new bin/$tool && cut scheme twig bin
	done
) | diff tests/data/cut_headers.txt - >"$scratch/err"
told $? "a made-up suite: each header is what it was when it was read last"

# ---- in a program of its own ----

# ROW and the bytes of its record of 8.
for row in packed_word:12 varint_low:11 extended_header:12; do
	bytes=${row#*:} row=${row%:*}
	upper=$(echo "$row" | tr '[:lower:]' '[:upper:]')
	take_header "$row" 2>"$scratch/err"
	report $? "$row is cut"
	for compiler in "${CC:-gcc} -std=c11" "clang -std=c11" "g++ -std=c++17 -x c++" \
		"clang++ -std=c++17 -x c++"; do
		# The whole table for one, and of the others what differs most.
		case $row:$compiler in
		packed_word:* | *:*c11 | *:clang++*) ;;
		*) continue ;;
		esac
		command -v "${compiler%% *}" >/dev/null || {
			skip "$row: $compiler" "no ${compiler%% *}"
			continue
		}
		# A ring that holds all that the example records: with 1 MiB a reader that waits for a CPU loses some.
		# shellcheck disable=SC2086
		(cd "$folder" && $compiler -O2 -Wall -Wextra -Wpedantic -Wconversion -Wcast-align -Wshadow -Werror \
			-D"${upper}_COUNT_SHIFT=11" "${row}_example.c" -pthread -o "$row") 2>"$scratch/err"
		told $? "$row: no warning of $compiler"
	done
	mkdir "$scratch/trace" && (cd "$scratch/trace" && timeout 60 "$folder/$row")
	report $? "its example runs"
	# Decoded time and the stamp in the payload, by another reader.
	if [ "$row" = varint_low ] && ! babeltrace2 --version 2>/dev/null | grep -q ' 2\.[1-9]'; then
		skip "$row: each time is the stamp taken" "babeltrace2 2.1 reads CTF 2"
	elif command -v babeltrace2 >/dev/null; then
		"$build/read-trace" "$scratch/trace" >"$scratch/read" 2>&1 &&
			! grep -q 'discarded' "$scratch/read" &&
			grep -q '/0: 202000 events' "$scratch/read" &&
			grep -q '/1: 200000 events' "$scratch/read"
		report $? "and read-trace reads each event"
		babeltrace2 --clock-cycles "$scratch/trace" 2>/dev/null >"$scratch/events"
		awk '/ work: / { t = $1; gsub(/[^0-9]/, "", t); s = $0; sub(/.*stamp = /, "", s)
				 sub(/[^0-9].*/, "", s); all++; if (t + 0 != s + 0) bad++ }
		     END { exit !(all == 400000 && !bad) }' "$scratch/events"
		report $? "$row: each time is the stamp taken, says babeltrace2"
	else
		skip "$row: each time is the stamp taken" "no babeltrace2"
	fi
	rm -rf "$scratch/trace"
	for size in "8 1" "8 4" "12 2" "14 8"; do
		# All sizes for one, the smallest and a common one for the others.
		case $row:$size in
		packed_word:* | *:8\ 1 | *:12\ 2) ;;
		*) continue ;;
		esac
		${CC:-gcc} -std=c11 -O1 -I. -I"$folder" -DHEADER="\"${row}_reader.h\"" -DPREFIX="$row" -DUPPER="$upper" \
			-DSUBBUF_SHIFT="${size% *}" -DCOUNT_SHIFT="${size#* }" -DRECORD="$bytes" \
			-D"${upper}_SUBBUF_SHIFT=${size% *}" -D"${upper}_COUNT_SHIFT=${size#* }" \
			tests/take/use.c -o "$scratch/use" && timeout 60 "$scratch/use" 2>"$scratch/err"
		told $? "$row refuses, counts and holds as it says: log2 of sizes $size"
	done
done

# What gcc warns of depends on the level.
for row in packed_word full_tsc; do
	take_header "$row" 2>"$scratch/err"
	for level in -O0 -Og -O1 -Os -O3; do
		(cd "$folder" && ${CC:-gcc} -std=c11 $level -Wall -Wextra -Wpedantic -Wconversion -Werror -c "${row}_example.c" \
			-o "$row.o") 2>"$scratch/err"
		told $? "$row: no warning of ${CC:-gcc} $level"
	done
done

# What a user can do wrong.
for row in packed_word varint_low extended_header; do
	upper=$(echo "$row" | tr '[:lower:]' '[:upper:]')
	for compiler in "${CC:-gcc} -std=c11 -DNDEBUG -fsanitize=address,undefined" "g++ -std=c++17 -x c++"; do
		rm -rf "$scratch/trace" && mkdir "$scratch/trace"
		# shellcheck disable=SC2086
		$compiler -O1 -Wall -Wextra -Werror -I. -I"$folder" -DHEADER="\"${row}_reader.h\"" -DPREFIX="$row" \
			-DUPPER="$upper" tests/take/misuse.c -o "$scratch/misuse" 2>"$scratch/err" &&
			(cd "$scratch/trace" && "$scratch/misuse") >"$scratch/said" 2>>"$scratch/err"
		told $? "$row: each misuse has its error, and no event before or behind it is lost (${compiler%% *})"
	done
	case $row in varint_low) continue ;; esac
	command -v babeltrace2 >/dev/null || continue
	babeltrace2 "$scratch/trace" 2>/dev/null | sed -n 's/.* good: .*number = \([0-9]*\)[^0-9].*/\1/p' >"$scratch/good"
	seq 0 $(($(sed 's/.* misuses, \([0-9]*\) .*/\1/' "$scratch/said") - 1)) | cmp -s - "$scratch/good"
	report $? "$row: babeltrace2 reads each of them, in order: $(cat "$scratch/said")"
done
# An id that the scheme has itself.
take_header three_read
cat >"$scratch/own.c" <<'END'
#include "three_read.h"
static struct three_read_tracer ring;
static int opens(uint32_t id)
{
	const struct three_read_event_type type = { "a", "", id, 0 };
	const struct three_read_options options = { &type, 1, 0, false, 0 };
	return three_read_open(&ring, &options);
}
int main(void) { return opens(28) != THREE_READ_TWICE || opens(29); }
END
${CC:-gcc} -std=c11 -I"$folder" "$scratch/own.c" -o "$scratch/own" && "$scratch/own"
report $? "three_read refuses the id of its own event"
# What the compiler can know it says.
refused() { # what it is, words of the compiler, C text, option
	printf '%s\n#include "packed_word.h"\n%s\nint main(void) { return 0; }\n' "${4:-}" "$3" >"$scratch/wrong.c"
	! ${CC:-gcc} -std="${5:-c11}" -Werror=incompatible-pointer-types -I"$folder" -c "$scratch/wrong.c" -o "$scratch/wrong.o" 2>"$scratch/err" &&
		grep -q "$2" "$scratch/err"
	report $? "the compiler refuses $1"
	compiled=$((compiled + 1))
}
compiled=0
EVENT=PACKED_WORD_EVENT
refused "an id that is too large" "its id is 0 to 599" "#define A(F) F(u8, a)
$EVENT(a, 600, A);"
refused "a payload that never fits" "event a never fits a sub-buffer" "#define A(F) F(text, a, 5000)
$EVENT(a, 1, A);"
refused "a kind of field that is none" "F_KIND_u9" "#define A(F) F(u9, a)
$EVENT(a, 1, A);"
refused "two events of one name" "redefinition" "#define A(F) F(u8, a)
$EVENT(a, 1, A); $EVENT(a, 2, A);"
refused "a field too few" "too few arguments" "#define A(F) F(u8, a) F(u8, b)
$EVENT(a, 1, A); int f(void) { return a_write(0, 1); }"
refused "a field too many" "too many arguments" "#define A(F) F(u8, a)
$EVENT(a, 1, A); int f(void) { return a_write(0, 1, 2); }"
refused "an array of the wrong type" "incompatible" "#define A(F) F(seq, a, u32)
$EVENT(a, 1, A); int f(uint16_t *p) { return a_write(0, p, 2); }"
refused "an id below 0" "its id is 0 to 599" "#define A(F) F(u8, a)
$EVENT(a, -1, A);"
refused "a text of no bytes" "text a has no byte" "#define A(F) F(text, a, 0)
$EVENT(a, 1, A);"
refused "an enumeration without labels" "enumeration a has no labels" "#define A(F) F(enumeration, a, \"\")
$EVENT(a, 1, A);"
refused "an array of strings" "F_OF_STRING" "#define A(F) F(seq, a, string)
$EVENT(a, 1, A);"
refused "a sub-buffer of 128 bytes" "256 bytes to 256 KiB" "" "#define PACKED_WORD_SUBBUF_SHIFT 7"
refused "a sub-buffer of 512 KiB" "256 bytes to 256 KiB" "" "#define PACKED_WORD_SUBBUF_SHIFT 19"
refused "a ring of one sub-buffer" "2 to 65,536" "" "#define PACKED_WORD_COUNT_SHIFT 0"
refused "a ring of 512 MiB" "at most 256 MiB" "" "#define PACKED_WORD_SUBBUF_SHIFT 17
#define PACKED_WORD_COUNT_SHIFT 12"
refused "a CPU that cannot, in one line" "no compare-and-swap of 64 bits" "" "#undef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_8"
refused "C99" "needs C11" "" "" c99
called=$(sed 's/ misuses.*//' "$scratch/said")
[ $((called + compiled)) -ge 60 ]
report $? "$((called + compiled)) misuses are refused, each by name: $called by calls, $compiled by the compiler; at least 60"

# ThreadSanitizer sees two writers, handlers and a reader, in two rings and, where they may, in one.
take_header packed_word_locked_fenced
for row in packed_word:2 varint_low:2 packed_word_locked_fenced:1; do
	rings=${row#*:} row=${row%:*}
	upper=$(echo "$row" | tr '[:lower:]' '[:upper:]')
	for compiler in "${CC:-gcc}" clang; do
		# Both for one.
		[ "$row-$compiler" != varint_low-clang ] && [ "$row-$compiler" != packed_word_locked_fenced-clang ] || continue
		$compiler -std=gnu11 -g -O1 -fsanitize=thread -Werror -I. -I"$folder" -DHEADER="\"${row}_reader.h\"" \
			-DPREFIX="$row" -DUPPER="$upper" -DRINGS="$rings" tests/take/threads.c -pthread -o "$scratch/tsan" 2>"$scratch/err"
		report $? "$row: compiled for ThreadSanitizer ($compiler)"
		for mode in "" overwrite; do
			timeout 120 "$scratch/tsan" $mode >"$scratch/err" 2>&1
			report $? "$row: ThreadSanitizer finds nothing ($compiler, ${mode:-discard})"
			grep -A9 WARNING "$scratch/err" | head -20 | sed 's/^/# /'
		done
	done
done

# A clock that goes back: right by the one's own reader, and seen to be wrong by the other's.
take_header packed_upper
for row in packed_upper packed_word; do
	${CC:-gcc} -std=c11 -O2 -I. -I"$folder" -DHEADER="\"${row}_reader.h\"" -DPREFIX="$row" \
		-DUPPER="$(echo "$row" | tr '[:lower:]' '[:upper:]')" tests/take/back.c -o "$scratch/back" &&
		timeout 60 "$scratch/back" >"$scratch/$row.back" 2>"$scratch/err"
	told $? "$row and a clock that goes back: $(cat "$scratch/$row.back")"
done
grep -q '^0 of 30[0-9]* wrong, [1-9]' "$scratch/packed_upper.back" && grep -q '^[1-9][0-9]* of 30[0-9]* wrong' "$scratch/packed_word.back"
report $? "packed_upper's times are all the stamps taken, packed_word's are not"

# On another machine: release and acquire are not for nothing there.
cross=aarch64-linux-gnu-gcc
if command -v $cross >/dev/null && command -v qemu-aarch64-static >/dev/null; then
	$cross -static -std=c11 -O2 -Wall -Wextra -Wno-unused-function -Werror -I. -I"$folder" \
		-DHEADER='"packed_word_reader.h"' -DPREFIX=packed_word -DUPPER=PACKED_WORD -DSUBBUF_SHIFT=12 -DCOUNT_SHIFT=4 \
		-DPACKED_WORD_COUNT_SHIFT=4 -DRECORD=12 tests/take/use.c -o "$scratch/use" \
		2>"$scratch/err" && timeout 60 qemu-aarch64-static "$scratch/use" 2>>"$scratch/err"
	told $? "arm64: packed_word refuses, counts and holds as it says"
else
	skip "arm64" "no $cross, or no qemu-aarch64-static"
fi

# A signal before each instruction, forks, threads that end, and a writer that is killed.
for row in packed_word varint_low; do
	upper=$(echo "$row" | tr '[:lower:]' '[:upper:]')
	${CC:-gcc} -std=gnu11 -O2 -I. -I"$folder" -DHEADER="\"${row}_reader.h\"" -DPREFIX="$row" -DUPPER="$upper" \
		tests/take/signals.c -pthread -o "$scratch/signals" && timeout 100 "$scratch/signals" 2>"$scratch/err"
	told $? "$row: nothing is lost to signals, forks and deaths"
done

# Readers that are processes, stopped and killed, 24 in a row.
take_header packed_word_locked_fenced
for row in packed_word packed_word_locked_fenced; do
	upper=$(echo "$row" | tr '[:lower:]' '[:upper:]')
	# A locked one has a second thread that writes into the same ring.
	case $row in *_locked*) threads=2 ;; *) threads=1 ;; esac
	${CC:-gcc} -std=gnu11 -O2 -I. -I"$folder" -DHEADER="\"${row}_reader.h\"" -DPREFIX="$row" -DUPPER="$upper" -DTHREADS=$threads \
		-D"${upper}_COUNT_SHIFT=4" tests/take/kill.c -pthread -o "$scratch/kill"
	for mode in "" overwrite; do
		# shellcheck disable=SC2086
		timeout 90 "$scratch/kill" $mode 2>"$scratch/err"
		told $? "$row: readers are stopped and killed, the next reads on ${mode:-discard}"
	done
done

printf '#include "packed_word.h"\nint main(void) { return ({ 0; }); }\n' >"$scratch/own.c"
${CC:-gcc} -std=c11 -I"$folder" "$scratch/own.c" -o "$scratch/own" &&
	! ${CC:-gcc} -std=c11 -Wpedantic -Werror -I"$folder" "$scratch/own.c" -o "$scratch/own" 2>/dev/null
report $? "what it asks the compiler not to say ends with it"

# The user's functions stand at the top, and nothing that the row does not use is in it.
head -190 "$folder/packed_word.h" | grep -q 'static inline int packed_word_flush_open(' &&
	head -120 "$folder/packed_word_reader.h" | grep -q 'static inline int packed_word_metadata(' &&
	! grep -qi 'soft_mask\|scheme_beat\|mask_hard\|_move_on\|large_put\|TAKEN_ROW\|POINT("\|flush_numbered\|flush_offset\|PUBLISHED(' \
		"$folder"/packed_word.h "$folder"/packed_word_reader.h
report $? "the header begins with what the user calls, and has no other row's code"
for row in packed_word packed_upper varint_low full_tsc extended_header three_read packed_last dwcas packed_word_locked_fenced; do
	[ -e "$folder/$row.h" ] || take_header "$row"
	lines=$(wc -l <"$folder/$row.h") reader=$(wc -l <"$folder/${row}_reader.h") trace=$(wc -l <"$folder/${row}_trace.h")
	[ "$lines" -le 1500 ] && [ "$reader" -le 1500 ] && [ "$trace" -le 1500 ]
	report $? "$row: $lines lines, $reader of its reader, $trace of the consumer; at most 1,500"
	python3 -B tests/take/same.py "$folder" "$row" >"$scratch/err" 2>&1 && ! grep -q '^0 functions' "$scratch/err"
	report $? "$row: what is left out changes no instruction: $(tail -1 "$scratch/err")"
done
! python3 -B tests/take/same.py "$folder" packed_word 's/number - packed_word_shared_load("open: consumed"/number + 1 - packed_word_shared_load("open: consumed"/' \
	>"$scratch/err" 2>&1 && grep -q 'differ: packed_word_packed_slow' "$scratch/err"
report $? "seen: something is left out that counts: $(tail -1 "$scratch/err")"

# Nothing of file scope without its prefix, so that rows go together in one program: but for the shields of C++.
for row in packed_word varint_low extended_header; do
	ctags -x --language-force=C --kinds-C=+defgpstuvx --_xformat='%N %K' "$folder/$row.h" |
		awk -v own="^${row}_|^__anon" '$2 != "member" && tolower($1) !~ own { print $1 }'
done | sort -u >"$scratch/err"
[ -s "$folder/packed_word.h" ] && [ ! -s "$scratch/err" ]
told $? "each name has the row's as its prefix"

# ---- as rows ----

for row in packed_word varint_low; do
	# It has its text from there, not the suite's.
	grep -q "take/$row.scheme.h" "$build/obj/timed/taken_$row.d" &&
		grep -q "take/$row.scheme.h" "$build/explored/taken_$row.page.d" &&
		cmp -s "$folder/$row.scheme.h" "$build/obj/take/$row.scheme.h"
	report $? "taken_$row is what is in the header"
	mkdir -p "$scratch/of" "$scratch/taken"
	cp "$build/obj/timed/$row.o" "$scratch/of/" && cp "$build/obj/timed/taken_$row.o" "$scratch/taken/$row.o"
	for side in "$row" "taken_$row"; do
		"$build/explore" --schemes "=$side" --tier quick --json "$scratch/$side.json" >/dev/null 2>&1
	done
	python3 - "$scratch/$row.json" "$scratch/taken_$row.json" "$row" <<'END'
import json, sys

def found(name):
    with open(name, encoding="utf-8") as text:
        row = json.loads(text.read().replace("taken_" + sys.argv[3], sys.argv[3]))["rows"][0]
    return [{key: value for key, value in family.items() if "seconds" not in key}
            for family in row["families"]]

of, taken = (found(name) for name in sys.argv[1:3])
sys.exit(not (of == taken and len(of) > 3 and sum(one["schedules"] for one in of) > 1e6))
END
	report $? "taken_$row: what the explorer's quick tier finds is what it finds of $row"
done
python3 -B tests/house/same_code.py --roots "driver_run driver_run_fenced driver_interrupt driver_beat" \
	"$scratch/of" "$scratch/taken" >"$scratch/err" 2>&1
report $? "what is timed has the same instructions"
grep differs "$scratch/err" | head -5 | sed 's/^/# /'
plan
