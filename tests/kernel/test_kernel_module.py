#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_kernel_module.py BUILD   What make test-kernel takes for wrong, on results that are made
up, and that make kernel-bench loads nothing unasked. TAP."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import expectations
from module import BAD

ROW = {"row": "packed_word", "verdict": "kept", "bits": 27, "masked": False, "with_nmi": True,
       "delivered": [0, 5, 5, 5, 0], "hits": [0, 2, 2, 2, 0], "at_depth": [0, 2, 9, 5, 1, 0],
       "interrupting": 50, "task_share": 0.2, "violations": {"window": 0, "monotonic": 0}}
OWN = {"unaccounted": 0, "events": 9, "hits": [0, 1, 1, 1, 0]}
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
    done = subprocess.run(["sh", "kernel/bench.sh", *words], capture_output=True, text=True)
    lines = done.stderr.splitlines()
    report(done.returncode == code and len(lines) == 1 and word in lines[0], f"{what}: {lines}")


rows("a row as it must be", 0, {})
rows("a broken promise", 1, {}, {"verdict": "broken", "text": "time goes back"})
rows("a mask that NMIs come through", 0, {},
     {"masked": True, "verdict": "broken", "text": "records lost"})
rows("a mask that they seem not to come through", 1, {}, {"masked": True})
rows("a mask without NMIs", 0, {}, {"masked": True, "with_nmi": False,
                                  "delivered": [0, 5, 5, 0, 0]})
rows("no NMI came", 1, {}, {"delivered": [0, 5, 5, 0, 0]})
rows("no softirq came", 1, {}, {"delivered": [0, 0, 5, 5, 0]})
rows("never four levels", 1, {"at_depth": [0, 2, 9, 5, 0, 0]})
rows("what is not promised is seen", 0, {},
     {"row": "zero_delta", "violations": {"window": 3, "monotonic": 0}})
rows("what is not promised is not seen", 1, {}, {"row": "zero_delta"})
rows("no row at all", 3)
rows("none that kept them", 1, {"verdict": "need not met"})
report(not expectations.of_own([OWN, OWN]), "the kernel's own buffer")
report(len(expectations.of_own([OWN, {**OWN, "unaccounted": 1}])) == 1, "an event is missing in it")
report(len(expectations.of_own([OWN])) == 1, "it was written once only")
report(len(expectations.of_own([OWN, {**OWN, "hits": [0, 0, 0, 0, 0]}])) == 1,
       "nothing came into its reserve")
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
