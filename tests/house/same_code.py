#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is the code that is timed the same in two builds?

usage: same_code.py [--all] [--roots "driver_run ..."] OLD NEW
                                         two directories with one <row>.o for each row
       same_code.py [--all] [--builds "timed cheap injected checked"] [--rows "a b"] REVISION
                                         that revision, built in a worktree of its own in a
                                         temporary directory, and this tree (BUILD=build)

Compares the instructions of each row, function by function: all that the timed loops, nested writers,
the beat and the flush can reach. Addresses, line numbers and the order of functions do not count; names
that an instruction refers to, and constants, do. A difference in the rest of a row's object (its reader,
the oracles' part) is only printed; with --all it counts. Exit code 1: something that counts differs.
"""
import argparse
import difflib
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOTS = ["driver_run", "driver_run_fenced", "driver_run_empty", "driver_run_clock",
         "driver_interrupt", "driver_beat", "driver_flush", "driver_init"]
RELOCATION = re.compile(r"\t([0-9a-f]+): (R_\w+)\t(\S+)$")
TARGET = re.compile(r"\b([0-9a-f]+) <[^>]+>")
SHOWN = 12  # lines of a difference


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def plain(name):
    """Without the number that the compiler, or %= in asm, gives it."""
    return re.sub(r"\.\d+$", "", re.sub(r"^(restart_\w+_)\d+$", r"\1", name))


class Object:
    """The functions of a row's object: name to its instructions, and to the names they refer to."""

    def __init__(self, path):
        self.path, self.code, self.refers = path, {}, {}
        self.symbols = {}  # section: [(begin, end, name)]
        self.labels = {}  # name: (section, offset), of constants
        for line in said("objdump", "-tw", path).splitlines():
            one = re.match(r"^([0-9a-f]{16}) (.{7}) (\S+)\t([0-9a-f]{16}) +(.*)$", line)
            if not one or one.group(3)[0] == "*":
                continue
            begin, size, kind = int(one.group(1), 16), int(one.group(4), 16), one.group(2)[6]
            name = one.group(5).split()[-1]
            if name.startswith(".L"):
                self.labels[name] = (one.group(3), begin)
            if size and kind in "FO":
                self.symbols.setdefault(one.group(3), []).append((begin, begin + size, plain(name)))
        self.contents, self.strings = {}, {}
        self.read_constants()
        self.read_code()

    def read_constants(self):
        flags = {}
        for line in said("objdump", "-hw", self.path).splitlines():
            one = re.match(r"^ *\d+ (\S+) +([0-9a-f]{8}) .*", line)
            if one:
                flags[one.group(1)] = "MERGE" in line or "READONLY, DATA" in line
        wanted = [name for name, constant in flags.items()
                  if constant and not re.match(r"\.(debug|note|comment|eh_frame)", name)]
        names = [word for name in wanted for word in ("-j", name)]
        data = bytearray()
        for line in said("objdump", "-s", *names, self.path).splitlines() if wanted else ():
            one = re.match(r"^Contents of section (\S+):", line)
            if one:
                data = self.contents.setdefault(one.group(1), bytearray())
            one = re.match(r"^ [0-9a-f]{4,} ((?:[0-9a-f]{2,8} ){1,4})", line)
            if one:
                data += bytes.fromhex(one.group(1).replace(" ", ""))

    def named(self, section, offset):
        """What lies there: a function or variable, a constant's value, or only the section."""
        for begin, end, name in self.symbols.get(section, ()):
            if begin <= offset < end:
                return name if offset == begin else "%s+%#x" % (name, offset - begin)
        data = self.contents.get(section)
        if data is None or not 0 <= offset < len(data):
            return section
        if ".str" in section:
            return repr(bytes(data[offset:data.index(0, offset)]))
        return "%s %s" % (section, bytes(data[offset:offset + 16]).hex())

    def read_code(self):
        section, lines = None, []
        text = said("objdump", "-drw", "--no-show-raw-insn", self.path).splitlines()
        for line in text + ["Disassembly of section :"]:
            if line.startswith("Disassembly of section "):
                if section:
                    self.read_section(section, lines)
                section, lines = line[len("Disassembly of section "):-1], []
            else:
                one = re.match(r"^ *([0-9a-f]+):\t(.*)$", line)
                if one:
                    lines.append((int(one.group(1), 16), one.group(2)))

    def read_section(self, section, lines):
        ends = [at for at, _ in lines[1:]] + [None]
        for (at, text), end in zip(lines, ends):
            owner = self.named(section, at).split("+")[0]
            if owner == section and re.match(r"^(nop|xchg +%ax,%ax|cs nop|data16)", text):
                continue  # between functions
            parts = [RELOCATION.search("\t" + one) for one in re.findall(r"[0-9a-f]+: R_\w+\t\S+", text)]
            text = re.sub(r"\t[0-9a-f]+: R_.*$", "", text)
            refers = self.refers.setdefault(owner, set())
            if parts:
                text = re.sub(r" +#.*$", "", text)
                text = TARGET.sub("@", text)
                for part in parts:
                    what = self.reference(part, end)
                    text += " [%s %s]" % (part.group(2), what)
                    refers.add(what.split("+")[0])
            else:
                # What lies in the same section needs no relocation.
                text = re.sub(r"-?0x[0-9a-f]+(\(%rip\).*?) +# ([0-9a-f]+ <[^>]*>)", r"\2\1", text)
                one = TARGET.search(text)
                if one:
                    what = self.named(section, int(one.group(1), 16))
                    refers.add(what.split("+")[0])
                    text = text[:one.start()] + what + text[one.end():]
            self.code.setdefault(owner, []).append(" ".join(text.split()))

    def reference(self, part, end):
        """The name of what a relocation is to: local ones are by section and offset."""
        one = re.match(r"^(.+?)([-+]0x[0-9a-f]+)?$", part.group(3))
        name, more = one.group(1), int(one.group(2) or "0", 16)
        if part.group(2) in ("R_X86_64_PC32", "R_X86_64_PLT32"):
            # From the end of the instruction, which is the relocation's in the section's last one.
            at = int(part.group(1), 16)
            more += (at + 4 if end is None else end) - at
        if name in self.labels:
            return self.named(self.labels[name][0], self.labels[name][1] + more)
        if name in self.symbols or name in self.contents or name.startswith("."):
            return self.named(name, more)
        return plain(name) + ("%+#x" % more if more else "")

    def timed(self):
        """All that can be reached from the roots, and code that lies outside of functions."""
        todo = [one for one in self.code if one in ROOTS or one in (".text", "reserve_text", "restart_text")]
        found = set()
        while todo:
            one = todo.pop()
            if one in found:
                continue
            found.add(one)
            todo += [name for name in self.refers.get(one, ()) if name in self.code]
            # Its cold part is a function of its own.
            todo += [name for name in self.code if name.startswith(one + ".")]
        return found


def differences(old, new):
    """(name, lines of a diff) of every function that is not the same in both objects."""
    for name in sorted(set(old.code) | set(new.code)):
        before, after = old.code.get(name, []), new.code.get(name, [])
        if before != after:
            yield name, [line for line in difflib.unified_diff(before, after, lineterm="", n=1)][2:]


def compare(title, old, new, rows, everything):
    """Prints what differs; how many rows do in what counts."""
    bad, aside, functions = [], {}, 0
    for row in rows:
        objects = [Object(os.path.join(directory, row + ".o")) for directory in (old, new)]
        timed = objects[0].timed() | objects[1].timed()
        if not any(root in timed for root in ROOTS):
            sys.exit("same_code.py: %s has no %s" % (objects[0].path, ROOTS[0]))
        functions += len(timed)
        for name, lines in differences(*objects):
            if not everything and name not in timed:
                aside.setdefault(name, []).append(row)
                continue
            print("%s/%s: %s differs" % (title, row, name))
            print("\n".join("    " + line for line in lines[:SHOWN]))
            if len(lines) > SHOWN:
                print("    ... %d lines more" % (len(lines) - SHOWN))
            bad.append(row)
    for name, where in sorted(aside.items()):
        print("%s: %s differs in %d rows, and is not timed" % (title, name, len(where)))
    print("%s: %d rows, %d functions that are timed: %s" %
          (title, len(rows), functions, "%d rows differ" % len(set(bad)) if bad else "the same"))
    return len(set(bad))


def rows_of(directory):
    return sorted(os.path.basename(path)[:-2] for path in glob.glob(os.path.join(directory, "*.o")))


def all_rows(tree):
    with open(os.path.join(tree, "schemes/schemes.def")) as file:
        return re.findall(r"^X\((\w+),", file.read(), re.M)


def build(tree, where, builds, rows):
    wanted = ["%s/obj/%s/%s.o" % (where, one, row) for one in builds for row in rows]
    done = subprocess.run(["make", "--no-print-directory", "-s", "-C", tree, "BUILD=" + where,
                           "-j%d" % (os.cpu_count() or 1), *wanted],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit("same_code.py: %s does not build:\n%s" % (tree, done.stdout[-2000:]))


def compare_revision(options, revision):
    here, builds = os.environ.get("BUILD", "build"), options.builds.split()
    with tempfile.TemporaryDirectory() as scratch:
        tree = os.path.join(scratch, "tree")
        done = subprocess.run(["git", "worktree", "add", "--detach", tree, revision],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit("same_code.py: no revision %s: %s" % (revision, done.stderr.strip()[-200:]))
        try:
            rows = options.rows.split() or [row for row in all_rows(".") if row in all_rows(tree)]
            build(tree, "build", builds, rows)
            build(".", here, builds, rows)
            return sum(compare(one, "%s/build/obj/%s" % (tree, one), "%s/obj/%s" % (here, one),
                               rows, options.all) for one in builds)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", tree], check=False)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n")[0])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--builds", default="timed cheap injected checked")
    parser.add_argument("--rows", default="")
    parser.add_argument("--roots", default="")
    parser.add_argument("what", nargs="+")
    options = parser.parse_args()
    ROOTS[:] = options.roots.split() or ROOTS
    if len(options.what) == 1:
        sys.exit(1 if compare_revision(options, options.what[0]) else 0)
    if len(options.what) != 2:
        parser.error("two directories, or a revision")
    old, new = options.what
    rows = options.rows.split() or rows_of(old)
    missing = sorted(set(rows) ^ set(rows_of(new))) if not options.rows else []
    if missing or not rows:
        sys.exit("same_code.py: not in both of %s and %s: %s" % (old, new, " ".join(missing) or "any row"))
    sys.exit(1 if compare(os.path.basename(os.path.normpath(new)), old, new, rows, options.all) else 0)


if __name__ == "__main__":
    main()
