#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_session.sh BUILD   What a user's program does with the consumer of a taken row (session.c): traces one after
# the other, short threads, handlers, crashes, other people's files; files of C and of C++, libraries and plugins; and a
# stop at every system call that writes. ALL=1: of a row of each kind; SESSION_ROWS=all: of all that can be taken. TAP.
. tests/support/tap.sh
build=$1
folder=$scratch/take
mkdir -p "$folder"

made() { # OUT ROW COMPILER-WORDS...
	out=$1 row=$2
	shift 2
	case $row in restartable*) set -- "$@" -DSECTIONS ;; esac
	"$@" -I. -I"$folder" -DHEADER="\"${row}_trace.h\"" -DPREFIX="$row" -DUPPER="$(echo "$row" | tr '[:lower:]' '[:upper:]')" \
		tests/take/session.c -pthread -o "$out" 2>"$scratch/err"
}
# Events; none is said to be discarded.
counted() { babeltrace2 "$1" 2>"$scratch/warned" | grep -c ' work: ' && ! grep discarded "$scratch/warned"; }
on=
# The program says what is in which folder; babeltrace2 finds as much, where it can read it.
right() { # NAME PROGRAM WHAT
	rm -rf "$scratch/run" && mkdir "$scratch/run"
	timeout 120 $on "$2" "$3" "$scratch/run" >"$scratch/said" 2>"$scratch/err" && { [ -n "$unread" ] || awk '{ sum[$1] += $2 }
		END { for (one in sum) print one, sum[one] }' "$scratch/said" | { while read -r one events; do
			[ "$(counted "$one")" = "$events" ] || { echo "$one: $(counted "$one"), not $events" >>"$scratch/err" && false || exit 1; }
		done; }; }
	report $? "$1: $3: $(awk '{ sum += $2 } END { print sum + 0 }' "$scratch/said") events"
	head -5 "$scratch/err" | sed 's/^/# /'
}

command -v babeltrace2 >/dev/null || {
	skip "sessions" "no babeltrace2"
	plan
	exit
}
take_header packed_word
for compiler in "${CC:-gcc} -std=gnu11" "clang -std=gnu11" "g++ -std=c++17 -x c++" "clang++ -std=c++17 -x c++"; do
	command -v "${compiler%% *}" >/dev/null || continue
	# shellcheck disable=SC2086
	printf '#include "packed_word_trace.h"\nint main(void) { return packed_word_trace_stop() != PACKED_WORD_NOT_OPEN; }\n' \
		>"$scratch/use.c" && $compiler -O2 -Wall -Wextra -Wpedantic -Wconversion -Wcast-align -Wshadow -Werror \
		-I"$folder" "$scratch/use.c" -pthread -o "$scratch/use" 2>"$scratch/err" && "$scratch/use"
	told $? "no warning of $compiler"
done
all="again late lost shorts recorder fails hostile together kept idle gone snapshots crash exec held misused handlers"
if [ "${SESSION_ROWS:-}" = all ]; then
	SESSION_ROWS=$(sed -n 's/^X(\(\w*\),.*/\1/p' schemes/schemes.def)
elif [ "${ALL:-0}" != 0 ]; then
	SESSION_ROWS="varint_low packed_upper packed_word32 restartable extended_header full_tsc dwcas layout_64_ext layout_5_27_cut5_ext"
fi
for row in packed_word ${SESSION_ROWS:-}; do
	take_header "$row" 2>/dev/null || continue
	# A row that no board's clock has needs a clock of its own; a locked one is for shared rings.
	unread=
	grep -q '"ctf2": true' "$folder/$row.facts" && unread=yes
	made "$scratch/$row" "$row" "${CC:-gcc}" -std=gnu11 -O2 -Wall -Wextra -Werror || {
		report 1 "$row: compiled"
		head -5 "$scratch/err" | sed 's/^/# /'
		continue
	}
	for what in $([ $row = packed_word ] && echo "$all" || echo again lost shorts); do right "$row" "$scratch/$row" $what; done
	all="again lost shorts"
done
unread=
made "$scratch/tiny" packed_word "${CC:-gcc}" -std=gnu11 -O2 -DPACKED_WORD_SUBBUF_SHIFT=8 -DPACKED_WORD_COUNT_SHIFT=1 -DPACKED_WORD_THREADS=4
mkdir "$scratch/few" && "$scratch/tiny" tiny "$scratch/few" >"$scratch/said" 2>"$scratch/err" && babeltrace2 "$scratch/few/0" 2>"$scratch/warned" |
	sed 's/.* \(\w*\): { cpu_id = \([0-9]*\).*\(tid\|who\) = \([0-9]*\).*/\2 \1 \4/' >"$scratch/whose"
awk '$2 ~ /thread/ { is[$1] = $3; next } is[$1] != $3 { wrong++ } END { if (wrong || NR < 2000) { print wrong, "of", NR, "are of another thread"; exit 1 } }' \
	"$scratch/whose" >>"$scratch/err" && [ "$(sed -n 's/.*discarded \([0-9]*\) event.*/\1/p' "$scratch/warned" | paste -sd+ | bc)" = \
	"$(cut -d' ' -f3 "$scratch/said")" ]
told $? "in rings that are too small each event has its thread, and headers tell all losses: $(cut -d' ' -f2- "$scratch/said")"
mkdir "$scratch/more" && CHUNKS=1 "$scratch/tiny" tiny "$scratch/more" >"$scratch/said" 2>"$scratch/err" &&
	"$build/read-trace" --loss "$scratch/more/0"/* | awk -v all="$(cut -d' ' -f3 "$scratch/said")" '/^total: / { total = $2; next } { sum += $(NF - 1) }
		END { print sum, total, all, NR; exit sum != all || total != all || NR < 4 }' >>"$scratch/err"
told $? "and in chunks of 4 KiB: $(cut -d' ' -f2- "$scratch/said")"
# A ring for each CPU, of which one records nothing.
for row in packed_word_locked_fenced restartable_full; do
	upper=$(echo "$row" | tr '[:lower:]' '[:upper:]')
	[ "$(uname -m)" = x86_64 ] && take_header $row && made "$scratch/cpus" $row "${CC:-gcc}" -std=gnu11 -O2 -Wall -Wextra -Werror \
		-D"$upper"_PER_CPU=1
	told $? "$row, a ring for each CPU: compiled"
	on="taskset -c $(taskset -cp $$ | sed 's/.*[ ,-]//')"
	for what in again lost recorder crash exec misused; do right "$row, a ring for each CPU" "$scratch/cpus" $what; done
done
on=
! made "$scratch/no" packed_word "${CC:-gcc}" -std=gnu11 -DPACKED_WORD_PER_CPU=1 && grep -q 'error PACKED_WORD_PER_CPU: take packed_word_locked_fenced' "$scratch/err"
report $? "a row that cannot is refused by its name: $(grep -o -m 1 '#error.*' "$scratch/err")"
cross=aarch64-linux-gnu-gcc
if command -v $cross >/dev/null && command -v qemu-aarch64-static >/dev/null; then
	made "$scratch/arm64.own" packed_word $cross -static -std=gnu11 -O2 -Wall -Wextra -Werror
	printf '#!/bin/sh\nexec qemu-aarch64-static %s "$@"\n' "$scratch/arm64.own" >"$scratch/arm64" && chmod +x "$scratch/arm64"
	right arm64 "$scratch/arm64" again
else
	skip arm64 "no $cross, or no qemu-aarch64-static"
fi
unread=yes row=packed_word
for which in $([ "${ALL:-0}" = 0 ] || echo thread address,undefined); do
	made "$scratch/clean" packed_word clang -std=gnu11 -g -O1 -fsanitize=$which -fno-sanitize-recover=all
	for what in again late shorts recorder $([ $which = thread ] || echo handlers together); do
		TSAN_OPTIONS=die_after_fork=0 right "-fsanitize=$which" "$scratch/clean" $what
	done
done

# ---- libraries and plugins ----

cat >"$scratch/lib.cpp" <<'END'
#include "packed_word_trace.h"
#define WORK(F) F(u64, number)
PACKED_WORD_EVENT(work, 1, WORK);
extern "C" __attribute__((visibility("default"))) int lib(int n)
{
	int refused = 0;
	for (int i = 0; i < n; i++)
		refused += work_write(packed_word_here(), static_cast<uint64_t>(i)) != 0;
	return refused;
}
END
cat >"$scratch/main.cpp" <<'END'
#include "packed_word_trace.h"
#include <cstdio>
#include <dlfcn.h>
#include <thread>
#define WORK(F) F(u64, number)
PACKED_WORD_EVENT(work, 1, WORK);
extern "C" int lib(int) __attribute__((weak));
int main(int, char **argv)
{
	packed_word_event_type types[] = { work_type };
	packed_word_trace_options options{};
	packed_word_trace_counts counts;
	int (*calls)(int) = lib;
	uint64_t events = 0, strays = 0;
	for (int run = 0; run < 2; run++) {
		options.folder = argv[1];
		options.types = types;
		options.type_count = 1;
		int error = packed_word_trace_start(&options);
		if (run && error == PACKED_WORD_MIXED)
			break;
		if (error)
			return 2;
		for (int i = 0; i < 1000; i++)
			work_write(packed_word_here(), static_cast<uint64_t>(i));
		if (!calls)
			calls = reinterpret_cast<int (*)(int)>(dlsym(dlopen(argv[2], RTLD_NOW | RTLD_LOCAL), "lib"));
		calls(500);
		std::thread(calls, 500).join();
		if (packed_word_trace_stop())
			return 3;
		packed_word_trace_count(&counts);
		events += counts.events;
		strays += counts.strays;
	}
	std::printf("%lu %lu\n", events, strays);
	return 0;
}
END
objects() { # NAME READ STRAYS LINKED? LIBRARY-WORDS EXECUTABLE-WORDS
	rm -rf "$scratch/trace"
	# shellcheck disable=SC2086
	g++ -std=c++17 -O1 -fPIC -shared -I"$folder" $5 "$scratch/lib.cpp" -o "$scratch/libx.so" -pthread 2>"$scratch/err" &&
		g++ -std=c++17 -O1 -I"$folder" $6 "$scratch/main.cpp" $([ -z "$4" ] || echo "$scratch/libx.so" -Wl,-rpath,"$scratch") \
			-o "$scratch/main" -pthread 2>>"$scratch/err" &&
		"$scratch/main" "$scratch/trace" "$scratch/libx.so" >"$scratch/said" 2>>"$scratch/err" &&
		[ "$(sed 's/.* //' "$scratch/said")" = "$3" ] && [ "$(counted "$scratch/trace")" = "$2" ]
	report $? "$1: $(counted "$scratch/trace") read, events and strays: $(cat "$scratch/said")"
	head -5 "$scratch/err" | sed 's/^/# /'
}
printf '{ global: lib; local: *; };\n' >"$scratch/only"
objects "a plugin" 4000 0 "" "" ""
objects "a plugin, all hidden" 4000 0 "" -fvisibility=hidden -fvisibility=hidden
objects "a plugin with a symbol list" 4000 0 "" "-Wl,--version-script=$scratch/only" ""
objects "a plugin, all exported" 4000 0 "" "" -rdynamic
objects "a plugin, -Bsymbolic" 4000 0 "" -Wl,-Bsymbolic -rdynamic
objects "a library" 4000 0 linked "" ""
objects "a library, all hidden" 4000 0 linked -fvisibility=hidden -fvisibility=hidden
objects "a library with a symbol list" 4000 0 linked "-Wl,--version-script=$scratch/only" ""
objects "a plugin of other sizes: all its calls are strays, and the next start fails" 1000 1000 "" -DPACKED_WORD_THREADS=10 ""

cat >"$scratch/one.c" <<'END'
#include "packed_word_trace.h"
#define ONE(F) F(u64, number)
PACKED_WORD_EVENT(work, 1, ONE);
int one(void) { return work_write(packed_word_here(), 1); }
END
cat >"$scratch/two.cc" <<'END'
#include "packed_word_trace.h"
#include <thread>
#define WORK(F) F(u64, number)
PACKED_WORD_EVENT(work, 1, WORK);
extern "C" int one(void);
int main(int, char **argv)
{
	packed_word_event_type types[] = { work_type };
	packed_word_trace_options options = {};
	options.folder = argv[1];
	options.types = types;
	options.type_count = 1;
	packed_word_trace_session session(options);
	if (session.error)
		return session.error == PACKED_WORD_MIXED ? 3 : 1;
	std::thread([] {
		auto leave = packed_word_trace_scope([] { work_write(packed_word_here(), 1); });
		work_write(packed_word_here(), 0);
	}).join();
	return one();
}
END
for one in SUBBUF_SHIFT=12 SUBBUF_SHIFT=10 COUNT_SHIFT=4 THREADS=10; do # the first is the default
	rm -rf "$scratch/trace"
	${CC:-gcc} -std=gnu11 -I"$folder" -DPACKED_WORD_$one -c "$scratch/one.c" -o "$scratch/one.o" 2>"$scratch/err" && g++ -std=c++17 \
		-Wall -Wextra -I"$folder" "$scratch/two.cc" "$scratch/one.o" -pthread -o "$scratch/two" 2>>"$scratch/err" && "$scratch/two" "$scratch/trace"
	got=$?
	if [ $one = SUBBUF_SHIFT=12 ]; then [ $got = 0 ] && [ "$(counted "$scratch/trace")" = 3 ]; else [ $got = 3 ]; fi
	told $? "two files, of C and of C++, of which one defines $one: exit code $got"
done

# ---- a stop at every system call that writes ----

row=packed_word
"${CC:-gcc}" -std=gnu11 -O1 -fPIC -shared tests/take/stops.c -o "$scratch/stops.so" 2>"$scratch/err" &&
	made "$scratch/stopped" packed_word "${CC:-gcc}" -std=gnu11 -O1 -DPACKED_WORD_SUBBUF_SHIFT=12
report $? "compiled"
head -5 "$scratch/err" | sed 's/^/# /'
stays() { # each event that can be read at one stop can be read at the next
	rm -rf "$scratch/states" "$scratch/trace" && mkdir "$scratch/states"
	STOPS_OF=$scratch/trace STOPS_IN=$scratch/states LD_PRELOAD=$scratch/stops.so timeout 200 "$1" stops "$scratch/trace" 2>"$scratch/err" &&
		cp -a "$scratch/trace" "$scratch/states/last" && python3 -B - "$scratch/states" "${2:-1}" <<-'END'
			import os, re, subprocess, sys
			folder, step, before, wrong, stops, grew = sys.argv[1], int(sys.argv[2]), set(), [], 0, 0
			for name in sorted(os.listdir(folder))[::step]:
			    done = subprocess.run(["babeltrace2", "--clock-cycles", os.path.join(folder, name)], capture_output=True, text=True)
			    # One that has no chunk yet is no trace.
			    there = set(re.findall(r"^\[(\d+)\].* work: .*number = (\d+), who = (\d+)", done.stdout, re.M))
			    if not before <= there or done.returncode and before:
			        wrong.append("%s: %d of %d are gone; %s" % (name, len(before - there), len(before), " ".join(done.stderr.split())[-150:]))
			    grew += len(there) > len(before)
			    before, stops = there, stops + 1
			print(stops, "stops,", len(before), "events at the end", *wrong[:3])
			sys.exit(bool(wrong) or stops < 20 or grew < 8 or len(before) < 5000)
		END
}
said=$(stays "$scratch/stopped" "$([ "${ALL:-0}" = 0 ] && echo 4 || echo 1)")
report $? "what is on the disk stays there, wherever the program stops: $said"
head -5 "$scratch/err" | sed 's/^/# /'
breaks() { # NAME SED
	cp "$scratch/whole.h" "$folder/packed_word_trace.h" && sed -i "$2" "$folder/packed_word_trace.h" &&
		! cmp -s "$scratch/whole.h" "$folder/packed_word_trace.h" && made "$scratch/stopped" packed_word "${CC:-gcc}" -std=gnu11 -O1 &&
		said=$(stays "$scratch/stopped")
	[ $? != 0 ] && case $said in *"are gone"*) true ;; *) false ;; esac
	report $? "seen: $1: $said"
}
cp "$folder/packed_word_trace.h" "$scratch/whole.h"
breaks "the last page of a file is written again" 's/^\tgood = slot->file ||/\tgood = slot->file > 0 \&\& ftruncate(slot->file, (off_t)(slot->at \& ~4095ull));\n&/'
breaks "a packet lies in two pages" 's/if (packet->size <= room ||/if (1 ||/'
plan
