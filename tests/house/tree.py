# SPDX-License-Identifier: MIT
"""The sources as the rules of the house see them: a table of texts, so that a test can plant a breach
in a copy of it without touching a file."""
import functools
import os
import re
import subprocess

SUFFIXES = (".c", ".h", ".cc", ".def", ".py", ".sh", ".mk", ".gp", ".md", ".j2")
# Data, frozen sources of others' faults, and what is generated.
SKIPPED = ("tests/data/", "tests/mutants/", "results/reference/", "plots/example/", "workloads/gaps/")


class Tree(dict):
    """path: text, of all that is under version control or will be."""
    moved = None  # files of the last commit that moved the ceiling, once they are known

    @classmethod
    def read(cls):
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], check=True,
                               capture_output=True, text=True).stdout.split("\n")
        tree = cls()
        for name in names:
            if (name.endswith(SUFFIXES) or name in ("tests/times", "tests/mutate/targets", "Makefile")) and not name.startswith(SKIPPED) and os.path.exists(name):
                with open(name, encoding="utf-8") as file:
                    tree[name] = file.read()
        return tree

    def planted(self, name, change):
        """A copy in which `change` is the text of `name`, or is called with it."""
        tree = Tree(self)
        before = tree.get(name, "")
        tree[name] = change(before) if callable(change) else change
        if tree[name] == before:
            raise ValueError("planting a breach did not change " + name)
        return tree

    def c_files(self, product=False):
        """C sources and headers; `product`: without those of the tests and of history."""
        for name in sorted(self):
            if name.endswith((".c", ".h", ".cc")):
                if not product or not name.startswith(("tests/", "schemes/history/")):
                    yield name, self[name]


def folder(name):
    return os.path.dirname(name)


@functools.cache
def code(text):
    """C without comments; every line keeps its number."""
    def blank(match):
        found = match.group(0)
        return found if found[0] in "\"'" else re.sub(r"[^\n]", " ", found)

    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', blank, text,
                  flags=re.S)


@functools.cache
def includes(text):
    return re.findall(r'^\s*#\s*include "([^"]+)"', text, re.M)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


@functools.cache
def functions(text):
    """(name, first line, last line) of each function, by the style of this house: its braces stand
    in column 0."""
    found, begin = [], None
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if line == "{":
            head = number - 2
            while head > 0 and lines[head] and not lines[head].startswith(("}", "#", "/*", " *")) \
                    and not lines[head].rstrip().endswith(";"):
                head -= 1
            name = re.search(r"(\w+)\s*\(", "\n".join(lines[head:number - 1]))
            begin = (name.group(1) if name else "?", head + 2)
        elif line.startswith("}") and begin:
            found.append((begin[0], begin[1], number))
            begin = None
    return found
