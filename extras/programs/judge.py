#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is each time right in what a preloaded tracer wrote?

usage: judge.py SET MODE FOLDER   SET: malloc, calls or functions; MODE: overwrite, discard or write
exit: 0 right, 1 usage, 2 wrong
"""
import glob
import os
import re
import shutil
import subprocess
import sys
from array import array

FIRST, SECOND = 1, 2  # allocated and freed, or entered and left


def table(path, columns):
    """Rows of 64-bit numbers."""
    if not os.path.exists(path):
        return []
    numbers = array("Q")
    with open(path, "rb") as file:
        numbers.frombytes(file.read())
    return list(zip(*(numbers[one::columns] for one in range(columns))))


class Judged:
    """What was found in all processes and threads of one run."""

    def __init__(self):
        self.processes = self.streams = self.counted = self.read = self.lost = self.overwritten = 0
        self.left_out = self.unknown = self.babeltrace = 0
        self.wrong = []

    def check(self, good, text):
        if not good:
            self.wrong.append(text)

    def line(self):
        return (f"{self.processes} processes, {self.streams} threads, {self.counted} events: {self.read} read, "
                f"{self.lost} counted as lost, {self.overwritten} overwritten, {self.babeltrace} compared with "
                f"babeltrace2; {len(self.wrong)} wrong")


def judge_stream(judged, name, mode, counted, lost, truth, decoded):
    """Each event as it was recorded, once, in order, between the clock before and the clock after its call."""
    judged.check(len(truth) == counted, f"{name}: {counted} events were counted, {len(truth)} logged")
    before_seq, before_time = -1, 0
    for seq, event, a, b, time in decoded:
        if seq >= len(truth) or truth[seq][:4] != (seq, event, a, b):
            judged.wrong.append(f"{name}: event {seq} was never recorded, or differs")
            continue
        entry, leave = truth[seq][4:]
        judged.check(seq > before_seq, f"{name}: event {seq} comes after {before_seq}")
        judged.check(time >= before_time, f"{name}: event {seq} goes back by {before_time - time} ticks")
        judged.check(entry <= time <= leave, f"{name}: event {seq} at {time} is not within {entry} .. {leave}")
        before_seq, before_time = seq, time
    missing = counted - lost - len(decoded)
    if mode == "overwrite":
        # The newest ones are read, without a hole among them, the very last included.
        judged.overwritten += missing
        judged.check(not decoded or before_seq == counted - 1, f"{name}: the last event read is {before_seq}")
        judged.check(not decoded or before_seq - decoded[0][0] == len(decoded) - 1, f"{name}: a hole")
        judged.check(decoded or not counted, f"{name}: nothing is read")
    else:
        judged.check(missing == 0, f"{name}: {counted} counted, {lost} lost, {len(decoded)} read")


def judge_allocations(judged, name, events, whole):
    """By time, over all threads, an address is allocated, freed, allocated ..."""
    held = {}
    for _, event, address, _ in sorted(events):
        if event == FIRST:
            judged.check(not held.get(address), f"{name}: {address:#x} is allocated twice")
        elif not held.get(address) and (address in held or whole):
            judged.wrong.append(f"{name}: {address:#x} is freed, and was not allocated before")
        held[address] = event == FIRST


def judge_functions(judged, name, events, whole):
    """What is left is what was entered last."""
    stack = []
    for _, event, function, _ in events:
        if event == FIRST:
            stack.append(function)
        elif stack or whole:
            judged.check(stack and stack[-1] == function, f"{name}: {function:#x} is left, and was not entered last")
            stack = stack[:-1]


def babeltrace(judged, name, folder, streams):
    """The other reader's times are the same; it orders streams by ns, which may be two ticks. No CTF 2 before 2.1."""
    with open(f"{folder}/metadata", "rb") as file:
        if file.read(1) == b"\x1e":
            return
    done = subprocess.run(["babeltrace2", "--clock-cycles", "--no-delta", "--names=none", folder],
                          capture_output=True, text=True, check=False)
    judged.check(done.returncode == 0, f"{name}: babeltrace2: {done.stderr.strip().splitlines()[-1:]}")
    times = sorted(int(one) for one in re.findall(r"^\[(\d+)\]", done.stdout, re.M))
    ours = sorted(one[4] for decoded in streams for one in decoded)
    judged.check(times == ours, f"{name}: babeltrace2 reads {len(times)} events, or other times")
    judged.babeltrace += len(times)


def judge(kind, mode, folder):
    judged = Judged()
    for counts in sorted(glob.glob(os.path.join(glob.escape(folder), "*.counts"))):
        prefix, whole, events, streams = counts.removesuffix(".counts"), mode == "write", [], []
        name = os.path.basename(prefix)
        judged.processes += 1
        with open(counts, encoding="ascii") as file:
            *lines, end = [line.split() for line in file]
        judged.check(end[0] == "end", f"{name} did not end")
        for number, counted, left_out, lost, *_ in lines:
            counted, lost = int(counted), int(lost)
            decoded = table(f"{prefix}.decoded.{number}", 5)
            judge_stream(judged, f"{name}/{number}", mode, counted, lost, table(f"{prefix}.truth.{number}", 6), decoded)
            judged.streams += 1
            judged.counted += counted
            judged.lost += lost
            judged.read += len(decoded)
            judged.left_out += int(left_out)
            whole = whole and not lost and not int(left_out) and end[1] == "0"
            streams.append(decoded)
            events.append([(one[4], *one[1:4]) for one in decoded])
        if kind == "malloc" and (whole or len(streams) == 1):
            # A trace with holes in one thread only says less; with holes in several it says nothing.
            judge_allocations(judged, name, [one for its in events for one in its], whole)
        if kind == "functions":
            for number, its in enumerate(events):
                judge_functions(judged, f"{name}/{number}", its, whole)
        if os.path.exists(f"{prefix}.trace/metadata") and any(streams) and shutil.which("babeltrace2"):
            babeltrace(judged, name, f"{prefix}.trace", streams)
    return judged


def main():
    if len(sys.argv) != 4:
        print(__doc__)
        return 1
    judged = judge(*sys.argv[1:])
    for line in judged.wrong[:10]:
        print(f"# {line}")
    print(judged.line())
    return 2 if judged.wrong or not judged.counted else 0


if __name__ == "__main__":
    sys.exit(main())
