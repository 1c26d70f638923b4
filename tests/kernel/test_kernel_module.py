#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_kernel_module.py BUILD   What make test-kernel takes for wrong, on results that are made
up, and that make kernel-bench loads nothing unasked. TAP."""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, "extras/kernel")
import expectations
import in_kernel
import manners
from module import BAD

ROW = {"row": "packed_word", "verdict": "kept", "bits": 27, "masked": False, "with_nmi": True,
       "delivered": {"softirq": 5, "hardirq": 5, "nmi": 5}, "hits": {"softirq": 2, "hardirq": 2, "nmi": 2}, "depth": {"two": 9, "three": 5, "four": 1},
       "interrupting": 50, "task_share": 0.2, "violations": {"window": 0, "monotonic": 0}}
PRICES = "instructions an event, in batches of 1000 and single"
number = 0
failed = False


def report(good, what):
    global number, failed
    number += 1
    failed |= not good
    print(f"{'' if good else 'not '}ok {number} - {what}", flush=True)


def rows(what, wrong, *changes):
    found = expectations.of_rows([{**ROW, **change} for change in changes], False)
    report(len(found) == wrong, f"{what}: {found}")


def refuses(what, code, word, *words):
    done = subprocess.run(["sh", "extras/kernel/bench.sh", *words], capture_output=True, text=True)
    lines = done.stderr.splitlines()
    report(done.returncode == code and len(lines) == 1 and word in lines[0], f"{what}: {lines}")


rows("a row as it must be", 0, {})
rows("a broken promise", 1, {}, {"verdict": "broken", "text": "time goes back"})
rows("a mask that NMIs come through", 0, {},
     {"masked": True, "verdict": "broken", "text": "records lost"})
rows("a mask that they seem not to come through", 1, {}, {"masked": True})
rows("a mask without NMIs", 0, {}, {"masked": True, "with_nmi": False,
                                  "delivered": {"softirq": 5, "hardirq": 5, "nmi": 0}})
rows("no NMI came", 1, {}, {"delivered": {"softirq": 5, "hardirq": 5, "nmi": 0}})
rows("no softirq came", 1, {}, {"delivered": {"softirq": 0, "hardirq": 5, "nmi": 5}})
rows("never four levels", 1, {"depth": {"two": 9, "three": 5, "four": 0}})
rows("what is not promised is seen", 0, {},
     {"row": "zero_delta", "violations": {"window": 3, "monotonic": 0}})
rows("what is not promised is not seen", 1, {}, {"row": "zero_delta"})
rows("no row at all", 3)
rows("none that kept them", 1, {"verdict": "need not met"})
many = {**ROW, "interrupting": 600000}
shallow = {**ROW, "row": "other", "depth": {"two": 9, "three": 5, "four": 0}}
nested, unseen, count = expectations.reached(
    [many, many, shallow, {**ROW, "row": "broken", "verdict": "broken"}, {**many, "verdict": "broken",
     "masked": True}, {"row": "no", "verdict": "left out"}])
report(nested == {"packed_word": 1200000, "other": 50} and unseen == ["other"] and count == 3,
       f"how far rows were tried: {nested} {unseen} {count}")
line = expectations.reach_line("6.1", [many, many, shallow])
report("at least 50 nested events (other)" in line and "1 with less than 1000000" in line
       and "depth 4 in 1 of 2 rows, not in other" in line, line)


def transcript(**changes):
    """What a guest in which all is as it must be answers to each command of manners."""
    found, looks = [], iter(((99000, 300), changes.get("memory", (98000, 310))))
    for command in manners.commands("6.1"):
        kind = next((kind for kind in ("kill", "busy", "term", "memory") if command.startswith(kind)),
                    "failing" if command == manners.FAILING or " --price " in command else
                    "check" if command.startswith(manners.BENCH + " check") else
                    "bench" if command.startswith(manners.BENCH) else
                    "gone" if command == manners.GONE else
                    "lines" if command.endswith("cat " + manners.LINES) else "")
        said = {
            "kill": ["status signal 9"], "term": ["status 5"], "bench": [PRICES, "status 0"],
            "busy": ["refused 80 times to go", '{"row":"packed_word","verdict":"kept"}', "status 0"],
            "failing": ["stampede: no memory", "status 3"], "gone": ["status 1"],
            "lines": ['{"%s":1}' % kind for kind in ("kernel", "price", "row")],
            "": []}.get(kind)
        if kind == "memory":
            said = ["memory %d free %d vmalloc" % next(looks)]
        if kind == "check":
            refused = ("no headers", "the module is loaded", "modules are disabled")
            said = ["stampede: " + refused[sum(one[0] == command for one in found)], "status 4"]
        if kind in changes and kind != "memory":
            said = changes[kind]
        found.append([command, *said])
    return found


report(not manners.wrong(transcript()), f"a guest of good manners: {manners.wrong(transcript())}")
for kind, said in (("kill", ["status 0"]), ("busy", ["refused 0 times to go", "status 0"]),
                   ("busy", ["refused 9 times to go", '{"verdict":"broken"}', "status 2"]),
                   ("failing", ["status 0"]), ("failing", ["stampede: a", "stampede: b", "status 3"]),
                   ("memory", (90000, 300)), ("memory", (99000, 9000)), ("check", ["status 0"]),
                   ("bench", [PRICES, "status 2"]), ("bench", ["status 0"]), ("lines", ['{"kernel":1}', '{"price":1}']),
                   ("term", ["status 0"]), ("gone", ["status 0"])):
    found = manners.wrong(transcript(**{kind: said}))
    report(len(found) == 1, f"{kind}: {said}: {found}")

with tempfile.TemporaryDirectory() as scratch:
    lines = os.path.join(scratch, "lines")
    with open(lines, "w") as file:
        file.write('{"kernel":"6.1","cpus":2}\n{"row":"a"}\n{"kernel":"6.12","cpus":2}\n{"row":"b"}\n'
                   '{"kernel":"6.1","cpus":2}\n{"price":"c"}\n')
    for _ in range(2):
        in_kernel.write(scratch, "make x", open(lines).read().splitlines(), time.gmtime(0))
    with open(os.path.join(scratch, "latest-in_kernel", "in_kernel.json")) as file:
        document = json.load(file)
    report(os.readlink(os.path.join(scratch, "latest-in_kernel")) == "19700101T000000Z-in-kernel-2"
           and [(one["release"], one["rows"], one["prices"])
                for one in document["kernels"]] ==
           [("6.1", [{"row": "a"}], [{"price": "c"}]), ("6.12", [{"row": "b"}], [])],
           "a record of each kernel's lines")
    for text, what in (("", "nothing was judged"), ('{"row":1}\n', "not what"), ("{", "not what")):
        with open(lines, "w") as file:
            file.write(text)
        done = subprocess.run([sys.executable, "-B", "extras/kernel/in_kernel.py", scratch, "x", lines],
                              capture_output=True, text=True)
        report(done.returncode == 1 and what in done.stderr and done.stderr.count("\n") == 1,
               f"no record of {text!r}: {done.stderr.strip()}")

priced = [{"price": name, "batch": 2.0} for name in ("empty loop", *"abcdef")]
report(not expectations.of_prices(priced), "instructions")
report(expectations.of_prices([{**one, "batch": 2.6} for one in priced]), "no instructions")
report(bool(BAD.search("<4>[    4.1] WARNING: CPU: 0 PID: 1 at kernel/x.c:1\n")), "a warning is seen")
report(not BAD.search("<4>[    4.1] stampede: loading out-of-tree module taints kernel.\n"),
       "a line that is none")
refuses("not asked to load", 4, "CONFIRM=load", "check", "")
refuses("nor by something else", 4, "CONFIRM=load", "run", "yes", "no.ko", "no-program")
print(f"1..{number}")
sys.exit(failed)
