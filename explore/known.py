#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: known.py sources CC BUILD < ROWS > FILE     of each row its name and a hash of its source, as C
       known.py unknown BUILD ROW...           the rows that the explorer has not searched as they are
       known.py add BUILD COMPILER JSON [ROW]  what build/explore --tier quick --json wrote: judge/explored.def's
                                               form, on standard output
       known.py record BUILD COMPILER JSON     the same as the whole file, with the other rows as they stand there

A source is what the preprocessor leaves of the row and the ring as they are searched, and of the budgets of the tiers; a line of ROWS
has a row's name, its header and its defines, between tabs."""
import hashlib
import json
import re
import subprocess
import sys

# The explorer builds a row with a narrow field, and again with the payload of the timed build.
EXPLORED = ["-DSTAMPEDE_EXPLORED", "-DSHAPE=x", "-DSHAPE_SUBBUF_SHIFT=9", "-DSHAPE_COUNT_SHIFT=1", "-DSHAPE_BITS=4"]
PARTS = [*EXPLORED, "judge/driver.c", "schemes/core/ring.c", "explore/family/tiers.c"], [*EXPLORED, "-DSTAMPEDE_TIMED", "judge/driver.c"]
OURS = re.compile(r'# \d+ "(?:\S*/)?(?:schemes/|take/|explore/family/tiers)')
LINE = re.compile(r'X\("(\w+)", "(\w+)", (\w+),')


def source(compiler, build, row, header, defines):
    """What is ours of it: C libraries, compilers and comments make no difference."""
    command = [compiler, "-E", "-std=gnu11", "-D_GNU_SOURCE=", "-I.", "-I" + build + "/obj", f"-DROW={row}",
               f'-DSCHEME_HEADER="schemes/{header}.h"', *defines.split()]
    text = "".join(subprocess.run(command + words, check=True, capture_output=True, text=True).stdout
                   for words in PARTS)
    mine, kept = False, []
    for line in text.split("\n"):
        if line.startswith("# "):
            mine = bool(OURS.match(line))
        elif mine and not line.lstrip().startswith("#"):
            kept.append(re.sub(r"\s+", "", line))
    return hashlib.sha256("".join(kept).encode()).hexdigest()[:16]


def lines_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().split("\n")
    except FileNotFoundError:
        return []


def sources_of(build):
    return dict(re.findall(r'"(\w+)", "(\w+)"', "\n".join(lines_of(build + "/sources.inc"))))


def main(what, *words):
    if what == "sources":
        for line in sys.stdin.read().splitlines():
            row, header, defines = line.split("\t")
            print('{ "%s", "%s" },' % (row, source(*words, row, header, defines)))
    elif what == "unknown":
        known = {LINE.match(line).groups()[:2] for path in ("judge/explored.def", words[0] + "/explored/known")
                 for line in lines_of(path) if LINE.match(line)}
        print(" ".join(row for row, its in sources_of(words[0]).items()
                       if row in words[1:] and (row, its) not in known))
    else:
        rows = json.loads("\n".join(lines_of(words[2])) or "{}").get("rows", [])
        before = lines_of("judge/explored.def")[:-1] if what == "record" else []
        said = {LINE.match(line)[1]: line for line in before if LINE.match(line)}
        sources = sources_of(words[0])
        for row in words[3:] if not rows else ():  # its trial broke it, or it crashed: nothing was searched
            said[row] = 'X("%s", "%s", BROKEN, 0, "%s")' % (row, sources[row], words[1])
        for row in rows:
            broken = any(its["verdict"] == "broken" for its in row["families"])
            said[row["row"]] = 'X("%s", "%s", %s, %d, "%s")' % (
                row["row"], sources[row["row"]], "BROKEN" if broken else "KEPT",
                sum(its["schedules"] for its in row["families"]), words[1])
        for line in [line for line in before if not LINE.match(line)] + [said[row] for row in sources if row in said]:
            print(line)


main(*sys.argv[1:])
