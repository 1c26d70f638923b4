#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The schemes in unmodified kernels: builds the module against each one's headers, boots it under qemu
with two processors and no network, has every row recorded under softirqs, hardirqs and NMIs at two
widths, and looks at what the judge said.

Exit code: 0 as it must be, 1 not, 2 no verdict, 5 interrupted, 77 something is missing.
"""
import argparse
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import expectations
import images
import manners
from machine import Failure, Machine, make_initrd

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "extras", "kernel"))
import in_kernel

FINE, FAILED, VOID, INTERRUPTED, MISSING = 0, 1, 2, 5, 77
WORDS = ["console=ttyS0", "panic=-1", "oops=panic"]
SILENCE_S = 90
# What the kernel says when something is wrong with what is done to it.
BAD = re.compile(r"^<\d>\[[^]]*\] (.*(?:WARNING:|BUG:|Oops|general protection|soft lockup|rcu.*stall"
                 r"|Uhhuh|hung_task|blocked for more than).*)$", re.M)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip() or "failed").splitlines()
        said = [line for line in lines if "error" in line.lower() or "not found" in line]
        raise Failure(" ".join(command[:3]) + ": " + (said or lines)[0])
    return done


def build_module(options, release, name="module", *words):
    """stampede.ko for the kernel of that release. A warning is a failure: there is none."""
    tree = images.headers(release, os.path.join(options.build, "kernel"))
    out = os.path.join(options.build, "kernel", f"{name}-{release}")
    done = run("make", "--no-print-directory", f"BUILD={options.build}", "kernel-module",
               f"KDIR={tree}", f"MODULE={out}", *words)
    warned = [line for line in done.stderr.splitlines() if "warning:" in line]
    if warned:
        raise Failure(warned[0])
    return os.path.join(out, "stampede.ko")


class Guest:
    """One boot, and what came of its commands."""

    def __init__(self, options, image, modules, commands, single_steps=False, counted=False,
                 files=None):
        self.options, self.single_steps, self.counted = options, single_steps, counted
        # With files of its own its commands may fail: whoever gave them looks at each.
        self.files, self.commands = files, []
        self.rows, self.prices, self.lines, self.log = [], [], [], ""
        self.directory = tempfile.mkdtemp(prefix="stampede-kernel-")
        self.begin = time.monotonic()
        try:
            self.boot(image, modules, commands)
        finally:
            if options.keep:
                shutil.copytree(self.directory, os.path.join(
                    options.keep, os.path.basename(self.directory)), ignore=lambda where, names: [
                        name for name in names if not os.path.isfile(os.path.join(where, name))])
            shutil.rmtree(self.directory, ignore_errors=True)
        self.seconds = time.monotonic() - self.begin

    def boot(self, image, modules, commands):
        program = os.path.join(self.directory, "in-kernel")
        run("strip", "-o", program, os.path.join(self.options.build, "in-kernel"))
        files = [os.path.join(self.directory, os.path.basename(module)) for module in modules]
        for module, file in zip(modules, files):
            run("strip", "-g", "-o", file, module)
        path = os.path.join(self.directory, "commands")
        with open(path, "w") as file:
            file.write("\n".join(commands) + "\n")
        initrd = make_initrd(self.directory, self.options.build, [
            program, path, *files, *(self.files or [])])
        # One processor whose clock counts instructions, or two that run beside each other.
        machine = Machine(self.directory, image, initrd, WORDS, self.options.seconds, **(
            {"more": ["-icount", "shift=0"]} if self.counted else
            {"processors": 2, "accelerator": "kvm" if self.options.kvm else "tcg,thread=multi"}))
        try:
            if self.single_steps:
                machine.await_line(b"stampede ")
                machine.single_steps()
            self.follow(machine)
        finally:
            machine.close()

    def follow(self, machine):
        """Takes the guest's lines as they come, to the last one."""
        at, heard = 0, time.monotonic()
        while True:
            text = machine.text()
            heard = time.monotonic() if text[at:] else heard
            if time.monotonic() - heard > SILENCE_S:
                raise Failure("nothing from the guest since: " + self.last_words())
            while (end := text.find(b"\n", at)) >= 0:
                line, at = text[at:end].decode("utf-8", "replace"), end + 1
                if line == "end":
                    return
                self.take(line)
            if not machine.alive():
                raise Failure("the guest ended: " + self.last_words())
            machine.left()
            time.sleep(0.05)

    def last_words(self):
        with open(os.path.join(self.directory, "console.log"), errors="replace") as log:
            lines = [line.strip() for line in log if line.strip()]
        bad = [line for line in lines if re.search("BUG:|Oops|RIP:|panic", line)]
        return (bad or lines or ["without a word"])[-1]

    def take(self, line):
        if line.startswith("command "):
            self.commands.append([line.removeprefix("command ")])
        elif self.commands:
            self.commands[-1].append(line)
        if line.startswith("{"):
            self.lines.append(line)
        if line.startswith('{"kernel"'):
            return
        if line.startswith('{"price"'):
            self.prices.append(json.loads(line))
        elif line.startswith("{"):
            self.rows.append(json.loads(line))
            if self.options.verbose:
                print(expectations.line(self.rows[-1]), flush=True)
        elif line.startswith("failed "):
            raise Failure("the guest: " + line)
        elif line.startswith("stampede: ") and self.files is None:
            raise Failure("the guest: " + line.removeprefix("stampede: "))
        elif line.startswith("<"):
            self.log += line + "\n"

    def complaints(self):
        return [match.group(1) for match in BAD.finditer(self.log)]


def command(options, *words):
    return f"/in-kernel --json - --events {options.events} --seconds {options.row_seconds} " + \
        " ".join(words)


def judge_kernel(options, image):
    """All rows on one kernel; what is wrong with that, and the rows."""
    release = images.release_of(image)
    print(f"kernel    {release}", flush=True)
    module = build_module(options, release)
    only = ["--schemes", options.schemes.replace(" ", ",")] if options.schemes else []
    guest = Guest(options, image, [module], [
        "load", command(options, *only),
        command(options, *only, "--bits 16", f"--beaten-bits {options.beaten_bits}"), "unload"])
    wrong = expectations.of_rows(guest.rows, bool(options.schemes)) + guest.complaints()
    for row in guest.rows:
        row["kernel"] = release
    print(f"          {expectations.summary(guest.rows)}; {guest.seconds:.0f} s", flush=True)
    return wrong, guest.rows, guest.lines


# A fault of each kind: patches of the build folder.
MUTANTS = ("mutants/claim_no_retry.patch", "mutants/nested_split_claim.patch",
           "mutants/packed_clock_first.patch", "history/delta_unmasked.patch")


def build_mutant(options, release, patch):
    """The row that a patch names, and the module with it alone, in the guest's name for that."""
    name = os.path.splitext(os.path.basename(patch))[0]
    tree = os.path.join(options.build, "kernel", "mutants", name)
    shutil.rmtree(tree, ignore_errors=True)
    run("sh", "tests/cases/tree.sh", tree)
    run("patch", "-s", "-F0", "-d", tree, "-p1", "-i", os.path.abspath(patch))
    with open(patch) as file:
        row = re.search(r"^# row: (\w+)$", file.read(), re.M).group(1)
    built = build_module(options, release, "mutant-" + name, f"TREE={tree}", f"KERNEL_ROWS={row}")
    module = os.path.join(tree, name + ".ko")
    shutil.copy(built, module)
    return row, module


def judge_mutants(options, image):
    """Planted faults, each caught where the row as it is keeps its promises."""
    release = images.release_of(image)
    sound = build_module(options, release)
    commands, modules, asked = [], [sound], []
    for patch in MUTANTS:
        patch = os.path.join(options.build, patch)
        row, module = build_mutant(options, release, patch)
        modules.append(module)
        program = f"/in-kernel --json - --schemes ={row} --events 40000 --seconds 20"
        for one in (sound, module):
            commands += [f"load /{os.path.basename(one)}", program, "unload"]
            asked.append((row, one != sound and os.path.basename(patch)))
    guest = Guest(options, image, modules, commands, single_steps=True)
    # Where NMIs come through a mask, the run without them is the one that counts.
    found = [row for row in guest.rows if not (row["masked"] and row["with_nmi"])]
    wrong = guest.complaints()
    if len(found) != len(asked):
        raise Failure(f"{len(found)} of {len(asked)} runs of planted faults came back")
    for (name, patch), row in zip(asked, found):
        if bool(patch) != (row["verdict"] == "broken"):
            wrong.append(f"{patch or name}: {row['verdict']}" + (", and should be caught"
                                                                 if patch else ""))
        if patch:
            print(f"          {patch}: {row['verdict']} ({row.get('text', '')}), "
                  f"{row['interrupting']} nested, one instruction at a time", flush=True)
    return wrong


def judge_manners(options, image):
    """The module under a program that is killed, beside others, without memory; and bench.sh."""
    release = images.release_of(image)
    guest = Guest(options, image, [build_module(options, release)], manners.commands(release),
                  files=["extras/kernel/bench.sh",
                         images.busybox(os.path.join(options.build, "kernel"))])
    print(f"          {manners.summary(guest.commands)}; {guest.seconds:.0f} s", flush=True)
    return manners.wrong(guest.commands) + guest.complaints()


def count_instructions(options, image):
    """What an event costs in instructions, which the emulator counts; no times are to be had."""
    release = images.release_of(image)
    only = ["--schemes", options.schemes.replace(" ", ",")] if options.schemes else []
    guest = Guest(options, image, [build_module(options, release)], [
        "load", "/in-kernel --json - --price --counted " + " ".join(only), "unload"], counted=True)
    for line in expectations.price_lines(guest.prices):
        print("          " + line, flush=True)
    return expectations.of_prices(guest.prices) + guest.complaints(), guest.lines


def arguments():
    parser = argparse.ArgumentParser(
        prog="make test-kernel", description=__doc__.strip().split("\n\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--kernel", default="", help="a series or image; both series if empty")
    parser.add_argument("--schemes", default="", help="these rows only")
    parser.add_argument("--events", type=int, default=500000,
                        help="of interrupts, of each row, in each run")
    parser.add_argument("--row-seconds", type=int, default=20, help="limit of a row in each run")
    parser.add_argument("--seconds", type=int, default=1800, help="limit of a guest")
    parser.add_argument("--beaten-bits", type=int, default=27,
                        help="narrow width of rows that need beats, which come late in an emulator")
    parser.add_argument("--no-mutants", action="store_true")
    parser.add_argument("--only-mutants", action="store_true")
    parser.add_argument("--kvm", action="store_true",
                        help="not the emulator, where the processor is known to have what it takes")
    parser.add_argument("--build", default="build")
    parser.add_argument("--results", default="results", help="where the record goes")
    parser.add_argument("--json", help="write the rows there")
    parser.add_argument("--keep", metavar="DIR", help="copy every guest's raw output to DIR")
    parser.add_argument("--verbose", action="store_true", help="a line for each row")
    return parser.parse_args()


def find_images(options):
    directory = os.path.join(options.build, "kernel")
    return [images.find(wanted, directory) for wanted in
            ([options.kernel] if options.kernel else list(images.SERIES))]


def interrupted(number, frame):
    # Once: a second one would end what removes the guest's files.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def main():
    options = arguments()
    missing = [tool for tool in ("qemu-system-x86_64", "cpio", "strip") if not shutil.which(tool)]
    if missing:
        print(f"stampede: missing: {' '.join(missing)}; as root: apt-get install -y "
              "--no-install-recommends qemu-system-x86 cpio binutils", file=sys.stderr)
        return MISSING
    signal.signal(signal.SIGTERM, interrupted)
    wrong, rows, reached, lines = [], [], [], []
    begin, begun = time.monotonic(), time.gmtime()
    try:
        for image in find_images(options):
            release, bad = images.release_of(image), []
            if not options.only_mutants:
                bad, seen, said = judge_kernel(options, image)
                bad += judge_manners(options, image)
                unpriced, counted = count_instructions(options, image)
                bad += unpriced
                lines += said + counted
                rows += seen
                reached.append(expectations.reach_line(release, seen))
            if not options.no_mutants:
                bad += judge_mutants(options, image)
            wrong += [f"{release}: {one}" for one in bad]
        if lines:
            print("record    " + in_kernel.write(options.results, "make test-kernel", lines, begun))
    except images.Missing as error:
        print(f"stampede: {error}", file=sys.stderr)
        return MISSING
    except (Failure, OSError, subprocess.SubprocessError) as error:
        print(f"stampede: {error}", file=sys.stderr)
        return VOID
    except KeyboardInterrupt:
        print("stampede: interrupted", file=sys.stderr)
        return INTERRUPTED
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)
    for line in reached:
        print(line)
    print(f"{(time.monotonic() - begin) / 60:.1f} minutes", flush=True)
    for one in wrong:
        print("stampede: " + one, file=sys.stderr)
    return FAILED if wrong else FINE


if __name__ == "__main__":
    sys.exit(main())
