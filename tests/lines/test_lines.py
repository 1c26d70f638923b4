#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_lines.py BUILD   What lackey's lines are counted to, by hand and of a real row. TAP."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "extras", "lines"))
import lines  # noqa: E402

BUILD = sys.argv[1]
WHERE = {"mark": 0x9000, "stack": [0x7000, 0x8000], "ring": 0x10000, "subbuf": 4096, "events": 3, "slow_every": 2}
# Nothing; then an event of 2 instructions that crosses a line, reads the line after, writes the ring and the
# stack; a slow one; one that goes on in the next sub-buffer and touches one line in all three ways.
TRACE = """==1== Lackey
 S 00010000,8
I  00400000,4
 S 00009000,8
I  00001000,4
 S 00009000,8
I  00500000,4
 S 00009000,8
I  0000103e,4
I  00001000,4
 L 00002040,8
 S 00010000,8
 S 00007ff8,8
 S 00009000,8
 S 00009000,8
I  00001080,4
 S 00010008,8
 S 00009000,8
 S 00009000,8
 M 00002040,8
 S 00010ffc,4
 S 00011000,8
 S 00009000,8
==1== end
"""
number = 0


def report(good, name):
    global number
    number += 1
    print(("ok" if good else "not ok") + " - " + name)


with tempfile.NamedTemporaryFile("w") as trace:
    trace.write(TRACE)
    trace.flush()
    empty, *events = lines.events_of(trace.name, WHERE)
without = empty.units("ILS", 64, set())
report(without == {0x40}, "nothing touches its own code")
report([sorted(one.units("ILS", 64, without)) for one in events] ==
       [[0x41, 0x81, 0x400], [0x42, 0x400], [0x81, 0x43f, 0x440]],
       "lines: each once, both where one is crossed, the stack's none, the empty loop's none")
report([len(events[2].units(kind, 64, without)) for kind in "ILS"] == [0, 1, 3], "what is modified is read and written")
report([sorted(one.units("ILS", 4096, set())) for one in events] == [[1, 2, 16], [1, 16], [2, 16, 17]], "pages")
report([lines.path_of(at, one, events[at - 2] if at > 1 else None, WHERE) for at, one in enumerate(events, 1)] ==
       ["plain", "slow", "switching"], "paths")
report(lines.against({"a": 10, "b": 14, "c": 18, "e": 22, "k": 999, "d": 1},
                     {"a": 1, "b": 2, "c": 3, "e": 4, "k": 5}) ==
       "5 rows, cold: 6 ns and 4 ns more for each line; half of the rows are within 0 % of that", "a line through what was timed")
report([one.misses for one in events] == [4, 2, 3], "an access to two new lines is one miss, the stack's are counted")
report(lines.witness({"a": (7.5, 7), "b": (6, 7.25)}).endswith(
    "misses -1.25 (b) to 0.50 (a) lines more than lackey's accesses say"), "two counts")
report(lines.witness({}) == "cachegrind: no row to compare", "two counts of no row")
report("no cold events" in lines.against({}, {"a": 1}), "a run without cold events")
report("as many lines" in lines.against(dict.fromkeys("abc", 9), dict.fromkeys("abc", 4)), "rows of as many lines")
if shutil.which("valgrind"):
    its = {row: lines.count(f"{BUILD}/touch", row, 1) for row in ("floor", "delta_sync_hard")}
    report(set(its["floor"]) == {"plain", "slow", "switching", "mean"}, "each path of a row is met")
    report(its["floor"]["plain"][0] < its["delta_sync_hard"]["plain"][0] and
           its["floor"]["plain"][4] < its["floor"]["switching"][4],
           "masks cost instructions, and a switch costs lines")
    # An event writes its record's line, the tail and the commit.
    report(its["floor"]["plain"][3] >= 3, "an event writes at least its record, the tail and the commit")
    missed = {row: lines.missed(f"{BUILD}/touch", row, 1) for row in its}
    report(all(abs(missed[row] - its[row]["mean"][6]) < 0.25 for row in its), "cachegrind misses what lackey counts")
    report(lines.count(f"{BUILD}/touch", "none", 1) is None, "lackey refuses an unknown row")
    report(lines.missed(f"{BUILD}/touch", "none", 1) is None, "cachegrind refuses an unknown row")
else:
    print("ok - a real row # SKIP no valgrind")
    number += 1
done = subprocess.run([sys.executable, lines.__file__, f"{BUILD}/touch", "/none"], capture_output=True, text=True,
                      check=False)
report(done.returncode == 1 and done.stderr.startswith("stampede: ") and done.stderr.count("\n") == 1,
       "a record that is not there")
print(f"1..{number}")
