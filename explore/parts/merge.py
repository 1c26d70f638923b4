#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the parts of one search found, said as one search says it.

usage: merge.py [--json FILE] PART...   PART is what `explore --part K/N --json PART` wrote
exit: 0 kept, 1 a file is no part of this search, 2 promise broken, 4 a row cannot be searched,
5 parts are missing
"""
import argparse
import json
import os
import sys

SUMS = ("schedules", "seconds", "broken", "need_not_met", "gave_up", "decoded", "extended",
        "inexact", "stops", "states")
ENDS = ("-", "next event", "whole stamp", "sub-buffer's end", "never")
OWN_OPTIONS = ("--part", "--json", "--processes", "--memory")
VERDICTS = ("kept", "no promise", "need not met", "broken")


class Refused(Exception):
    """A line for the user, and the exit code."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def of_search(arguments):
    """The command line without what differs from part to part, and which part it asks for."""
    left, part, words = [], None, iter(arguments)
    for word in words:
        name, sign, value = word.partition("=")
        if name in OWN_OPTIONS:
            value = value if sign else next(words, "")
            part = value if name == "--part" else part
        else:
            left.append(word)
    return left, part


def read(path):
    """A part as (K, N, record)."""
    try:
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        record["arguments"], part = of_search(record["arguments"])
        number, _, parts = part.partition("/")
        return int(number), int(parts), record
    except OSError as error:
        raise Refused(1, f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refused(1, f"{path} is no part of a search: explore --part K/N --json writes one; "
                         "remove it, and search that part again") from error


def what_was_searched(record):
    """All of a record that has to be the same in each part."""
    return [record["program"], record["arguments"],
            [[row["row"], row["objects"],
              [{key: value for key, value in family.items()
                if key not in (*SUMS, "verdict", "objections", "damage", "first")}
               for family in row["families"]]] for row in record["rows"]]]


def add(into, family):
    """One part's family to the sum of those before."""
    for key in SUMS:
        into[key] += family[key]
    for name, count in family["objections"].items():
        into["objections"][name] = into["objections"].get(name, 0) + count
    damage, other = into["damage"], family["damage"]
    damage["schedules"] += other["schedules"]
    damage["wrong"] = max(damage["wrong"], other["wrong"])
    damage["worst"] = max(damage["worst"], other["worst"])
    damage["until"] = max(damage["until"], other["until"], key=ENDS.index)
    # The worse verdict's schedule, and of two the shorter one.
    rank = [(-VERDICTS.index(one["verdict"]), len(one["first"] or "")) for one in (into, family)]
    if rank[1] < rank[0]:
        into["verdict"], into["first"] = family["verdict"], family["first"]


def merge(paths):
    """The record of the whole search."""
    there = {}
    for path in paths:
        number, parts, record = read(path)
        if number in there:
            raise Refused(1, f"{path} and {there[number][0]} are both part {number}: leave one out")
        there[number] = path, parts, record
    path, parts, total = there[min(there)]
    searched = what_was_searched(total)
    for number in sorted(there):
        if there[number][1] != parts or what_was_searched(there[number][2]) != searched:
            raise Refused(1, f"{there[number][0]} is of another search than {path}, by its program, "
                             "objects, options or number of parts: remove it, and search that part "
                             "again")
    missing = [number for number in range(parts) if number not in there]
    if missing:
        raise Refused(5, f"{len(missing)} of {parts} parts are missing: "
                         f"{' '.join(map(str, missing))[:400]}")
    for number in range(1, parts):
        record = there[number][2]
        total["status"] = 2 if 2 in (total["status"], record["status"]) else \
            max(total["status"], record["status"])
        for row, other in zip(total["rows"], record["rows"]):
            for into, family in zip(row["families"], other["families"]):
                add(into, family)
    return total


def say(row):
    """A line per row, and the first broken schedule of each budget."""
    sums = {key: sum(family[key] for family in row["families"])
            for key in ("searches", "schedules", "seconds", "broken", "need_not_met")}
    verdict = f"BROKEN {sums['broken']}" if sums["broken"] else \
        "no promise" if any(family["verdict"] == "no promise" for family in row["families"]) else \
        f"kept where needs are met ({sums['need_not_met']} not)" if sums["need_not_met"] else "kept"
    print(f"{row['row']:26} {sums['searches']:6} {sums['schedules']:16} {sums['seconds']:10.2f} s  "
          f"{verdict}")
    for family in row["families"]:
        if family["broken"]:
            print(f"{family['budget']}: BROKEN {family['broken']}:",
                  *(f"{name} {count}" for name, count in family["objections"].items()))
            print(family["first"])


def main():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2])
    parser.add_argument("--json")
    parser.add_argument("parts", nargs="+")
    asked = parser.parse_args()
    total = merge(asked.parts)
    if asked.json:
        with open(asked.json + ".new", "w", encoding="utf-8") as file:
            json.dump(total, file)
        os.replace(asked.json + ".new", asked.json)
    print(f"{'row':26} {'runs':>6} {'schedules':>16}")
    for row in total["rows"]:
        say(row)
    return total["status"]


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Refused as refused:
        print(f"stampede: {refused}", file=sys.stderr)
        sys.exit(refused.code)
