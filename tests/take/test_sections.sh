#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_sections.sh BUILD   Taken rows whose records are sections that the kernel starts over (rseq). Threads that
# move, and the consumer, are in test_conserve.sh and test_session.sh. TAP.
. tests/support/tap.sh
build=$1
folder=$scratch/take
mkdir -p "$folder"

upper() { echo "$1" | tr '[:lower:]' '[:upper:]'; }
made() { # OUT ROW HEADERS PROGRAM COMPILER WORDS...
	out=$1 row=$2 from=$3 program=$4
	shift 4
	"$@" -I. -I"$from" -DHEADER="\"${row}_${kind:-trace}.h\"" -DPREFIX="$row" -DUPPER="$(upper "$row")" -DSECTIONS \
		"tests/take/$program.c" -pthread -o "$out" 2>"$scratch/err"
}
[ "$(uname -m)" = x86_64 ] || {
	skip "sections" "$(uname -m)"
	plan
	exit
}

for row in restartable_full restartable; do
	take_header $row 2>"$scratch/err"
	told $? "$row is cut"
	for what in "" _reader _trace; do
		[ "$(wc -l <"$folder/$row$what.h")" -le 1500 ]
		report $? "$row$what.h has $(wc -l <"$folder/$row$what.h") lines, at most 1,500"
	done
	for compiler in "${CC:-gcc} -std=gnu11" "clang -std=gnu11" "g++ -std=c++17 -x c++" "clang++ -std=c++17 -x c++"; do
		command -v "${compiler%% *}" >/dev/null || continue
		case $row-$compiler in restartable-*11 | restartable-g++*) continue ;; esac # all for one
		for level in -O0 -O2 "-O2 -D$(upper $row)_PER_CPU=1"; do
			# shellcheck disable=SC2086
			(cd "$folder" && sed "s/_reader.h/_trace.h/" ${row}_example.c >"$scratch/use.c" && $compiler $level -Wall -Wextra \
				-Wpedantic -Wconversion -Wcast-align -Wshadow -Werror -I. "$scratch/use.c" -pthread -o "$scratch/use") \
				2>"$scratch/err"
			told $? "$row: no warning of $compiler $level"
		done
	done
	python3 -B tests/take/same.py "$folder" $row >"$scratch/err" 2>&1
	report $? "$row: what is left out changes no instruction: $(tail -1 "$scratch/err")"
done
row=restartable_full upper=RESTARTABLE_FULL

# A ring that a program reads by itself refuses, counts and holds, in processes too; readers die; TSan finds nothing.
right() { # NAME PROGRAM ARGUMENT COMPILER WORDS...
	name=$1 program=$2 argument=$3
	shift 3
	kind=reader made "$scratch/right" $row "$folder" "$program" "$@" && mkdir "$scratch/trace" &&
		(cd "$scratch/trace" && timeout 100 "$scratch/right" $argument >"$scratch/said" 2>"$scratch/err")
	told $? "$row: $name $(tail -1 "$scratch/said")"
	rm -rf "$scratch/trace"
}
for size in "8 1" "12 2"; do
	right "it refuses, counts and holds as it says: log2 of sizes $size" use "" "${CC:-gcc}" -std=c11 -O1 \
		-DSUBBUF_SHIFT="${size% *}" -DCOUNT_SHIFT="${size#* }" -DRECORD=20 \
		-D${upper}_SUBBUF_SHIFT="${size% *}" -D${upper}_COUNT_SHIFT="${size#* }"
done
right "each misuse has its error:" misuse "" "${CC:-gcc}" -std=c11 -DNDEBUG -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
right "each misuse has its error:" misuse "" g++ -std=c++17 -x c++ -O1
right "forks, threads that end and writers that are killed lose nothing" signals "" "${CC:-gcc}" -std=gnu11 -O2
for mode in "" overwrite; do
	right "readers are stopped and killed, the next reads on ${mode:-discard}" kill "$mode" "${CC:-gcc}" -std=gnu11 -O2 -DTHREADS=1 \
		-D${upper}_COUNT_SHIFT=4
	right "ThreadSanitizer finds nothing (${mode:-discard})" threads "$mode" "${CC:-gcc}" -std=gnu11 -g -O1 -fsanitize=thread -DRINGS=2
done

# ---- threads that have none ----

cat >"$scratch/alone.c" <<END
#include "${row}_trace.h"
int main(void)
{
	static struct ${row}_tracer ring, other;
	const struct ${row}_event_type type = { "a", "u64 _b; ", 1, 8 };
	const struct ${row}_options options = { &type, 1, 0, false, NULL };
	const struct ${row}_trace_options trace = { .folder = ".", .types = &type, .type_count = 1 };
	uint64_t number = 0;
	if (${row}_open(&ring, &options) || ${row}_try_write(&ring, 1, &number, 8) ||
	    syscall(SYS_rseq, (char *)__builtin_thread_pointer() + __rseq_offset, 32, 1, 0x53053053))
		return 2;
	return ${row}_try_write(&ring, 1, &number, 8) != ${upper}_FULL || ${row}_lost(&ring) != 1 ||
	       ${row}_flush_open(&ring) || ${row}_open(&other, &options) != ${upper}_NO_RSEQ || ${row}_trace_start(&trace) != ${upper}_NO_RSEQ;
}
END
"${CC:-gcc}" -std=gnu11 -O2 -I"$folder" "$scratch/alone.c" -o "$scratch/alone" -pthread 2>"$scratch/err" && timeout 20 "$scratch/alone"
told $? "a thread that has no rseq loses its events, counted, and opens nothing"

# ---- as a row ----

# The loop that is timed is the same; other functions differ in registers, so the explorer counts other schedules.
grep -q "take/$row.scheme.h" "$build/obj/timed/taken_$row.d" && cmp -s "$folder/$row.scheme.h" "$build/obj/take/$row.scheme.h" &&
	python3 -B -c 'import sys; sys.path.insert(0, "tests/house"); import same_code
one, other = (same_code.Object(name).code["driver_run"] for name in sys.argv[1:])
sys.exit(one != other or len(one) < 20)' "$build/obj/timed/$row.o" "$build/obj/timed/taken_$row.o" 2>"$scratch/err"
told $? "taken_$row is what is in the header, and the loop that is timed has the same instructions"
for workload in live live_migrate; do
	timeout 100 "$build/run-stress" --workload $workload --schemes =taken_$row --seconds 3 >"$scratch/said" 2>"$scratch/err" &&
		grep -q '^1 of 1 rows ran: 0 broken' "$scratch/said"
	told $? "taken_$row: nothing is broken, $workload: $(grep -o 'read while it was written: [0-9]* events' "$scratch/said")"
done
if [ -e "$build/explored/taken_$row.wrap3.so" ]; then
	timeout 200 "$build/explore" --schemes =taken_$row --tier quick >"$scratch/said" 2>"$scratch/err" && grep -q "^taken_$row .* kept" "$scratch/said"
	told $? "taken_$row: the explorer's quick tier finds nothing: $(grep "^taken_" "$scratch/said" | tr -s ' ')"
else
	skip "taken_$row explored" "no objects: make explored SCHEMES==taken_$row"
fi

# ---- what is refused ----

refused() { # NAME WORDS OPTION... with the text of the program on stdin
	name=$1 words=$2
	shift 2
	cat >"$scratch/wrong.c"
	! "${CC:-gcc}" -std=gnu11 -O1 -I"$folder" "$@" -c "$scratch/wrong.c" -o "$scratch/wrong.o" 2>"$scratch/err" && grep -q "$words" "$scratch/err"
	report $? "the compiler refuses $name: $(grep -o -m 1 'error.*' "$scratch/err")"
}
for call in try_begin begin end; do
	refused "$call()" "a record of this row is one section" <<END
#include "$row.h"
int f(struct ${row}_tracer *t, struct ${row}_reservation *r) { return ${row}_$call(t, $([ $call = end ] || echo "1, 8,") r); }
END
done
refused "a clock of one's own" "${upper}_CLOCK: the sections of this row read" "-D${upper}_CLOCK()=1" <<END
#include "$row.h"
END
refused "a CPU that is no x86-64" "x86-64 and glibc 2.35" -U__x86_64__ <<END
#include "$row.h"
END
plan
