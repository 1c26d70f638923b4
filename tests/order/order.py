#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is every access around the primitives of schemes/core compiled where the source has it? TAP.

usage: order.py CC...

Compiles probes.c with each compiler, at -O2 and -O3, as the timed and the checked build have the
primitives, plain, LOCKED and with a fenced clock, and reads the assembly. Then faults are planted:
each clobber and each volatile is taken away in turn, and has to be found at -O2 with every compiler
that makes use of it; clobbers are left to gcc, since to clang any volatile asm may access all memory.
Two rules hold what no assembly can show: every asm in schemes/core is volatile, so that clock and
claims keep their order; and only ordered_store() sets and clears soft masks. x86-64.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

BUILDS = (("-DSTAMPEDE_TIMED",), ("-DSTAMPEDE_TIMED", "-DLOCKED", "-DCLOCK_FENCED"),
          ("-DSTAMPEDE_CHECKED", "-DLOCKED"), ("-DSTAMPEDE_TIMED", "-DRESTART_BY_HANDLER"))
WHOLE = BUILDS[1]  # has all of the primitives
LEVELS = ("-O2", "-O3")
PRIMITIVE = {"xadd": r"xadd", "cmpxchg": r"cmpxchg\w? ", "pair": r"cmpxchg16b",
             "add": r"(?:lock )?addq? .*\(%rdi\)$", "mask_enter": r"movq \$1, \(%rdi\)",
             "mask_leave": r"movq \$0, \(%rdi\)", "fenced": r"rdtsc", "section": r"rdtsc",
             "publish": r"(?:call|jmp)\w* .*restart_publish", "clock": r"rdtsc",
             "ordered_store": r"order_shared", "barrier": None}
BEFORE, BEHIND, BETWEEN = (str(int(str(digit) * 8, 16)) for digit in (1, 2, 3))

# Each takes one thing away: file, what, what stays, what has to object ("": a rule).
FAULTS = (
    ("xadd without its clobber", "local.h", r'("xaddq %0, %1".*): "memory", "cc"', r'\1: "cc"', "xadd"),
    ("cmpxchg without its clobber", "local.h", r'(: "r"\(next\)\n\s*): "memory"', r"\1:", "cmpxchg"),
    ("cmpxchg of pairs without its clobber", "local.h",
     r'(: "b"\(next.word\[0\]\), "c"\(next.word\[1\]\)\n\s*): "memory"', r"\1:", "pair"),
    ("add without its clobber", "local.h", r'("addq %1, %0".*): "memory", "cc"', r'\1: "cc"', "add"),
    ("barrier without its clobber", "point.h", r'("" : : : )"memory"', r'\1"cc"', "barrier"),
    ("load that is not volatile", "point.h", r"(\t\tPOINT_LOAD\(\(const) volatile", r"\1",
     "twice_load"),
    ("store that is not volatile", "point.h", r"(\t\tPOINT_STORE\(\()volatile ", r"\1",
     "twice_store"),
    ("store without the barrier before it", "point.h",
     r"barrier\(\); \\\n(\t\tshared_store\(label)", r"\\\n\1", "ordered_store"),
    ("store without the barrier behind it", "point.h",
     r"(\t\tshared_store\(label, ptr, value\); \\\n\t\t)barrier\(\); ", r"\1", "ordered_store"),
    ("mask entered by a store that is not ordered", "mask.h", r'ordered(_store\("mask")',
     r"shared\1", "mask_enter"),
    ("mask left by a store that is not ordered", "mask.h", r'ordered(_store\("unmask")',
     r"shared\1", "mask_leave"),
    ("mask taken again by a store that is not ordered", "mask.h",
     r'ordered(_store\("mask again")', r"shared\1", ""),
    ("clock that is not volatile", "clock_real.h", r'__asm__ volatile(\("rdtsc")', r"__asm__\1",
     "twice_clock"),
    ("fenced clock without its clobber", "clock_real.h", r'(lfence; rdtsc.*\)) : : "memory"', r"\1",
     "fenced"),
    ("fence that is gone", "clock_real.h", r'__asm__ volatile\("lfence" : : : "memory"\)', "(void)0",
     "unfenced"),
    ("fence without its clobber", "clock_real.h", r'("lfence" : : : )"memory"', r'\1"cc"', "clock"),
    ("section without its clobber", "restart_x86_64.h", r': "memory", ("cc", "rax", "rdx")', r": \1",
     "section"),
    ("publishing section without its clobber", "restart_x86_64.h",
     r': "memory", ("cc", "rax", "rcx")', r": \1", "publish"),
    ("xadd that is not volatile", "local.h", r'__asm__ volatile(\(LOCAL_LOCK "xaddq)', r"__asm__\1", ""),
    ("cmpxchg that is not volatile", "local.h", r'__asm__ volatile(\(LOCAL_LOCK LOCAL_CMPXCHG)',
     r"__asm__\1", ""),
    ("add that is not volatile", "local.h", r'__asm__ volatile(\(LOCAL_LOCK "addq)', r"__asm__\1", ""),
)


def functions(text):
    """Instructions of each function, by name."""
    found, now = {}, None
    for line in text.splitlines():
        line = " ".join(re.sub(r"#.*", "", line).split()).replace("lock; ", "lock ")
        label = re.match(r"^([A-Za-z_]\w*):$", line)
        if label and not label.group(1).startswith("restart_"):
            now = found.setdefault(label.group(1), [])
        elif line.startswith(".section") or line.startswith(".pushsection"):
            continue
        elif line and line[0] != "." and now is not None:
            now += [part.strip() for part in line.split(";") if part.strip()]
    return found


def places(code, pattern):
    return [i for i, one in enumerate(code) if re.search(pattern, one)]


def objections(code, build):
    """What of the probes is not as the source has it."""
    bad = []
    if "-DCLOCK_FENCED" in build and len(places(code["twice_clock"], "lfence")) != 2:
        bad.append("unfenced")
    for name, body in code.items():
        if name.startswith("probe_"):
            kind = name[len("probe_"):]
            stores = [places(body, r"mov\w* \$%s, .*order_plain" % value) for value in (BEFORE, BEHIND)]
            loads = places(body, r"mov\w* .*order_plain[^,]*, %")
            at = places(body, PRIMITIVE[kind]) if PRIMITIVE[kind] else [stores[0][0] if stores[0] else 0]
            good = at and all(stores) and loads and min(stores[0]) <= at[0] < max(loads) and \
                at[0] < min(stores[1])
            if kind == "ordered_store":
                between = places(body, r"mov\w* \$%s, .*order_plain" % BETWEEN)
                good = good and between and stores[0][0] < between[0] < at[0]
            if not good:
                bad.append(kind)
        elif name.startswith("twice_"):
            what = "rdtsc" if name == "twice_clock" else "order_shared"
            if len(places(body, what)) != 2:
                bad.append(name)
    return bad


def compiled(cc, level, build, tree):
    done = subprocess.run(
        cc.split() + [level, "-std=gnu11", "-D_GNU_SOURCE=", "-w", "-S", "-o", "-", "-I", tree, *build,
                      "-fno-asynchronous-unwind-tables", "-fno-pic", os.path.join(
                          os.path.dirname(os.path.abspath(__file__)), "probes.c")],
        capture_output=True, text=True, check=False)
    if done.returncode:
        return None, done.stderr
    return functions(done.stdout), ""


def rules(tree):
    """What is not as it has to be in the sources."""
    bad = []
    for path in sorted(glob.glob(os.path.join(tree, "schemes/*/*.h")) + glob.glob(os.path.join(tree, "schemes/*.h"))):
        with open(path) as file:
            text = file.read()
        bad += ["%s: an asm that is not volatile" % os.path.basename(path)
                for _ in re.finditer(r"__asm__(?! (?:goto )?volatile)", text)]
        if path.endswith("mask.h") and re.search(r"shared_store\([^)]*->masked", text):
            bad.append("mask.h: a mask that is not set by ordered_store()")
    return bad


def judged(compilers, tree, builds=BUILDS, levels=LEVELS):
    """By compiler, level and build: which probes object; and the rules that are broken."""
    found = {}
    for cc in compilers:
        for level in levels:
            for build in builds:
                code, said = compiled(cc, level, build, tree)
                wanted = 14 + ("-DCLOCK_FENCED" in build)
                if code is None:
                    found[cc, level, build] = ["does not build: " + said[-500:]]
                elif len([name for name in code if name[:6] in ("probe_", "twice_")]) != wanted:
                    found[cc, level, build] = ["not all probes are there"]
                else:
                    found[cc, level, build] = objections(code, build)
    return found, rules(tree)


def planted(fault, scratch):
    """A copy of schemes/ with the fault; None if there is nothing to take away."""
    _name, file_name, pattern, less, _objects = fault
    tree = os.path.join(scratch, "tree")
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree("schemes", os.path.join(tree, "schemes"))
    (path,) = glob.glob(os.path.join(tree, "schemes/*", file_name))
    with open(path) as file:
        text, count = re.subn(pattern, less, file.read(), count=1)
    with open(path, "w") as file:
        file.write(text)
    return tree if count else None


def main():
    compilers, number = sys.argv[1:], 0

    def report(good, what, why=""):
        nonlocal number
        number += 1
        print("%sok %d - %s" % ("" if good else "not ", number, what))
        if not good and why:
            print("# " + why.replace("\n", "\n# "))
        return good

    if not compilers:
        sys.exit(__doc__)
    found, broken = judged(compilers, ".")
    good = report(not broken, "rules: volatile asm, ordered masks", "\n".join(broken))
    for cc in compilers:
        bad = ["%s %s: %s" % (level, " ".join(build), " ".join(names))
               for (who, level, build), names in found.items() if who == cc and names]
        good &= report(not bad, "%s: all primitives hold what is around them" % cc, "\n".join(bad))
    with tempfile.TemporaryDirectory() as scratch:
        for fault in FAULTS:
            tree = planted(fault, scratch)
            if not tree:
                good &= report(False, "planted: " + fault[0], "nothing to take away")
                continue
            found, broken = judged(compilers, tree, (WHOLE,), LEVELS[:1])
            # To clang every volatile asm may read and write all memory: no clobber is missed there.
            whom = [cc for cc in compilers if "clang" not in cc or "clobber" not in fault[0]]
            missed = [] if broken else [
                cc for cc in whom
                if not any(fault[4] in names for (who, _level, _build), names in found.items()
                           if who == cc)]
            if fault[4] and not whom:
                report(True, "planted: %s # SKIP only gcc shows it" % fault[0])
                continue
            good &= report(bool(broken) if not fault[4] else not missed, "planted: " + fault[0],
                           "not found by " + ", ".join(missed or ["the rules"]))
    print("1..%d" % number)
    sys.exit(not good)


main()
