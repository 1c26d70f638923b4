# SPDX-License-Identifier: MIT
"""usage: read_chunks.py FOLDER [--follow PID] [--gaps] [--chunks N]   Reads a trace of tests/take/consumer.c with
babeltrace2, chunk after chunk: each thread's numbers have to begin at 0 and go on by one, each time has to be at or
after the one before. --follow: while PID runs, and removes what was read. --gaps: numbers only grow (packets were
lost, or removed). --chunks: so many have to be there. Prints "N events, all N highest N": all with those that tell
of threads, and the highest number. Exit code 1: not so."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time

EVENT = re.compile(r"\[(\d+)\] (work|tick|move): .*thread = (\d+), number = (\d+)"
                   r"(?:, before = (\d+), after = (\d+))?")


class Chunks:
    def __init__(self, gaps):
        self.next, self.times, self.events, self.others, self.wrong, self.gaps = {}, {}, 0, 0, [], gaps

    def read(self, folder):
        done = subprocess.run(["babeltrace2", "--clock-cycles", "--no-delta", folder], capture_output=True,
                              text=True, check=False)
        if done.returncode:
            self.wrong.append("%s: %s" % (folder, done.stderr.strip()[-300:]))
        for line in done.stdout.splitlines():
            found = EVENT.match(line)
            if "] stamp: " in line:  # the scheme's own, of three_read
                continue
            if not found:
                if "trace_thread:" not in line:
                    self.wrong.append(line)
                self.others += 1
                continue
            stamp, kind, thread, number, before, after = found.groups()
            key, number = (thread, kind), int(number)
            known = self.next.get(key, number if self.gaps else 0)
            if number < known or (number > known and not self.gaps):
                self.wrong.append("%s: %s of thread %s has %d after %d" % (folder, kind, thread, number, known - 1))
            if int(stamp) < self.times.get(key, 0):
                self.wrong.append("%s: time goes back" % folder)
            if before and (int(stamp) < int(before) or self.times.get(key, 0) > int(after) > 0):
                self.wrong.append("%s: the time of %s of thread %s is not within its call" % (folder, number, thread))
            self.next[key], self.times[key] = number + 1, int(stamp)
            self.events += 1


def runs(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def main():
    said = argparse.ArgumentParser()
    said.add_argument("folder")
    said.add_argument("--follow", type=int)
    said.add_argument("--gaps", action="store_true")
    said.add_argument("--chunks", type=int)
    asked = said.parse_args()
    chunks, count = Chunks(asked.gaps), 0
    while True:
        last = not asked.follow or not runs(asked.follow)
        if os.path.exists(os.path.join(asked.folder, "metadata")):  # a snapshot
            chunks.read(asked.folder)
            break
        there = sorted(one for one in os.listdir(asked.folder) if os.path.exists(
            os.path.join(asked.folder, one, "metadata")))
        for one in there if last else there[:-1]:
            path = os.path.join(asked.folder, one)
            chunks.read(path)
            count += 1
            if asked.follow:
                shutil.rmtree(path)
        if last:
            break
        time.sleep(0.05)
    if asked.chunks is not None and asked.chunks != count:
        chunks.wrong.append("%d chunks, not %d" % (count, asked.chunks))
    print(chunks.events, "events, all", chunks.events + chunks.others, "highest", max(chunks.next.values(), default=0) - 1)
    print("\n".join(chunks.wrong[:5]), end="\n" if chunks.wrong else "", file=sys.stderr)
    return bool(chunks.wrong)


sys.exit(main())
