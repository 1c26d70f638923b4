# SPDX-License-Identifier: MIT
"""
The same schedule in the explorer: an interrupt before the claim, and the clock goes on by what the
kernel's did between the nested event's stamp and the interrupted writer's second one. Once with the
algorithm as the kernel has it (unrepaired.patch), once as schemes/nested_stamps.h repairs it.
"""
import os
import re
import subprocess

BUDGET = ["--schemes", "=nested_stamps", "--shape", "page", "--events", "1", "--nested", "1",
          "--depth", "1", "--jumps", "1", "--before", "1"]
WRAP = 1 << 27


class NoWitness(Exception):
    """The explorer could not be asked; the text says why."""


def explore(build, objects, *more):
    done = subprocess.run([os.path.join(build, "explore"), "--objects", objects] + BUDGET
                          + list(more), capture_output=True, text=True, timeout=120)
    if done.returncode not in (0, 2):
        raise NoWitness((done.stderr.strip() or "build/explore failed").splitlines()[-1])
    return done.stdout


def stamps(text):
    """Of the interrupted writer E1 and of E2 in it: their stamps; E1 as a reader decodes it."""
    found = {}
    for event, stamp in re.findall(r"(E\d) leaves, stamp (\d+)", text):
        found[event] = int(stamp)
    decoded = re.search(r"\bE1 +decoded (\d+)", text)
    if not decoded or "E1" not in found or "E2" not in found:
        raise NoWitness("the explorer's timeline has no E1 and E2")
    return found["E1"], found["E2"], int(decoded.group(1))


def at_claim(text):
    """Whether E1 is interrupted at its xadd, and the clock jumps after E2 has its stamp."""
    jump = re.search(r"\n +(\d+) .*\.\.\. \d+ ticks pass", text)
    return (re.search(r"E1 is about to do .*xadd.*\n.*E2 enters", text) and jump
            and stamps(text)[1] <= int(jump.group(1)))


def replay(build, objects, schedule, delta):
    """The schedule with a jump that makes the interrupted writer's delta what it was."""
    jump = delta
    for _ in range(2):
        text = explore(build, objects, "--replay", f"{schedule}:{jump}")
        outer, nested, decoded = stamps(text)
        jump += delta - (outer - nested)
    if outer - nested != delta or not at_claim(text):
        raise NoWitness("the schedule does not fit this build of nested_stamps")
    return text, outer - decoded


def witnesses(build, delta):
    """For the record: both forms under a true delta of `delta` ns (ticks of the explorer)."""
    subprocess.run([os.environ.get("MAKE_COMMAND", "make"), "--no-print-directory", "-s",
                    f"BUILD={build}", "kernel-explored"], check=True)
    kernels, ours = os.path.join(build, "kernel", "explored"), os.path.join(build, "explored")
    text = explore(build, kernels)
    found = re.search(r'--replay "(\w+\.\w+):\d+"', text)
    if not found or not at_claim(text):
        raise NoWitness("the explorer's first failure is another than an interrupt at the claim")
    done = []
    for form, objects in (("as Linux has it", kernels), ("as repaired in schemes/", ours)):
        text, error = replay(build, objects, found.group(1), delta)
        done.append({"form": form, "schedule": found.group(1), "delta": delta,
                     "stored_delta": delta - error if "<-- wrong" in text else None,
                     "kept": "verdict: kept" in text, "timeline": text})
    return done


def agree(done, wrong):
    """The kernel's form stores the same wrong delta, and the repaired one keeps its promises."""
    return (done[0]["stored_delta"] == wrong["delta_ns"] and not done[0]["kept"]
            and done[1]["kept"])
