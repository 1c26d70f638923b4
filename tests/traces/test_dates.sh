#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_dates.sh BUILD   Exports in CTF have dates: they lie between the readings of
# CLOCK_REALTIME around the run, and the traces of a run agree. TAP.
build=$1
. tests/support/tap.sh
read=$build/read-trace
trace=$scratch/trace

before=$(date +%s%N)
"$build/run-stress" --scheme "=packed_word =layout_13_19_cut9_ext" --workload storm \
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
for row in packed_word layout_13_19_cut9_ext; do
	# One event in seven: what is not looked at is of the same rate and pairs.
	"$read" --csv --dates "$trace/$row/epoch-0" 2>"$scratch/err" |
		awk 'NR % 7 == 1' >"$scratch/csv" &&
		python3 -B "$scratch/dates.py" "$scratch/csv" >"$scratch/$row" &&
		count=$(cut -d' ' -f1 "$scratch/$row" | between)
	report $? "$row: read-trace's dates are of the run ($count)"
	"$read" "$trace/$row/epoch-0" 2>&1 | grep -q "^  from $(date -u +%Y)-.*Z to .*Z\$"
	report $? "$row: the summary says from when to when"
done

# Another way to the same: what one row's metadata says, in integers of any length, for the stamps of
# both. 3 us: the rates are of 2 s each, a reading is within some 50 ns, and a tick without its 9 low
# bits of 256 ns, or with a slower counter more.
cat >"$scratch/agree.py" <<'END'
import re, sys
clock = dict(re.findall(r"\b(freq|offset_s|offset) = (-?\d+)", open(sys.argv[1]).read()))
hz, seconds, offset = (int(clock[name]) for name in ("freq", "offset_s", "offset"))
limit = 3000 + 2 * (10**9 * 512 // hz if "cut" in sys.argv[2] else 0)
worst = count = 0
for line in open(sys.argv[2]):
    date, stamp = map(int, line.split())
    worst = max(worst, abs(date - (seconds * 10**9 + (stamp + offset) * 10**9 // hz)))
    count += 1
print("%d ns at most" % worst)
sys.exit(not count or worst > limit)
END
agree() { # file name
	said=$(python3 -B "$scratch/agree.py" "$trace/packed_word/epoch-0/metadata" "$1")
	report $? "$2: dates are those of the stamps, $said"
}
for row in packed_word layout_13_19_cut9_ext; do
	agree "$scratch/$row" "$row by read-trace"
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
cp -r "$trace/packed_word/epoch-0" "$scratch/virtual" && sed -i '/offset/d' "$scratch/virtual/metadata"
says "dates of a clock without an offset" 1 "its clock has no date" "$read" --csv --dates "$scratch/virtual"
plan
