#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: house.py [--all]   Does the tree keep the rules of the house (rules.py)? TAP; and each rule,
with a breach planted in a copy of the tree in memory, has to find just that. --all: every breach, not
the first ten of a rule."""
import sys

import rules
from tree import Tree

PROTOTYPE = "\nint never_called_by_anybody(int value);\n"


def at_end(text):
    return lambda before: before + text


def at_head(text):
    return lambda before: text + before


# rule, file, what is done to it
PLANTS = (
    ("budget", "runner/place/place.c", at_end("\n" * 99999)),
    ("budget", "tests/cellar/wine.c", at_head("\n" * 99999)),
    ("entry", "docs/rows_again.md", at_head("# Rows, again\n")),
    ("entry", "schemes/schemes.def", at_end("".join("X(row%d, floor, )\n" % n for n in range(9)))),
    ("entry", "Makefile", lambda text: text.replace("bench explore every-scheme judge-tracer", "bench explore every-scheme judge-tracer one more still")),
    ("entry", "traces/traces.mk", at_end("another: ## a target\n")),
    ("entry", "explore/engine/budget.def", at_end('X(more, "M", "M", 1, 0, 16, "more")\n')),
    ("arrows", "base/options.c", at_head('#include "judge/judge.h"\n')),
    ("arrows", "traces/ctf_trace.c", at_head('#include "runner/plan.h"\n')),
    ("arrows", "judge/check.c", at_head('#include "check.h"\n')),
    ("arrows", "cellar/wine.c", at_head('#include "base/exit.h"\n')),
    ("circles", "base/exit.h", at_head('#include "base/options.h"\n')),
    ("build_macros", "judge/check.h", at_end("#ifdef STAMPEDE_TIMED\n#endif\n")),
    ("build_macros", "schemes/core/ring.h", at_end("#if !defined(EXPLORE_POINTS)\n#endif\n")),
    ("workload_names", "runner/timing/rounds.c", at_end('static const char *const one = "stall";\n')),
    ("workload_names", "base/options.c", at_end("int a = WORKLOAD_storm;\n")),
    ("row_names", "runner/timing/rounds.c", at_end('static const char *const one = "packed_word";\n')),
    ("row_names", "runner/timing/rounds.c", at_end('\tgood = !strcmp(row, "floor");\n')),
    ("workload_names", "runner/timing/rounds.c", at_end('\tgood = !strcmp(name, "threads");\n')),
    ("one_judge", "workloads/tails.c", at_end("\tcheck_finish(&check, &totals);\n")),
    ("one_judge", "judge/judge.c", lambda text: text.replace("check_finish(", "check_begin(")),
    ("unused", "base/options.h", at_end(PROTOTYPE)),
    ("struct_tags", "runner/place/place.h", at_end("struct check {\n\tint more;\n};\n")),
    ("one_stderr", "runner/place/ticks.c", at_end('\tfprintf(stderr, "oops");\n')),
    ("one_stderr", "base/options.c", at_end('\tsystem("rm");\n')),
    ("one_end", "base/options.c", at_end("\tabort();\n")),
    ("one_end", "explore/engine/states.c", at_end("\t_exit(1);\n")),
    ("limits", "base/options.c", at_end("int a;\n" * 600)),
    ("limits", "base/options.c", at_end("static void f(void)\n{\n" + "\tg();\n" * 60 + "}\n")),
    ("limits", "base/options.c", at_end("\t" * 13 + "\n")),
    ("times", "tests/times", at_end("9 test_of_none.sh\n")),
    ("times", "tests/times", at_end("999 test_own.sh\n")),
    ("times", "tests/mutate/targets", at_end("judge/none.c: judge/test_judge\n")),
    ("listed", "workloads/steady.c", at_end("const struct workload workload_mine = {};\n")),
    ("listed", "docs/verifying.md", lambda text: text.replace("| `bursts` |", "| |")),
    ("listed", "docs/rows.md", lambda text: text.replace("| `dwcas` |", "| |")),
    ("listed", "schemes/TEMPLATE.h", at_end("#ifndef STAMPEDE_SCHEMES_MINE_H\n#endif\n")),
    ("listed", "traces/lint_formats.h", at_end("lint_importer lint_mine;\n")),
    ("listed", "extras/ci/verdicts.py", lambda text: text.replace("(verdicts)", "(them)")),
    ("patches", "schemes/packed_word.h", lambda text: text.replace("len, tail, stamp, false", "stamp")),
    ("words", "README.md", at_end("Whoever reads it\nto be had.\n")),
    ("words", "base/options.c", at_end('static const char *const one = "nobody is there";\n')),
    ("formatted", "base/options.c", at_end("int  a ;\n")),
)


def main():
    tree, number, failed = Tree.read(), 0, False
    shown = None if "--all" in sys.argv[1:] else 10

    def report(good, what, breaches=()):
        nonlocal number, failed
        number += 1
        failed |= not good
        print("%sok %d - %s" % ("" if good else "not ", number, what))
        for one in list(breaches)[:shown]:
            print("#   " + one)
        if shown and len(breaches) > shown:
            print("#   and %d more" % (len(breaches) - shown))

    clean = {}
    for rule in rules.RULES:
        clean[rule.__name__] = rule(tree)
        report(not clean[rule.__name__], "%s: %s" % (rule.__name__, " ".join(rule.__doc__.split())),
               clean[rule.__name__])
    most, spent = rules.read_ceiling(), rules.spent(tree)
    print("# " + "; ".join("%d lines of %s, %d left" % (spent[what], what, most[what] - spent[what])
                           for what in spent))
    print("# " + ", ".join("%d of %d %s" % (count, rules.MEETS[what], what) for what, count in rules.met(tree).items()))
    why = rules.formatter()
    if why:
        number += 1
        print("ok %d - formatted # SKIP %s" % (number, why))
    else:
        clean["formatted"] = rules.formatted(tree)
        report(not clean["formatted"], "formatted: clang-format has nothing to change",
               clean["formatted"])
    planted = Tree(tree)
    planted.moved = [rules.CEILING, "base/options.c"]
    report(rules.ceiling_alone(planted), "ceiling_alone finds a commit that also changed a source")
    for name, file, change in PLANTS:
        if name not in clean:
            continue
        planted = tree.planted(file, change)
        found = rules.formatted_text(file, planted[file]) if name == "formatted" else \
            getattr(rules, name)(planted)
        report(set(found) - set(clean[name]), "%s finds a breach planted in %s" % (name, file))
    print("1..%d" % number)
    return failed


if __name__ == "__main__":
    sys.exit(main())
