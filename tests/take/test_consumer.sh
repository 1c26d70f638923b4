#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_consumer.sh BUILD   The consumer of a taken row: threads that come and go, signals, fork, kill -9, a disk
# that fills, snapshots and crashes; babeltrace2 reads what is there. CONSUMER_SECONDS: of the storm (4). TAP.
. tests/support/tap.sh
build=$1
folder=$scratch/take
seconds=${CONSUMER_SECONDS:-4}
mkdir -p "$folder"

cleanup() {
	[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null
	umount "$scratch/small" 2>/dev/null
	rm -rf "$scratch"
}

made() { # OUT ROW HEADERS COMPILER-WORDS...
	out=$1 row=$2 headers=$3
	shift 3
	"$@" -I. -I"$headers" -DHEADER="\"${row}_trace.h\"" -DPREFIX="$row" \
		-DUPPER="$(echo "$row" | tr '[:lower:]' '[:upper:]')" tests/take/consumer.c -pthread -o "$out" 2>"$scratch/err"
}
# What it said, and what babeltrace2 reads, are the same; nothing is missing, doubled or moved.
agrees() { # NAME FOLDER READER-WORDS...
	name=$1
	shift
	python3 -B tests/take/read_chunks.py "$@" >"$scratch/read" 2>"$scratch/wrong" &&
		[ "$(sed 's/.* written \([0-9]*\) .*/\1/' "$scratch/said")" = "$(sed 's/.*all \([0-9]*\) .*/\1/' "$scratch/read")" ]
	report $? "$name: $(cat "$scratch/said")"
	sed 's/^/# read: /' "$scratch/read"
	[ ! -s "$scratch/wrong" ] || sed 's/^/# /' "$scratch/wrong"
}
no_loss() { grep -q ' unwritten 0 lost 0 strays 0 .*error 0$' "$scratch/said"; }

command -v babeltrace2 >/dev/null || {
	skip "the consumer" "no babeltrace2"
	plan
	exit
}
take_header packed_word && take_header varint_low && take_header full_tsc
report $? "cut"
for compiler in "${CC:-gcc} -std=gnu11" "clang -std=gnu11" "g++ -std=c++17 -x c++" "clang++ -std=c++17 -x c++"; do
	command -v "${compiler%% *}" >/dev/null || {
		skip "no warning of $compiler" "no ${compiler%% *}"
		continue
	}
	# shellcheck disable=SC2086
	printf '#include "packed_word_trace.h"\nint main(void) { return packed_word_trace_stop() != PACKED_WORD_NOT_OPEN; }\n' \
		>"$scratch/use.c" && $compiler -O2 -Wall -Wextra -Wpedantic -Wconversion -Wcast-align -Wshadow -Werror \
		-I"$folder" "$scratch/use.c" -pthread -o "$scratch/use" 2>"$scratch/err" && "$scratch/use"
	told $? "no warning of $compiler"
done

# ---- threads come and go ----

for row in packed_word full_tsc varint_low; do
	made "$scratch/$row" "$row" "$folder" "${CC:-gcc}" -std=gnu11 -O2 -Wall -Wextra -Werror
	told $? "$row: compiled"
	"$scratch/$row" threads "$scratch/trace" >"$scratch/said" 2>"$scratch/err" && no_loss
	told $? "$row: threads come and go, and nothing is lost"
	if [ "$row" = varint_low ] && ! babeltrace2 --version 2>/dev/null | grep -q ' 2\.[1-9]'; then
		skip "$row: each event is read" "babeltrace2 2.1 reads CTF 2"
	else
		agrees "$row: each event is read" "$scratch/trace" --chunks 1
	fi
	rm -rf "$scratch/trace"
done
program=$scratch/packed_word
"$program" threads "$scratch/trace" 0 100000 >"$scratch/said" && no_loss
chunks=$(sed 's/.*chunks \([0-9]*\) .*/\1/' "$scratch/said")
[ "$chunks" -gt 5 ] && agrees "in chunks of 100,000 bytes" "$scratch/trace" --chunks "$chunks"
rm -rf "$scratch/late" && "$program" late "$scratch/late" 0 100000 >"$scratch/said" && no_loss
agrees "what the last look writes stays while chunks end behind it" "$scratch/late"
# All chunks together are a trace as well; a second run puts its own behind them.
[ "$(babeltrace2 "$scratch/trace" 2>/dev/null | grep -c ' work: ')" -gt 80000 ]
report $? "and babeltrace2 reads the folder of all chunks"
"$program" switched "$scratch/trace" >"$scratch/said" && [ -e "$scratch/trace/$(printf %06d "$chunks")/metadata" ]
report $? "a type is switched off and on; the next run's chunks come behind"
rm -rf "$scratch/trace"
"$program" switched "$scratch/trace" >"$scratch/said" && agrees "and only its events are missing" "$scratch/trace"
"$program" forked "$scratch/parent" "$scratch/child" >"$scratch/both"
report $? "fork"
for one in child parent; do
	if [ $one = child ]; then head -1 "$scratch/both"; else tail -1 "$scratch/both"; fi >"$scratch/said"
	agrees "the ${one}'s trace" "$scratch/$one"
done
rm -rf "$scratch/parent" "$scratch/child"

rm -rf "$scratch/trace"
# exec ends a trace as a kill does; what is recorded before trace_stop() is all there.
for what in exec stop_exec; do
	"$program" $what "$scratch/trace" >"$scratch/both" 2>"$scratch/err" && head -1 "$scratch/both" >"$scratch/said" &&
		python3 -B tests/take/read_chunks.py "$scratch/trace" --chunks 2 >"$scratch/read" 2>"$scratch/wrong" &&
		[ "$(sed -n '1s/recorded \([0-9]*\).*/\1/p' "$scratch/both")" = "$(sed 's/ .*//' "$scratch/read")" ]
	report $? "$what: what the consumer had seen is there, and the next program's trace behind it: $(cat "$scratch/read")"
	head -5 "$scratch/err" "$scratch/wrong" | sed 's/^/# /'
	rm -rf "$scratch/trace"
done
"$program" misused "$scratch/trace" >"$scratch/both" 2>"$scratch/err"
told $? "misuses are refused: $(tail -1 "$scratch/both")"
"$program" held "$scratch/held" 2>"$scratch/err"
told $? "a record that has no end is an error"
head -1 "$scratch/both" >"$scratch/said"
agrees "and no event between them is lost" "$scratch/trace"
rm -rf "$scratch/trace"
cross=aarch64-linux-gnu-gcc
if command -v $cross >/dev/null && command -v qemu-aarch64-static >/dev/null; then
	made "$scratch/arm64" packed_word "$folder" $cross -static -std=gnu11 -O2 -Wall -Wextra -Werror &&
		timeout 100 qemu-aarch64-static "$scratch/arm64" threads "$scratch/trace" 0 100000 >"$scratch/said" 2>"$scratch/err"
	report $? "arm64: threads come and go"
	agrees "arm64: each event is read" "$scratch/trace" --gaps
	rm -rf "$scratch/trace"
else
	skip "arm64" "no $cross, or no qemu-aarch64-static"
fi

# ---- a ring for each CPU ----

per_cpu() { # OUT HEADERS ROW WORDS...
	to=$1 from=$2 one=$3
	shift 3
	made "$to" "$one" "$from" "${CC:-gcc}" -std=gnu11 -O2 -Wall -Wextra -Werror \
		-D"$(echo "$one" | tr '[:lower:]' '[:upper:]')"_PER_CPU=1 "$@"
}
row=packed_word_locked_fenced
if [ "$(uname -m)" = x86_64 ] && [ "$(nproc)" -gt 1 ]; then
	take_header $row && per_cpu "$scratch/cpus" "$folder" $row &&
		"$scratch/cpus" moved "$scratch/trace" >"$scratch/said" 2>"$scratch/err" && no_loss
	told $? "threads that move between CPUs, at any instruction"
	[ "$(ls "$scratch/trace/000000" | grep -c '^[0-9]')" -le "$(nproc --all)" ] &&
		agrees "each time is within its call, each event in a ring of a CPU" "$scratch/trace"
	rm -rf "$scratch/trace"
	GLIBC_TUNABLES=glibc.pthread.rseq=0 "$scratch/cpus" threads "$scratch/trace" >"$scratch/said" 2>"$scratch/err" && no_loss
	report $? "without rseq, by a system call"
	agrees "and each event is read" "$scratch/trace"
	rm -rf "$scratch/trace"
	per_cpu "$scratch/tight" "$folder" $row -DPACKED_WORD_LOCKED_FENCED_COUNT_SHIFT=1 &&
		"$scratch/tight" moved "$scratch/trace" >"$scratch/said" 2>"$scratch/err" && ! grep -q ' lost 0 ' "$scratch/said"
	report $? "in rings that are too small each loss is counted"
	agrees "and no other event is missing" "$scratch/trace"
	rm -rf "$scratch/trace"
	mkdir "$scratch/bare" && cp "$folder"/$row* "$scratch/bare"
	sed -i 's/"lock; "/""/' "$scratch/bare/$row.h"
	! cmp -s "$folder/$row.h" "$scratch/bare/$row.h" && per_cpu "$scratch/bad" "$scratch/bare" $row && {
		"$scratch/bad" moved "$scratch/trace" >"$scratch/said" 2>/dev/null
		! python3 -B tests/take/read_chunks.py "$scratch/trace" >/dev/null 2>&1
	}
	report $? "seen: claims without a lock"
	rm -rf "$scratch/trace"
	for its in full_tsc three_read extended_header; do
		take_header ${its}_locked_fenced && per_cpu "$scratch/cpus" "$folder" ${its}_locked_fenced &&
			"$scratch/cpus" moved "$scratch/trace" >"$scratch/said" 2>"$scratch/err" && no_loss
		report $? "${its}_locked_fenced: threads that move"
		agrees "${its}_locked_fenced" "$scratch/trace"
		rm -rf "$scratch/trace"
	done
	! per_cpu "$scratch/no" "$folder" packed_word && grep -q 'error PACKED_WORD_PER_CPU: take packed_word_locked_fenced' "$scratch/err"
	report $? "a row that cannot is refused by its name: $(grep -o -m 1 '#error.*' "$scratch/err")"
else
	skip "a ring for each CPU" "no x86-64, or one CPU"
fi
row=packed_word

# ---- faults ----

# One that is planted in the header is seen.
faulty() { # NAME SED
	mkdir -p "$scratch/faulty" && cp "$folder"/packed_word* "$scratch/faulty"
	sed "$2" "$folder/packed_word_trace.h" >"$scratch/faulty/packed_word_trace.h"
	! cmp -s "$folder/packed_word_trace.h" "$scratch/faulty/packed_word_trace.h" &&
		made "$scratch/bad" packed_word "$scratch/faulty" "${CC:-gcc}" -std=gnu11 -O2 && {
		"$scratch/bad" threads "$scratch/trace" 0 100000 >"$scratch/said" 2>/dev/null
		! python3 -B tests/take/read_chunks.py "$scratch/trace" >/dev/null 2>&1
	}
	report $? "seen: $1"
	rm -rf "$scratch/trace"
}
faulty "what is in the chunk before comes again" 's/const bool part = cut->events/const bool part = cut->events \&\& !packet->size/'
faulty "a packet is not written" 's/^\tif (!slot->file .*file_begin/\tif (packet->number % 3 == 1)\n\t\treturn true;\n&/'
faulty "a packet takes the place of the one before it" '/^\t\tslot->at += packet->size;/d'

# ---- killed ----

made "$scratch/large" packed_word "$folder" "${CC:-gcc}" -std=gnu11 -O2 -DPACKED_WORD_SUBBUF_SHIFT=16 -DPACKED_WORD_COUNT_SHIFT=4
bad=0
for one in 1 2 3 4 5 6 7 8 9 10; do
	killed=$program
	[ $one -le 6 ] || killed=$scratch/large
	"$killed" endless "$scratch/trace" 0 100000 &
	pid=$!
	# From when it records, however late it comes to its CPU.
	for _ in $(seq 200); do
		[ ! -e "$scratch/trace/000000/0" ] || break
		sleep 0.05
	done
	sleep "0.$(printf %03d $((one * 37 % 25 * 5 + 50)))"
	kill -9 $pid
	wait $pid 2>/dev/null
	pid=
	# Packets of one page are whole, or not there.
	[ $one -le 6 ] || truncate -s /65536 "$scratch"/trace/*/[0-9]*
	python3 -B tests/take/read_chunks.py "$scratch/trace" >"$scratch/read" 2>"$scratch/wrong" || bad=$((bad + 1))
	head -2 "$scratch/wrong" | sed 's/^/# /'
	rm -rf "$scratch/trace"
done
[ $bad = 0 ]
report $? "killed ten times: what is there is whole, and without a hole; the last time $(cat "$scratch/read")"

# ---- no room ----

mkdir "$scratch/small"
if mount -t tmpfs -o size=600k none "$scratch/small" 2>/dev/null; then
	"$program" threads "$scratch/small/trace" >"$scratch/said" 2>"$scratch/err" &&
		! grep -q ' unwritten 0 ' "$scratch/said" && grep -q 'error 28' "$scratch/said"
	told $? "a disk that is full"
	agrees "what has no room is counted, and nothing else is missing" "$scratch/small/trace" --gaps
else
	skip "a disk that is full" "no right to mount a small tmpfs"
fi

# ---- snapshots ----

"$program" crash "$scratch/first" "$scratch/last" >"$scratch/said" 2>"$scratch/err"
[ $? -gt 128 ] && python3 -B tests/take/read_chunks.py --gaps "$scratch/first" >"$scratch/read" && [ "$(sed 's/ .*//' "$scratch/read")" -gt 60000 ] &&
	grep -q 'highest 299999$' "$scratch/read"
told $? "a snapshot has the newest of a ring that overwrites: $(cat "$scratch/read")"
python3 -B tests/take/read_chunks.py --gaps "$scratch/last" >"$scratch/read" && grep -q 'highest 300999$' "$scratch/read" &&
	[ "$(cat "$scratch"/last/*/[0-9]* | wc -c)" -le 2097152 ] && [ "$(ls "$scratch/last"/*)" = "$(ls "$scratch/first"/* | sed "s/first/last/")" ]
report $? "so has one that is written when the program crashes, in two threads at once: $(cat "$scratch/read")"

# ---- sanitizers, and more than one file ----

for compiler in "${CC:-gcc}" clang; do
	for which in thread address,undefined; do
		bad=0
		made "$scratch/clean" packed_word "$folder" "$compiler" -std=gnu11 -g -O1 -fsanitize=$which -fno-sanitize-recover=all || bad=1
		# No thread can be started in a forked child under ThreadSanitizer.
		for what in threads switched crash $([ $which = thread ] || echo forked); do
			# A crash is one: what counts is that a sanitizer says nothing of it.
			TSAN_OPTIONS=handle_segv=0 ASAN_OPTIONS=handle_segv=0 UBSAN_OPTIONS=handle_segv=0 \
				timeout 100 "$scratch/clean" $what "$scratch/trace" "$(case $what in threads | switched) echo 0 ;; *) echo "$scratch/other" ;; esac)" \
				100000 >"$scratch/said" 2>>"$scratch/err"
			got=$?
			case $what/$got in
			crash/139) python3 -B tests/take/read_chunks.py --gaps "$scratch/other" >"$scratch/read" 2>>"$scratch/err" || bad=1 ;;
			*/0) ;;
			*) bad=1 ;;
			esac
			rm -rf "$scratch/trace" "$scratch/other"
		done
		[ $bad = 0 ] && ! grep -q 'WARNING\|ERROR' "$scratch/err"
		report $? "$compiler: nothing found by -fsanitize=$which"
		grep -A9 'WARNING\|ERROR\|error:' "$scratch/err" | head -20 | sed 's/^/# /'
	done
done
cat >"$scratch/one.c" <<'END'
#include "packed_word_trace.h"
#define ONE(F) F(u32, thread) F(u64, number)
PACKED_WORD_EVENT(tick, 2, ONE);
struct packed_word_event_type one_type(void) { return tick_type; }
int one(unsigned int number) { return tick_write(packed_word_here(), 1, number); }
END
cat >"$scratch/two.cc" <<'END'
#include "packed_word_trace.h"
#include <thread>
#define TWO(F) F(u32, thread) F(u64, number)
PACKED_WORD_EVENT(work, 1, TWO);
extern "C" int one(unsigned int number);
extern "C" struct packed_word_event_type one_type(void);
int main(int, char **argv)
{
	packed_word_event_type types[] = { work_type, one_type() };
	packed_word_trace_options options = {};
	options.folder = argv[1];
	options.types = types;
	options.type_count = 2;
	packed_word_trace_session session(options);
#ifdef START_ONLY
	return session.error != PACKED_WORD_MIXED;
#endif
	if (session.error || one(0) || work_write(packed_word_here(), 1, 0))
		return 1;
	std::thread([] {
		auto leave = packed_word_trace_scope([] { work_write(packed_word_here(), 2, 1); });
		work_write(packed_word_here(), 2, 0);
	}).join();
	return one(1);
}
END
for cxx in g++ clang++; do
	${CC:-gcc} -std=gnu11 -I"$folder" -c "$scratch/one.c" -o "$scratch/one.o" &&
		$cxx -std=c++17 -Wall -Wextra -I"$folder" "$scratch/two.cc" "$scratch/one.o" -pthread -o "$scratch/two" &&
		"$scratch/two" "$scratch/trace" && python3 -B tests/take/read_chunks.py "$scratch/trace" >"$scratch/read" 2>"$scratch/wrong" &&
		grep -q '^5 events, all 7 ' "$scratch/read"
	report $? "two files, of C and of C++ ($cxx), share a trace: $(cat "$scratch/read")"
	rm -rf "$scratch/trace"
done

for one in SUBBUF_SHIFT=10 COUNT_SHIFT=4 THREADS=10; do
	${CC:-gcc} -std=gnu11 -I"$folder" -DPACKED_WORD_$one -c "$scratch/one.c" -o "$scratch/one.o" &&
		g++ -std=c++17 -I"$folder" -DSTART_ONLY "$scratch/two.cc" "$scratch/one.o" -pthread -o "$scratch/two" && "$scratch/two" "$scratch/trace"
	report $? "two files, of which one defines $one, cannot start"
done

# ---- a storm ----

storm() { # PROGRAM SECONDS NAME
	timeout $(($2 + 60)) "$1" storm "$scratch/trace" "$2" 100000 >"$scratch/said" 2>"$scratch/err" &
	pid=$!
	while [ ! -d "$scratch/trace" ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
	python3 -B tests/take/read_chunks.py "$scratch/trace" --follow $pid >"$scratch/read" 2>"$scratch/wrong"
	bad=$?
	wait $pid || bad=1
	pid=
	# A handler that comes while its thread's ring is opened has none: a stray.
	[ $bad = 0 ] && grep -q ' unwritten 0 lost 0 .*error 0$' "$scratch/said" && [ "$(sed 's/.* written \([0-9]*\) .*/\1/' "$scratch/said")" = "$(sed 's/.*all \([0-9]*\) .*/\1/' "$scratch/read")" ]
	report $? "$2 s of storm$3, chunks read and removed: $(cat "$scratch/said")"
	sed 's/^/# /' "$scratch/err" "$scratch/wrong" | head -5
	rm -rf "$scratch/trace"
}
storm "$program" "$seconds" ""
for which in thread address,undefined; do
	[ "$seconds" -ge 60 ] || break
	made "$scratch/clean" packed_word "$folder" "${CC:-gcc}" -std=gnu11 -g -O1 -fsanitize=$which -fno-sanitize-recover=all
	storm "$scratch/clean" 60 " under -fsanitize=$which"
done
plan
