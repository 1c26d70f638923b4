#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does each atomic or ordered access say what it is for?

usage: tags.py FILE...

An invariant of the file's head (`I2 ...`) says which bad observation an access forbids. The access has
its tag, /* I2 */, or a sentence, in its statement or right above it. Prints as file:line an access that
has neither, or a tag that the head does not explain. Leaves out core/local.h and core/point.h.
"""
import re
import sys

ACCESS = re.compile(r"\b(local_(?:xadd|cmpxchg|cmpxchg_pair|add|take)(?:_raw)?|ordered_store|"
                    r"shared_store|barrier|__atomic_\w+)\(")
PRIMITIVES = ("schemes/core/local.h", "schemes/core/point.h")
COMMENT = re.compile(r"/\*(.*?)\*/|//(.*)")
TAGS = re.compile(r"\bI(\d)\b")
WORDS = 3  # of a sentence, at least


def explained(text):
    """The invariants that the file's first comments explain, or say where they are."""
    first = next((one for one in ("#pragma once", "#ifndef", "#include") if one in text), "\0")
    head = text.split(first, maxsplit=1)[0]
    found = {int(one) for one in TAGS.findall(head)}
    for first, last in re.findall(r"\bI(\d) to I(\d)\b", head):
        found |= set(range(int(first), int(last) + 1))
    return found


def comments_at(lines, at):
    """The comments of the statement in line `at`, and of the lines right above it."""
    first = at
    while first and not re.search(r"[;{}:]\s*(\\\s*)?(/\*.*\*/)?\s*(\\\s*)?$|\*/\s*$|^#|^\s*$",
                                  lines[first - 1]):
        first -= 1
    last = at
    while last + 1 < len(lines) and not re.search(r"[;{]\s*(\\\s*)?(/\*.*\*/)?\s*(\\\s*)?$", lines[last]):
        last += 1
    above = first - 1
    found = []
    if above >= 0 and re.search(r"^\s*(/\*.*)?\*/\s*$|^\s*\*.*\*/\s*$|^\s*/\*.*\*/\s*$", lines[above]):
        begin = above
        while begin and "/*" not in lines[begin]:
            begin -= 1
        found.append(" ".join(line.strip(" \t*/") for line in lines[begin:above + 1]))
    for line in lines[first:last + 1]:
        found += [one or other for one, other in COMMENT.findall(line)]
    return found


def objections(path):
    with open(path) as file:
        text = file.read()
    lines, invariants = text.split("\n"), explained(text)
    for number, line in enumerate(lines):
        code = COMMENT.sub("", line)
        access = ACCESS.search(code)
        if not access or re.match(r"\s*(/?\*|#\s*define)", line):
            continue
        said = " ".join(comments_at(lines, number))
        tags = {int(one) for one in TAGS.findall(said)}
        what = None
        if not tags and len(re.findall(r"[A-Za-z]{2,}", said)) < WORDS:
            what = "says not which invariant it serves"
        elif tags - invariants:
            what = "has the tag I%d, which the file's head does not explain" % min(tags - invariants)
        if what:
            yield "%s:%d: %s %s" % (path, number + 1, access.group(1), what)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    found = [one for path in sys.argv[1:] if not path.endswith(PRIMITIVES)
             for one in objections(path)]
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))


main()
