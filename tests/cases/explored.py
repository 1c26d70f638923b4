#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The verdicts of all rows and the known limits, as a record.

usage: explored.py [--build DIR] [--results DIR] [--tier T] [--schemes LIST]

Searches a tier of build/explore, then the budgets in LIMITS, each of which has to find what it says.
Writes RESULTS/<UTC>-explored/explored.json (results/SCHEMA.md) and lets RESULTS/latest-explored
point there; make bench takes that over into its page. Exit code: 0 fine, 1 usage,
or a limit that is not found any more, 2 a row breaks a promise, 3 no space or permission to write.
"""
import argparse
import json
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "results"))
import beside  # noqa: E402
import cases  # noqa: E402, beside this file

# What is found: broken, need not met, or that a row extends more than a slow clock may cost.
LIMITS = (
    {"name": "delta of a wrap", "case": "history/ftrace_6_8_room.patch",
     "row": "nested_stamps", "form": "as Linux has it", "expected": "broken",
     "what": "An event that is interrupted before its claim computes its delta after the "
             "interrupt, a wrap or more later, and truncates it to the field. It is decoded "
             "whole wraps too early."},
    {"name": "page crossing", "case": "history/ftrace_6_8_page.patch",
     "row": "nested_stamps", "form": "as Linux has it", "expected": "broken",
     "what": "After an interrupted event that fills its sub-buffer, a nested event moves to "
             "the next one and puts the index back. The check for other writers finds none, "
             "and the delta counts from the wrong event."},
    {"name": "equal stamps", "row": "nested_stamps", "form": "today", "expected": "need not met",
     "budget": "--shape page --events 2 --nested 2 --depth 2 --jumps 1 --clock coarse --before 1",
     "what": "The clock gives a value twice. An interrupted writer stores its old stamp, equal "
             "to the stamp of a finished event, and a stale write stamp is trusted again. The "
             "row declares that it needs a strict clock."},
    {"name": "livelock", "row": "three_read", "form": "today", "expected": "extended",
     "budget": "--shape wrap4 --events 2 --nested 0 --clock slow",
     "what": "Each clock read takes a wrap, so every attempt finds another overflow and writes "
             "another stamp event, until the sub-buffer is full. The row does not promise to "
             "finish."},
    {"name": "missed beat", "row": "heartbeat", "form": "today", "expected": "need not met",
     "budget": "--shape wrap4 --events 1 --nested 0 --jumps 1 --before 1",
     "what": "No beat comes for a wrap, and the event is decoded a whole wrap too early, "
             "without a sign. The row declares that it needs a timely beat."},
)


class Failure(Exception):
    """What is said before exit code 1."""


def plain_timeline(options, words):
    """Where nothing broke: the schedule without any interrupt, as the others have it."""
    done = subprocess.run([os.path.join(options.build, "explore"), *words, "--replay", "none"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure("build/explore --replay: exit code %d" % done.returncode)
    return "  build/explore %s --replay none\n" % " ".join(words) + done.stdout


def limit(options, known):
    """One of LIMITS, searched."""
    if "case" in known:
        case = cases.read_cases(os.path.join(options.build, known["case"]))[0]
        words = ["--object", cases.build_case(case, options)] + case.budget
        budget = case.breaks
    else:
        budget = known["budget"]
        words = ["--schemes", "=" + known["row"]] + budget.split()
    family = cases.searched(options, words)[0]["rows"][0]["families"][0]
    found = family["verdict"] == known["expected"] or (
        known["expected"] == "extended" and family["extended"] > family["decoded"])
    if not found:
        raise Failure("%s of %s is not found any more: %s" % (known["name"], known["row"],
                                                              family["verdict"]))
    timeline = family["first"] or plain_timeline(options, words)
    return {"name": known["name"], "what": known["what"], "row": known["row"],
            "form": known["form"], "budget": budget, "verdict": family["verdict"],
            "schedules": family["schedules"],
            "failing": family["broken"] or family["need_not_met"],
            "decoded": family["decoded"], "extended": family["extended"],
            "timeline": timeline}


def search(options):
    """Everything; exit code."""
    options.points = False
    options.explored = cases.Once()
    revision = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude", "*"],
                              capture_output=True, text=True, check=False).stdout.strip()
    begun = time.gmtime()
    words = ["--schemes", options.schemes] if options.schemes else []
    record = {"schema": 1, "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", begun),
              "revision": revision or "unknown", "tier": options.tier,
              "schemes": options.schemes or "",
              "rows": cases.searched(options, ["--tier", options.tier] + words)[0]["rows"],
              "limits": [limit(options, known) for known in LIMITS]}
    directory = beside.place(options.results, begun, "explored")
    beside.put(os.path.join(directory, "explored.json"), json.dumps(record, indent=1) + "\n")
    beside.point_to(directory, "explored")
    print("%s: %d rows, %d limits" % (directory, len(record["rows"]), len(record["limits"])))
    return 2 if any(its["verdict"] == "broken" for row in record["rows"] for its in row["families"]) else 0


def main():
    parser = argparse.ArgumentParser(usage=" ".join(__doc__.split("\n\n")[1].split())[7:])
    parser.add_argument("--build", default="build")
    parser.add_argument("--results", default="results")
    parser.add_argument("--tier", default="quick")
    parser.add_argument("--schemes")
    options = parser.parse_args()
    try:
        return search(options)
    except (Failure, cases.Failure) as failure:
        print("stampede: %s" % failure, file=sys.stderr)
        return 1
    except (OSError, ValueError) as error:
        print("stampede: explored.py: %s" % error, file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
