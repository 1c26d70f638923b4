# SPDX-License-Identifier: MIT
"""usage: same_counts.py ONE ALL PART...   Says the schedules of a search's record and ends with 0 if
the merged record has every number of it, and the parts add up to it: all but seconds, states that
parts have in common, and which of several broken schedules is shown."""
import json
import sys


def counts(path):
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    for row in record["rows"]:
        for family in row["families"]:
            del family["seconds"], family["states"]
            family["first"] = bool(family["first"])
    return record["rows"], record["status"]


def schedules(rows):
    return sum(family["schedules"] for row in rows for family in row["families"])


one, merged = counts(sys.argv[1]), counts(sys.argv[2])
each = [schedules(counts(path)[0]) for path in sys.argv[3:]]
if one != merged or sum(each) != schedules(one[0]):
    sys.exit("other counts")
if sum(part > 0 for part in each) < 2:
    sys.exit(f"the parts have {each}: that is no search in parts")
print(f"{schedules(one[0]):,} schedules in {len(each)} parts")
