#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_dates.sh BUILD   Exports have dates: read by babeltrace2 and by read-trace, they lie
# between the readings of CLOCK_REALTIME around the run, and all traces of a run agree. TAP.
build=$1
. tests/support/tap.sh
read=$build/read-trace
trace=$scratch/trace

before=$(date +%s%N)
"$build/run-stress" --scheme "=packed_word =nested_stamps =layout_13_19_cut9_ext" --workload storm \
	--seconds 0.3 --export "$trace" --export-mib 1 >"$scratch/out" 2>"$scratch/err"
code=$?
after=$(date +%s%N)
report $code "a storm is exported"
[ $code = 0 ] || sed 's/^/# /' "$scratch/err"

# Date, and stamp of the payload if there is a column of it, of each event.
cat >"$scratch/dates.py" <<'END'
import calendar, csv, functools, sys, time
@functools.lru_cache
def seconds(whole):
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S"))
def ns(date):
    whole, part = date.rstrip("Z").split(".")
    return seconds(whole) * 10**9 + int(part)
rows = csv.reader(open(sys.argv[1]))
names = next(rows)
date = names.index("date")
stamp = names.index("payload_stamp" if "payload_stamp" in names else "stamp_ns")
print("\n".join("%d %s" % (ns(row[date]), row[stamp]) for row in rows))
END
# All of standard input's dates are between the two readings; says how many.
between() {
	awk -v before="$before" -v after="$after" '
		length($1) != length(before) || $1 < before "" || $1 > after "" { bad++ }
		END { print NR; exit bad || !NR }'
}
for row in packed_word nested_stamps layout_13_19_cut9_ext; do
	# One event in seven: what is not looked at is of the same rate and pairs.
	"$read" --csv --dates "$trace/$row/epoch-0" 2>"$scratch/err" |
		awk 'NR % 7 == 1' >"$scratch/csv" &&
		python3 -B "$scratch/dates.py" "$scratch/csv" >"$scratch/$row" &&
		count=$(cut -d' ' -f1 "$scratch/$row" | between)
	report $? "$row: read-trace's dates are of the run ($count)"
	"$read" "$trace/$row/epoch-0" 2>&1 | grep -q "^  from $(date -u +%Y)-.*Z to .*Z\$"
	report $? "$row: the summary says from when to when"
done

# Another way to the same: what the file beside the sub-buffers says, in integers of any length, for
# the stamps of all three. 3 us: the rates are of 2 s each, a reading is within some 50 ns, and a
# tick without its 9 low bits of 256 ns, or with a slower counter more.
cat >"$scratch/agree.py" <<'END'
import sys
clock = dict(line.split() for line in open(sys.argv[1]) if line[0] != "#")
hz, ticks, real = (int(clock[name]) for name in ("hz", "ticks", "realtime_ns"))
limit = 3000 + 2 * (10**9 * 512 // hz if "cut" in sys.argv[2] else 0)
worst = count = 0
for line in open(sys.argv[2]):
    date, stamp = map(int, line.split())
    worst = max(worst, abs(date - (real + (stamp - ticks) * 10**9 // hz)))
    count += 1
print("%d ns at most" % worst)
sys.exit(not count or worst > limit)
END
agree() { # file name
	said=$(python3 -B "$scratch/agree.py" "$trace/nested_stamps/epoch-0/clock" "$1")
	report $? "$2: dates are those of the stamps, $said"
}
for row in packed_word nested_stamps layout_13_19_cut9_ext; do
	agree "$scratch/$row" "$row by read-trace"
done

# Pairs lie around all events, one each 20 ms, and dates go by them and by nothing else: an hour later
# in the file is an hour later in each date, where the metadata has no date too.
"$build/run-stress" --scheme "=packed_word =nested_stamps" --workload storm --seconds 0.1 \
	--export "$scratch/short" --export-mib 8 >"$scratch/out" 2>"$scratch/err"
report $? "a short storm is exported"
cat >"$scratch/around.py" <<'END'
import csv, sys
pairs = [tuple(map(int, line.values())) for line in csv.DictReader(open(sys.argv[1]))]
stamps = [int(line.split()[1]) for line in open(sys.argv[2])]
with open(sys.argv[1], "w") as file:
    file.write("ticks,monotonic_ns,realtime_ns,error_ns\n")
    for pair in pairs:
        file.write("%d,%d,%d,%d\n" % (pair[0], pair[1], pair[2] + 3600 * 10**9, pair[3]))
early = [1 for one, two in zip(pairs[1:], pairs[2:-1]) if two[1] - one[1] < 18 * 10**6]
print("%d pairs, %d early" % (len(pairs), len(early)))
sys.exit(len(pairs) < 4 or bool(early) or not pairs[0][0] < min(stamps) <= max(stamps) < pairs[-1][0])
END
cat >"$scratch/hour.py" <<'END'
import sys
one, two = ([int(line.split()[0]) for line in open(name)] for name in sys.argv[1:])
sys.exit(not one or two != [date + 3600 * 10**9 for date in one])
END
# One event in seven here too, with the first and the last, which pairs have to be around.
some() {
	awk 'NR % 7 == 1 || NR == 2; { last = $0 } END { print last }'
}
for row in packed_word nested_stamps; do
	dir=$scratch/short/$row/epoch-0
	"$read" --csv --dates "$dir" | some >"$scratch/csv"
	python3 -B "$scratch/dates.py" "$scratch/csv" >"$scratch/one"
	said=$(python3 -B "$scratch/around.py" "$dir/.clock_pairs.csv" "$scratch/one")
	report $? "$row: pairs are around all events, and 20 ms apart: $said"
	[ $row = nested_stamps ] || sed -i 's/^\(\toffset[_s]* = \).*/\10;/' "$dir/metadata"
	"$read" --csv --dates "$dir" 2>"$scratch/err" | some >"$scratch/csv" &&
		python3 -B "$scratch/dates.py" "$scratch/csv" >"$scratch/two" &&
		[ ! -s "$scratch/err" ] && python3 -B "$scratch/hour.py" "$scratch/one" "$scratch/two"
	report $? "$row: dates are those of the pairs"
done

if command -v babeltrace2 >/dev/null; then
	for row in packed_word layout_13_19_cut9_ext; do
		babeltrace2 --clock-seconds "$trace/$row/epoch-0" 2>/dev/null |
			awk -v "what={ stamp = " '
				/^\[[0-9]+\.[0-9]+\]/ && (at = index($0, what)) {
					date = substr($0, 2, index($0, "]") - 2)
					sub(/\./, "", date)
					stamp = substr($0, at + length(what), 24)
					print date, substr(stamp, 1, index(stamp, ",") - 1)
				}' >"$scratch/theirs_$row"
		count=$(cut -d' ' -f1 "$scratch/theirs_$row" | between)
		report $? "$row: babeltrace2's dates are of the run ($count)"
		agree "$scratch/theirs_$row" "$row by babeltrace2"
	done
	# What others recorded: to the ns.
	for other in lttng lttng_compact; do
		babeltrace2 --clock-seconds tests/data/$other 2>/dev/null |
			sed -n 's/^\[\([0-9]*\)\.\([0-9]*\)\].*/\1\2/p' >"$scratch/theirs"
		"$read" --csv --dates tests/data/$other >"$scratch/csv" &&
			python3 -B "$scratch/dates.py" "$scratch/csv" | cut -d' ' -f1 |
			cmp -s - "$scratch/theirs" && [ -s "$scratch/theirs" ]
		report $? "$other: read-trace and babeltrace2 have the same dates"
	done
else
	skip "dates by babeltrace2" "no babeltrace2"
fi

# ---- what has none ----
says "--dates without --csv" 1 "goes with --csv" "$read" --dates "$trace/packed_word/epoch-0"
says "dates of a kernel's sub-buffers" 1 "its clock has no date" \
	"$read" --csv --dates tests/data/ftrace
sed -i 's/^hz .*/hz 0/' "$trace/nested_stamps/epoch-0/clock"
says "a rate of 0" 1 "clock: not hz (above 0)" "$read" "$trace/nested_stamps/epoch-0"
if [ -d "$build/explored" ]; then
	"$build/explore" --schemes =packed_word --replay n1 --export "$scratch/virtual" \
		>"$scratch/out" 2>&1
	report $? "a schedule is exported"
	says "dates of a virtual clock" 1 "its clock has no date" \
		"$read" --csv --dates "$scratch/virtual"
else
	skip "dates of a virtual clock" "no objects in $build/explored: make explored"
fi
plan
