# SPDX-License-Identifier: MIT
"""
The kernel's schedules in the explorer, once with the algorithm as the kernel has it, once as
schemes/nested_stamps.h repairs it. Lost wraps: an interrupt before the claim, and the clock goes on
by what the kernel's did between the nested event's stamp and the interrupted writer's second one.
Crossing: the first schedule of the smallest budget in which a crossing puts the index back.
"""
import os
import re
import shlex
import subprocess

# fault (as in kernel.mk), shape, budget
ROOM = ("room", "page", "--events 1 --nested 1 --depth 1 --jumps 1 --before 1")
PAGE = ("page", "ends2", "--events 1 --nested 3 --depth 1 --size large --offsets all")
PAGE_FORM = "schemes/history/ftrace_6_8_page.patch"
FORMS = ("as Linux has it", "as repaired in schemes/")


class NoWitness(Exception):
    """The explorer could not be asked; the text says why."""


def build_objects(build, case):
    """Directories with the explored rows: the kernel's form, and ours."""
    done = subprocess.run([os.environ.get("MAKE_COMMAND", "make"), "--no-print-directory", "-s",
                           f"BUILD={build}", "kernel-explored-" + case[0]],
                          capture_output=True, text=True)
    if done.returncode:
        raise NoWitness((done.stderr.strip() or "it does not build").splitlines()[-1])
    return os.path.join(build, "kernel", case[0]), os.path.join(build, "explored")


def explore(build, objects, case, *more):
    done = subprocess.run([os.path.join(build, "explore"), "--objects", objects, "--schemes",
                           "=nested_stamps", "--shape", case[1]] + case[2].split() + list(more),
                          capture_output=True, text=True, timeout=120)
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


def first_failure(text):
    """The options that repeat the first failing schedule of a search."""
    for line in text.splitlines():
        words = shlex.split(line) if "--replay" in line else []
        if "--replay" in words:
            chosen = words[words.index("--replay"):]
            if "--start" in words:
                at = words.index("--start")
                chosen = words[at:at + 2] + chosen[:2]
            return chosen
    raise NoWitness("the explorer finds no fault in the kernel's form")


def report(form, text, schedule, **more):
    return {"form": form, "schedule": schedule, "kept": "verdict: kept" in text,
            "timeline": text, **more}


def with_delta(build, objects, schedule, delta):
    """The schedule with a jump that makes the interrupted writer's delta what it was."""
    jump = delta
    for _ in range(2):
        text = explore(build, objects, ROOM, "--replay", f"{schedule}:{jump}")
        outer, nested, decoded = stamps(text)
        jump += delta - (outer - nested)
    if outer - nested != delta or not at_claim(text):
        raise NoWitness("the schedule does not fit this build of nested_stamps")
    return text, outer - decoded


def lost_wraps(build, delta):
    """Both forms under a true delta of `delta` ns (ticks of the explorer)."""
    objects = build_objects(build, ROOM)
    text = explore(build, objects[0], ROOM)
    schedule = first_failure(text)[-1].split(":")[0]
    if not at_claim(text):
        raise NoWitness("the explorer's first failure is another than an interrupt at the claim")
    done = []
    for form, where in zip(FORMS, objects):
        text, error = with_delta(build, where, schedule, delta)
        done.append(report(form, text, schedule, delta=delta, stored_delta=delta - error
                           if "<-- wrong" in text else None))
    return done


def crossing(build):
    """Both forms under the first schedule that breaks the kernel's at a page's end."""
    if not os.path.exists(PAGE_FORM):
        raise NoWitness(f"the kernel's form, {PAGE_FORM}, is not in this tree")
    objects = build_objects(build, PAGE)
    chosen = first_failure(explore(build, objects[0], PAGE))
    return [report(form, explore(build, where, PAGE, *chosen), chosen[-1], delta=None,
                   stored_delta=None) for form, where in zip(FORMS, objects)]


def agree(done, wrong):
    """The kernel's form stores the same wrong delta, and the repaired one keeps its promises."""
    same = done[0]["delta"] is None or done[0]["stored_delta"] == wrong["delta_ns"]
    return same and not done[0]["kept"] and done[1]["kept"]
