# SPDX-License-Identifier: MIT
"""The module where it is asked to go, is left without memory, or its program is killed; and
extras/kernel/bench.sh as a user runs it, in a guest with a shell. Commands, and what they must come to."""
import json
import re

PROGRAM = "/in-kernel --json - --schemes =packed_word"
BENCH = "/busybox sh /bench.sh"
LINES = "/lines"
# Priced rows would have no price in an emulator: instructions, or rather what its clock says.
BENCHED = f"run load /stampede.ko /in-kernel {LINES} --counted --schemes =packed_word --events 20000"
# Areas of two CPUs, and a thread of each in three epochs.
ALLOCATIONS = 8
# And that of a price, after two CPUs' areas.
PRICED = 1
# KiB that may be missing after all of them were tried a second time; the first fills the kernel's
# caches. A CPU's area is 4 MiB of vmalloc.
LEAK_MOST = {"free": 6144, "vmalloc": 1024}
GONE = "/busybox grep -q ^stampede /proc/modules"


FAILING = f"{PROGRAM} --events 100000000 --seconds 30"


def failing(number):
    return [f"load /stampede.ko fail_at={number}",
            FAILING, "unload"]


def commands(release):
    headers = f"/lib/modules/{release}/build"
    each = [line for number in range(1, ALLOCATIONS + 1) for line in failing(number)]
    return [
        # Whoever uses it is killed in the midst of it, and it goes all the same.
        "load", f"kill 500 {PROGRAM} --events 100000000", "unload",
        "load", f"busy 400 {PROGRAM} --events 20000", "unload",
        *each, "memory", *each, "memory",
        *[line for number in range(3, 3 + PRICED) for line in (
            f"load /stampede.ko fail_at={number}",
            "/in-kernel --json - --price --counted --schemes =packed_word", "unload")],
        f"{BENCH} check load", f"/busybox mkdir -p {headers}", f"/busybox touch {headers}/Makefile",
        "load", f"{BENCH} check load", "unload",
        f"{BENCH} {BENCHED}", GONE, f"/busybox cat {LINES}",
        f"term 4000 {BENCH} {BENCHED} --seconds 300 --events 100000000", GONE,
        "/busybox sysctl -w kernel.modules_disabled=1", f"{BENCH} check load"]


def status(said):
    """What a command ended with: "0", "signal 9"."""
    return next((line.removeprefix("status ") for line in said if line.startswith("status ")), None)


def refused(said, word):
    lines = [line for line in said if line.startswith("stampede: ")]
    return status(said) == "4" and len(lines) == 1 and word in lines[0]


def of_bench(said):
    """What the first run of bench.sh left: a price and a row."""
    kinds = [next(iter(json.loads(line))) for line in said if line.startswith("{")]
    return {"kernel", "price", "row"} <= set(kinds)


def memory(found):
    """KiB that are missing from the first look to the last."""
    looks = [re.match(r"memory (\d+) free (\d+) vmalloc", line).groups()
             for said in found for line in said if line.startswith("memory ") and " free " in line]
    if len(looks) != 2:
        return {"free": None, "vmalloc": None}
    (free, vmalloc), (free_then, vmalloc_then) = ([int(one) for one in look] for look in looks)
    return {"free": free - free_then, "vmalloc": vmalloc_then - vmalloc}


def wrong(found):
    """What is wrong with what the commands said, in their order."""
    bad, said = [], {}
    for command, *lines in found:
        said.setdefault(command, []).append(lines)

    def must(good, what):
        if not good:
            bad.append("manners: " + what)

    def of(start):
        return [lines for command, its in said.items() if command.startswith(start)
                for lines in its]

    killed, busy, bench, term = of("kill "), of("busy "), of(f"{BENCH} run"), of("term ")
    must(killed and status(killed[0]) == "signal 9", "the program was not killed in its midst")
    must(busy and status(busy[0]) == "0" and any(
        re.match(r"refused [1-9]\d* times", line) for line in busy[0]) and any(
        '"verdict":"kept"' in line for line in busy[0]), "asked to go while it was used")
    short = of(FAILING) + of("/in-kernel --json - --price")
    must(len(short) == 2 * ALLOCATIONS + PRICED and all(
        status(lines) == "3" and sum(line.startswith("stampede: ") for line in lines) == 1
        for lines in short), "an allocation that failed was not refused in one line: "
        + str([status(lines) for lines in short]))
    for what, missing in memory([lines for _, *lines in found]).items():
        must(missing is not None and missing <= LEAK_MOST[what],
             f"{missing} KiB of {what} are gone after allocations that failed")
    checks = of(f"{BENCH} check")
    must(len(checks) == 3 and refused(checks[0], "headers") and refused(checks[1], "is loaded")
         and refused(checks[2], "modules are disabled"), f"bench.sh refuses: {checks}")
    must(bench and status(bench[0]) == "0", f"bench.sh: {bench}")
    must(bench and any(line.startswith("instructions an event") for line in bench[0]),
         "bench.sh shows no prices")
    must(of("/busybox cat") and of_bench(of("/busybox cat")[0]), "bench.sh left no record")
    must(term and status(term[0]) == "5", f"bench.sh that was told to end: {term}")
    must([status(lines) for lines in of(GONE)] == ["1", "1"], "bench.sh left the module behind")
    return bad


def summary(found):
    missing = memory([lines for _, *lines in found])
    return (f"killed, in use, {2 * ALLOCATIONS + PRICED} allocations that fail ({missing['free']} KiB free "
            f"and {missing['vmalloc']} KiB of vmalloc less), bench.sh: {len(found)} commands")
