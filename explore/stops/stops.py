#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts stops into the assembly of an explored row (row.c), x86-64, gcc or clang, AT&T syntax.

usage: stops.py IN.s [MORE.s...] OUT.s

Every function is emitted three times: with `call explore_stop` before every instruction, before
every instruction that is not known to touch only registers and the writer's own stack, and plain.
Functions in section explore_plain belong to the harness and get no stops. A table (explored_sites)
says where each stop is and which instruction of the plain copy it stands before, so that the engine
can let a writer go on without stops. tests/explore/test_decoder.py checks the result by a second decoder, with
the ranges of plain copy and harness.

A stop is a stop before an instruction; a prefix (lock) belongs to its instruction. A string
instruction with `rep` is interrupted between its rounds too: it becomes a loop with a stop before
each (of bytes: the engine lets it go on but before every eighth), its registers being what a CPU
would have there. An instruction is skipped in the second copy
only if its mnemonic is in KNOWN and each operand is an immediate, a register, a label, a stack slot,
or a word that no writer writes (seam_constant_*); memory of the thread (%fs:, %gs:) is none of these.
A stack slot is one that %rsp or any register that is known to point into the writer's own stack
(own.py) leads to; guard.h looks after it that no other writer does. Quiet ones are no stops either:
the words of a payload but that in its middle (row.c). What comes after the last access is a place of
its own: the returns of explored_* are stops. In restartable sections, where an interrupt makes the
whole section start over, all are.
"""
import re
import sys

import own

COPIES = ("", ".shared", ".plain")
ALL, SHARED, PLAIN = range(3)
ENTRIES = ("explored_event", "explored_interrupt", "explored_beat", "explored_discard",
           "explored_begin", "explored_look")  # of foreign tracers alone
PREFIXES = {"lock", "rep", "repe", "repz", "repne", "repnz", "data16", "notrack"}
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[.A-Za-z_$][\w.$]*')
LABEL = re.compile(r"^([.A-Za-z_$][\w.$]*|\d+):")

# Register-only where the operands are; string instructions and everything unknown are not here.
KNOWN = re.compile(
    r"^(mov[bwlq]?|movabsq?|movz[bwl][wlq]|movs[bwl][wlq]|movslq|lea[lq]?|add[bwlq]?|sub[bwlq]?|"
    r"and[bwlq]?|or[bwlq]?|xor[bwlq]?|not[bwlq]?|neg[bwlq]?|inc[bwlq]?|dec[bwlq]?|adc[bwlq]?|"
    r"sbb[bwlq]?|cmp[bwlq]?|test[bwlq]?|sh[lr][bwlq]?|sa[lr][bwlq]?|ro[lr][bwlq]?|sh[lr]d[wlq]?|"
    r"imul[bwlq]?|mul[bwlq]?|div[bwlq]?|bswap[lq]?|set\w+|cmov\w+|j\w+|call[q]?|ret[q]?|"
    r"push[q]?|pop[q]?|leave[q]?|nop[wl]?|cltq|cltd|cqto|cwtl|bt[src]?[wlq]?|bs[fr][lq]?|"
    r"[lt]zcnt[lq]?|popcnt[lq]?)$")
BITS = re.compile(r"^bt[src]?[wlq]?$")
ROUNDS = re.compile(r"^rep (movs|stos)[bwlq]( [^,]+, %es:\(%rdi\))?$")
REPEATED = re.compile(r"^rep\w* ")
CALLED = re.compile(r"^(?:\*(?=\w+@GOTPCREL))?([A-Za-z_]\w*)(?:@PLT|@GOTPCREL\(%rip\))?$")
QUIET = ".Lexplore_quiet_"
CONSTANT = re.compile(r"^seam_constant_\w+\(%rip\)$")
HARNESS = ".text.explore.harness"
SECTION = re.compile(r"^\.(?:push)?section\s+([^\s,]+)(?:,\s*\"([^\"]*)\")?")


def operands(text):
    """The operands of an instruction, parentheses kept together."""
    found, depth, begin = [], 0, 0
    for i, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and not depth:
            found.append(text[begin:i].replace(" ", ""))
            begin = i + 1
    last = text[begin:].replace(" ", "")
    return found + [last] if last else found


def parse(text):
    """Mnemonic and operands of an instruction, without its prefixes."""
    while text.split(" ", 1)[0] in PREFIXES:
        text = text.split(" ", 1)[1]
    mnemonic, _, rest = text.partition(" ")
    return mnemonic, operands(rest)


def own_only(text, pointers, defined):
    """
    True if it is known to touch nothing but registers, the writer's stack and constants.
    `pointers`: the registers that point into that stack.
    """
    mnemonic, parsed = parse(text)
    if REPEATED.match(text):
        return own.string_only_there(mnemonic, pointers)
    if text.split(" ", 1)[0] in PREFIXES or not KNOWN.match(mnemonic):
        return False
    jump = mnemonic[0] == "j" or mnemonic.startswith("call")
    if mnemonic.startswith("lea") and not mnemonic.startswith("leave"):
        return True
    for operand in parsed:
        if operand[0] == "$" or own.is_register(operand) or CONSTANT.match(operand):
            continue
        # A bit's number may lead out of the operand.
        if own.points_there(operand, pointers) and not BITS.match(mnemonic):
            continue
        # What is called outside of the row is the harness: it looks at the clock.
        if jump and (operand in defined or re.match(r"^\d+[bf]$", operand)):
            continue
        return False
    return True


def split(line):
    """(label or None, instruction or None, ...) pieces of one line of code, comments gone."""
    line = re.sub(r"#.*|/\*.*?\*/", "", line)
    pieces, prefix = [], ""
    for part in line.split(";"):
        part = " ".join(part.split())
        while LABEL.match(part):
            label = LABEL.match(part)
            pieces.append(("label", label.group(1)))
            part = part[label.end():].strip()
        if not part:
            continue
        if part in PREFIXES:
            prefix += part + " "
        elif part[0] == ".":
            pieces.append(("directive", part))
        else:
            pieces.append(("code", prefix + part))
            prefix = ""
    return pieces


def joined(paths):
    """Lines of all of them. From the second on, local labels and numbers of files are made its own."""
    for number, path in enumerate(paths):
        with open(path) as file:
            text = file.read()
        if number:
            text = re.sub(r"(?<![\w.$\"])\.L(?=\w)", ".L%d_" % number, text)
            text = re.sub(r"^(\s*\.(?:file|loc)\s+)(\d+)", lambda its: "%s%d" % (
                its[1], int(its[2]) + number * 1000), text, flags=re.M)
        yield from text.splitlines()


class Assembly:
    """The input: text outside of code, and code as a list of pieces with section and line."""

    def __init__(self, lines):
        self.files, self.data, self.code, self.defined = {}, [], [], set()
        self.sections = [".text"]
        section, in_code, skipping, where = ".text", True, False, (None, 0)
        flags = {}  # of the sections seen so far: the second time they come without
        pushed = []
        for number, line in enumerate(lines, 1):
            stripped = line.strip()
            opened = re.match(r"^\.(text|data|bss|section|pushsection|popsection|previous)\b", stripped)
            if opened:
                named = SECTION.match(stripped)
                word = stripped.split()[0]
                if word == ".previous":
                    sys.exit("stops.py: line %d: .previous: no stops are known behind it; use .popsection" % number)
                if word == ".pushsection":
                    pushed.append((section, in_code))
                if word == ".popsection":
                    section, in_code = pushed.pop()
                    skipping = False
                    if not in_code:
                        self.data.append("\t.section " + section if section[0] != "." or
                                         section.startswith(".rodata") else "\t" + section)
                    continue
                section = named.group(1) if named else word
                if named and named.group(2) is not None:
                    flags[section] = named.group(2)
                in_code = section.startswith(".text") or "x" in flags.get(section, "")
                skipping = section.startswith(".debug_")
                if in_code:
                    if section not in self.sections:
                        self.sections.append(section)
                    continue
            if skipping:
                continue
            if stripped.startswith(".file"):
                name = re.match(r'\.file\s+(\d+)\s+(?:"([^"]*)"\s+)?"([^"]*)"', stripped)
                if name:
                    self.files[int(name.group(1))] = name.group(3)
                continue
            fields = stripped.split()
            if fields and fields[0] == ".loc":
                where = (int(fields[1]), int(fields[2]))
                continue
            if not in_code:
                self.data.append(line)
                continue
            if stripped.startswith((".cfi_", ".p2align", ".align")):
                continue
            if stripped.startswith((".local", ".comm")):  # a static variable: there is one
                self.data.append(line)
                continue
            for kind, text in split(line):
                self.code.append((kind, text, section, where, number))
                if kind == "label" and not text.isdigit():
                    self.defined.add(text)
                elif text.startswith(".set "):  # another name, of C++'s constructors
                    self.defined.add(operands(text[5:])[0])
        # By position in the code.
        self.pointers = own.own_pointers(self.code, parse, set(TOKEN.findall(" ".join(self.data))))

    def rename(self, text, copy):
        if not copy:
            return text
        return TOKEN.sub(
            lambda m: m.group() + copy if m.group() in self.defined else m.group(), text)


def copy_code(assembly, which, sites):
    """One copy's lines. `sites` collects, by position in the code, what the table needs."""
    out, section, copy = [], None, COPIES[which]
    entry = quiet = False
    ranges = abort_ranges(assembly)
    ends = {end for _begin, end, _abort in ranges}
    for position, (kind, text, where_section, where, _) in enumerate(assembly.code):
        if where_section != section:
            section = where_section
            # One section for each copy keeps its text in one range, with the harness in none; and
            # what was in sections of its own stays apart: nothing falls through into another.
            out.append('\t.section %s,"ax",@progbits\n\t.subsection %d' % (
                HARNESS if "explore_plain" in section else ".text.explore" + (copy or ".all"),
                assembly.sections.index(section)))
        renamed = assembly.rename(text, copy)
        if kind == "label":
            if not text.startswith(".L") and not text.isdigit():
                entry = text.startswith("explored_")
            quiet |= text.startswith(QUIET)
            out.append(renamed + ":")
            continue
        if kind == "directive":
            out.append("\t" + renamed)
            continue
        if "explore_plain" not in section:
            # In a restartable section no instruction is like the next: it starts over, or ends.
            restarts = any(begin < position < end for begin, end, _abort in ranges) or \
                position - 1 in ends
            stop = which == ALL or (which == SHARED and not quiet and (
                restarts or not own_only(text, assembly.pointers[position], assembly.defined) or
                (entry and text.startswith("ret"))))
            quiet = False
            if which == PLAIN:
                out.append(".Lexplore_plain.%d:" % position)
                sites[position] = (text, where)
            elif stop:
                out += before(text, copy or ".all", position)
                if REPEATED.match(text):
                    continue
        out.append("\t" + renamed)
    return out


def calls_out(assembly):
    """Functions of other objects that the writers call, in which no interrupt would be tried."""
    found = set()
    for kind, text, section, *_rest in assembly.code:
        mnemonic, parsed = parse(text) if kind == "code" else ("", [])
        if "explore_plain" in section or not mnemonic.startswith(("call", "jmp")):
            continue
        name = CALLED.match(parsed[0])
        if name and name.group(1) not in assembly.defined and not name.group(1).startswith("explore_"):
            found.add(name.group(1))
    return sorted(found)


def before(text, copy, position):
    """The stop before an instruction; of a string instruction, the loop that it is."""
    stop = ["\tcall *explore_stop@GOTPCREL(%rip)", ".Lexplore_stop%s.%d:" % (copy, position)]
    if not REPEATED.match(text):
        return stop
    if not ROUNDS.match(text):
        sys.exit("stops.py: %s: no stops are known between the rounds of this one" % text)
    begin, end = (".Lexplore_%s%s.%d" % (name, copy, position) for name in ("rounds", "done"))
    # Flags stay as they are.
    return stop + ["\tjrcxz " + end, begin + ":", "\t" + text.split(" ", 1)[1],
                   "\tleaq -1(%rcx), %rcx", "\tjrcxz " + end,
                   stop[0], ".Lexplore_stop_round%s.%d:" % (copy, position),
                   "\tjmp " + begin, end + ":"]


def abort_ranges(assembly):
    """Restartable sections (parts/restart.h) by position: restart_start_N, _end_N, _abort_N."""
    at, ranges = {}, []
    for position, (kind, text, *_rest) in enumerate(assembly.code):
        if kind == "label":
            at[text] = position
    for label, position in at.items():
        if label.startswith("restart_start_"):
            number = label[len("restart_start_"):]
            ranges.append((position, at["restart_end_" + number], "restart_abort_" + number))
    return ranges


def table(assembly, sites, stops):
    strings, out = {}, []

    def string(text):
        return strings.setdefault(text, ".Lexplore_text.%d" % len(strings))

    ranges = abort_ranges(assembly)
    entries = [entry for entry in ENTRIES if entry in assembly.defined]
    out.append('\t.section .data.rel.ro.explore,"aw",@progbits\n\t.balign 8')
    for symbol in ["explored_sites", "explored_site_count", "explored_plain_range",
                   "explored_harness_range"] + \
            ["explored_entry_" + entry for entry in entries]:
        out.append("\t.globl %s\n\t.hidden %s" % (symbol, symbol))
    out.append("explored_sites:")
    rows = 0
    for position, (text, (file_number, line)) in sorted(sites.items()):
        abort = next((label for begin, end, label in ranges if begin < position < end), None)
        aborts = [abort + copy for copy in COPIES] if abort else ["0"] * 3
        for among in ("", "_round"):
            stop = [".Lexplore_stop%s%s.%d" % (among, copy or ".all", position)
                    for copy in COPIES[:2]]
            stop = [name if name in stops else "0" for name in stop]
            if among and stop == ["0", "0"]:
                continue
            rows += 1
            out.append("\t.quad " + ", ".join(
                stop + [".Lexplore_plain.%d" % position, string(text),
                        string(assembly.files.get(file_number, "?")), str(line)] + aborts +
                [str(int(bool(among)))]))
    out.append("explored_site_count:\n\t.quad %d" % rows)
    for name in ("plain", "harness"):
        out.append("explored_%s_range:\n\t.quad .Lexplore_%s_begin, .Lexplore_%s_end" %
                   (name, name, name))
    for entry in entries:
        out.append("explored_entry_%s:\n\t.quad %s" %
                   (entry, ", ".join(entry + copy for copy in COPIES)))
    out.append('\t.section .rodata.explore,"a",@progbits')
    for text, label in strings.items():
        out.append('%s:\n\t.string "%s"' % (label, text.replace("\\", "\\\\").replace('"', '\\"')))
    return out


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.splitlines()[2])
    assembly = Assembly(joined(sys.argv[1:-1]))
    out_of_it = calls_out(assembly)
    # A row calls its harness alone.
    if out_of_it and any("foreign_harness" in line for line in assembly.data):
        sys.exit("stampede: the writers call %s, in which no interrupt would be tried: define %s in the "
                 "shim" % (", ".join(out_of_it), "them" if out_of_it[1:] else "it"))
    sites, out = {}, list(assembly.data)
    ranges = (("plain", ".text.explore.plain"), ("harness", HARNESS))
    for name, section in ranges:
        out.append('\t.section %s,"ax",@progbits\n.Lexplore_%s_begin:' % (section, name))
    for which in (ALL, SHARED, PLAIN):
        out += copy_code(assembly, which, sites)
    for name, section in ranges:
        out.append('\t.section %s,"ax",@progbits\n\t.subsection %d\n.Lexplore_%s_end:' %
                   (section, len(assembly.sections), name))
    stops = {line[:-1] for line in out if line.startswith(".Lexplore_stop")}
    if not sites:
        sys.exit("%s: no code found" % sys.argv[1])
    out += table(assembly, sites, stops)
    with open(sys.argv[-1], "w") as file:
        text = "\n".join(out) + "\n"
        if ".note.GNU-stack" not in text:
            text += '\t.section .note.GNU-stack,"",@progbits\n'
        file.write(text)


main()
