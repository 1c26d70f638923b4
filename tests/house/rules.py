# SPDX-License-Identifier: MIT
"""The rules of the house. Each is a function of a tree and gives a list of breaches, as text."""
import fnmatch
import functools
import glob
import re
import shutil
import subprocess

from tree import code, folder, functions, includes, line_of

# A folder, and those that it may include beside itself. Below is what it stands on.
ARROWS = {
    "base": "",
    "schemes/core": "",
    "schemes/format": "schemes/core",
    "schemes/parts": "schemes/core schemes/format",
    "schemes": "schemes/core schemes/format schemes/parts",
    "schemes/history": "schemes schemes/core schemes/format schemes/parts",
    "traces": "base schemes/core schemes/format",
    "judge": "base schemes schemes/core schemes/format schemes/parts traces",
    "results": "base",
    "runner/place": "base schemes/core",
    "workloads/engine": "base judge runner/place traces workloads schemes/core schemes/parts",
    "workloads": "base judge runner/place traces workloads/engine schemes/core schemes/parts",
    "runner/timing": "base judge results runner/place workloads workloads/engine schemes/core schemes/parts",
    "plots": "base results",
    "explore/stops": "judge schemes/core schemes/parts",
    **{f"extras/foreign/{one}": "explore/stops" for one in "barectf dpdk linux_ring_buffer xray".split()},
    **{f"extras/foreign/{one}": "explore/stops extras/foreign/linux_ring_buffer" for one in "lttng perf".split()},
    "explore/engine": "base explore/stops judge",
    "explore/order": "base explore/engine judge schemes/core",
    "explore/replay": "base explore/engine judge",
    "explore/family": "base explore/engine explore/replay judge",
    "explore": "base explore/engine explore/order explore/family explore/replay judge",
    "explore/every_scheme": "base schemes/core schemes/format schemes/parts",
    "extras/programs": "",
    "extras/tracers": "base",
    **{f"extras/tracers/{one}": "base extras/tracers" for one in "dpdk floor ftrace glog lttng_ust packed_word perf spdlog uftrace xray".split()},
    "extras/mcu/shim": "extras/mcu",
    "extras/mcu": "base schemes schemes/core schemes/format schemes/parts",
    "extras/take": "base extras/mcu judge runner traces schemes/core schemes/format schemes/parts",
    "extras/kernel/shim": "",
    "extras/kernel": "base judge extras/kernel/shim schemes/core",
    "extras/kernel/program": "base judge extras/kernel schemes/core traces",
    "runner": "base judge results runner/place runner/timing workloads workloads/engine",
}
MACROS = re.compile(r"\b(?:STAMPEDE_(?:TIMED|CHEAP|INJECTED|CHECKED|COUNTING|EXPLORED)|EXPLORE_POINTS)\b")
MACROS_AT_HOME = ("schemes/core/seam.h",)
# Where the oracles are asked for their last word.
JUDGES = "judge/judge.c"
LINES_OF_A_FILE, LINES_OF_A_FUNCTION, COLUMNS = 600, 60, 100


def arrows(tree):
    """A folder includes only what stands below it."""
    bad = []
    for name, text in tree.c_files():
        here = folder(name)
        if here.startswith("tests"):
            continue
        allowed = ARROWS.get(here)
        if allowed is None:
            bad.append("%s: no rule says what %s/ may include" % (name, here))
            continue
        for one in includes(text):
            there = folder(one)
            if there and there != here and there not in allowed.split():
                bad.append("%s includes %s" % (name, one))
            elif there and one not in tree:
                bad.append("%s includes %s, which is not there" % (name, one))
            elif not there and not one.endswith(".inc"):
                bad.append("%s includes %s, without its folder" % (name, one))
    return bad


@functools.cache
def stem_of(name):
    return re.sub(r"(_internal)?\.\w+$", "", name)


def circles(tree):
    """No file leads back to itself by includes; a source, its header and its internal one are
    one file."""
    graph = {}
    for name, text in tree.c_files():
        graph.setdefault(stem_of(name), set()).update(
            stem_of(one) for one in includes(text) if one in tree)
    index, low, stack, bad, number = {}, {}, [], [], [0]

    def visit(stem):
        index[stem] = low[stem] = number[0]
        number[0] += 1
        stack.append(stem)
        for other in sorted(graph.get(stem, ())):
            if other == stem:
                continue
            if other not in index:
                visit(other)
                low[stem] = min(low[stem], low[other])
            elif other in stack:
                low[stem] = min(low[stem], index[other])
        if low[stem] == index[stem]:
            ring = []
            while not ring or ring[-1] != stem:
                ring.append(stack.pop())
            if len(ring) > 1:
                bad.append("circle: " + " ".join(sorted(ring)))

    for stem in sorted(graph):
        if stem not in index:
            visit(stem)
    return bad


def build_macros(tree):
    """Only the seam knows which build this is."""
    return ["%s:%d: %s" % (name, line_of(text, match.start()), match.group(0))
            for name, text in tree.c_files() if name not in MACROS_AT_HOME
            for match in MACROS.finditer(code(text))]


def names_of(tree, table):
    return re.findall(r"^X\((\w+)", tree.get(table, ""), re.M)


# Where workloads are, and where a question is about what one of them found; sections of the record
# have their names, and "nested" is also the explorer's word.
WORKLOADS_AT_HOME = ("extras/tracers/driver.c", "workloads/", "explore/", "results/")
# As the key of a field, or the name of an option, these are something else.
OTHER_MEANING = ('"threads"', '"floor"')
KEY = re.compile(r"(?:json_\w+\([^\"();]*,\s*|\{ )$")


def is_key(text, match):
    return match.group(0) in OTHER_MEANING and KEY.search(text, 0, match.start())


def workload_names(tree):
    """A workload's name stands in its own file, and in what is written about it."""
    names = "|".join(names_of(tree, "workloads/workloads.def"))
    word = re.compile(r'"(%s)"|\b(?:WORKLOAD|workload)_(%s)\b' % (names, names))
    return ["%s:%d: %s" % (name, line_of(text, match.start()), match.group(0))
            for name, text in tree.c_files(product=True) if not name.startswith(WORKLOADS_AT_HOME)
            for match in word.finditer(code(text)) if not is_key(text, match)]


# Where rows are what is asked about: statements, their definitions, which of
# them are floors, and what records call a floor.
ROWS_AT_HOME = ("schemes/", "judge/drivers.c", "results/")


def row_names(tree):
    """A row's name stands in schemes.def, and where a question is about that row."""
    names = "|".join(names_of(tree, "schemes/schemes.def"))
    word = re.compile(r'"(%s)"' % names)
    return ["%s:%d: %s" % (name, line_of(text, match.start()), match.group(0))
            for name, text in tree.c_files(product=True) if not name.startswith(ROWS_AT_HOME)
            for match in word.finditer(code(text)) if not is_key(text, match)]


def one_judge(tree):
    """The oracles' last word is asked for in one place."""
    calls = [(name, match) for name, text in tree.c_files(product=True)
             for match in re.finditer(r"^\t.*\bcheck_finish\(", code(text), re.M)]
    bad = ["%s calls check_finish()" % name for name, _ in calls if name != JUDGES]
    if sum(name == JUDGES for name, _ in calls) != 1:
        bad.append("%s does not call check_finish() once" % JUDGES)
    return bad


def unused(tree):
    """What a header declares is called by another file of the product, or by its own and a test."""
    bad, words, tested = [], {}, set()
    for name, text in tree.c_files():
        found = re.findall(r"\w+", code(text))
        if name.startswith(("tests/", "schemes/history/")):
            tested.update(found)
        else:
            for word in found:
                words.setdefault(word, {}).setdefault(stem_of(name), []).append(name)
    for name, text in tree.c_files(product=True):
        if not name.endswith(".h") or name.startswith("schemes/"):
            continue
        plain = re.sub(r"\bstatic\b[^;{]*\{.*?^\}", "", code(text), flags=re.S | re.M)
        for function in declared(plain):
            if function.isupper():  # a macro of somebody else's header
                continue
            places = words.get(function, {})
            own = places.get(stem_of(name), [])
            inline = own.count(name) > 1
            if not any(stem != stem_of(name) for stem in places) and not (
                    len(own) > 2 and (inline or function in tested)):
                bad.append("%s: nobody calls %s()" % (name, function))
    return bad


def declared(plain):
    for match in re.finditer(r"^(?!static|typedef|#|\t| |\}).*?\b(\w+)\([^;{]*\)[^;{]*;", plain,
                             re.M | re.S):
        name = match.group(1)
        yield re.findall(r"\b(\w+)\(", match.group(0))[-1] if name == "__attribute__" else name


# What each driver of a scheme defines for itself, by the contract of schemes/parts/defaults.h.
EACH_ITS_OWN = ("source", "scheme_ring")


def struct_tags(tree):
    """A struct's or enum's tag means one thing."""
    seen, bad = {}, []
    for name, text in tree.c_files(product=True):
        for match in re.finditer(r"^(?:static )?(?:const )?(?:struct|enum|union) (\w+) \{", code(text), re.M):
            if folder(name) != "schemes" and match.group(1) not in EACH_ITS_OWN:
                if seen.setdefault(match.group(1), name) != name:
                    bad.append("%s and %s both define %s" % (seen[match.group(1)], name, match.group(1)))
    return bad


def one_stderr(tree):
    """Lines for people who have to act come from base/fail.c; no shell is asked for anything."""
    word = re.compile(r"\bfprintf\(stderr\b|\bf?puts\([^;]*stderr\)|\bperror\(|\bpopen\(|\bsystem\(")
    return ["%s:%d: %s" % (name, line_of(text, match.start()), match.group(0))
            for name, text in tree.c_files(product=True) if name not in STDERR_AT_HOME
            for match in word.finditer(code(text))]


# What is drawn there in place: progress.
# An adapter's program is linked with nothing of ours.
STDERR_AT_HOME = ("base/fail.c", "base/progress.c", "extras/tracers/driver.c", "extras/tracers/ftrace/ftrace.c",
                  "extras/tracers/perf/perf.c")


# These know no base: rows, which are compiled into others' programs.
ENDS_AT_HOME = ("base/fail.c", "schemes/parts/mask.h", "explore/stops/foreign_row.h", "extras/programs/preload.c",
                "extras/kernel/shim/stdlib.h", "extras/mcu/shim/stdlib.h")


def one_end(tree):
    """What ends a process says why and has a code of base/exit.h: end_now() and end_with() of base/fail.c."""
    word = re.compile(r"\b(?:abort|_exit|_Exit|quick_exit)\(")
    return ["%s:%d: %s" % (name, line_of(text, match.start()), match.group(0))
            for name, text in tree.c_files(product=True) if name not in ENDS_AT_HOME
            for match in word.finditer(code(text))]


def limits(tree):
    """Files, functions and lines can be seen whole."""
    bad = []
    for name, text in sorted(tree.items()):
        lines = text.rstrip("\n").split("\n")
        if len(lines) > LINES_OF_A_FILE:
            bad.append("%s has %d lines" % (name, len(lines)))
        if name.endswith((".c", ".h", ".cc")):
            bad += ["%s:%d: %d columns" % (name, number, len(line.expandtabs(8)))
                    for number, line in enumerate(lines, 1) if len(line.expandtabs(8)) > COLUMNS]
            bad += ["%s:%d: %s() has %d lines" % (name, first, function, last - first + 1)
                    for function, first, last in functions(text)
                    if last - first + 1 > LINES_OF_A_FUNCTION]
    return bad


FORMATTER = "clang-format"
FORMATTER_MAJOR = "14"


def find_formatter():
    return shutil.which(FORMATTER + "-" + FORMATTER_MAJOR) or shutil.which(FORMATTER)


def formatter():
    """Why the format cannot be told here; empty if it can. Versions differ in what they do."""
    found = find_formatter()
    if not found:
        return "no " + FORMATTER
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    return "" if "version %s." % FORMATTER_MAJOR in said else "not version %s: %s" % (
        FORMATTER_MAJOR, said.strip())


def formatted(tree):
    """clang-format has nothing to change."""
    names = [name for name, _ in tree.c_files() if not name.startswith(FORMAT_FREE)]
    # One process for all files: what takes time is to start it.
    said = subprocess.run([find_formatter(), "--style=file", "--dry-run", "--ferror-limit=1"] + names,
                          capture_output=True, text=True, check=False).stderr
    return re.findall(r"^\S+:\d+:\d+: (?:warning|error): .*", said, re.M)


def formatted_text(name, text):
    """The same of a text that is in no file."""
    said = subprocess.run([find_formatter(), "--style=file", "--assume-filename=" + name], input=text,
                          capture_output=True, text=True, check=False).stdout
    return [] if said == text else [name + " is not as it wants it"]


# Assembly in columns, X-macros and seeds of others keep their own form.
FORMAT_FREE = ("schemes/history/", "tests/order/")


def hunks(text):
    """(file, first line, what it wants to find there) of each of a patch's."""
    name = None
    for part in re.split(r"^(?=--- a/|@@ )", text, flags=re.M):
        if part.startswith("--- a/"):
            name = part.split("\n", 1)[0][len("--- a/"):]
        elif part.startswith("@@ "):
            head, body = part.split("\n", 1)
            # An empty line of context may have lost its space.
            wanted = [line[1:] for line in body.removesuffix("\n").split("\n") if line[:1] in " -"
                      or not line]
            yield name, int(re.match(r"@@ -(\d+)", head).group(1)), wanted


def patches(tree):
    """What a patch wants to change is there as it has it: once, or at its line."""
    bad = []
    texts = {}
    for path in glob.glob("tests/*/*.patches") + glob.glob("schemes/history/*.patches"):
        with open(path, encoding="utf-8") as file:
            for part in re.split(r"^### ", file.read(), flags=re.M):
                texts["%s: %s" % (path, part.split("\n", 1)[0])] = part
    for path, text in sorted(texts.items()):
        for name, first, wanted in hunks(text):
            lines, size = tree.get(name, "").split("\n"), len(wanted)
            at = [i for i in range(len(lines) - size + 1)
                  if lines[i] == wanted[0] and lines[i:i + size] == wanted]
            if len(at) != 1 and first - 1 not in at:
                bad.append("%s: line %d of %s is found %d times" % (path, first, name, len(at)))
    return bad


COUNTED = (".c", ".h", ".cc", ".py", ".sh")


def spent(tree):
    """Lines of C, C++, headers, Python and shell below a folder: of the product, and of the tests."""
    lines = {"product": 0, "tests": 0}
    for name, text in tree.items():
        if name.endswith(COUNTED) and "/" in name:
            lines["tests" if name.startswith("tests/") else "product"] += text.count("\n")
    return lines


CEILING = "tests/house/ceiling"


def read_ceiling():
    with open(CEILING, encoding="utf-8") as file:
        return {what: int(lines) for what, lines in (line.split() for line in file if not line.startswith("#"))}


def budget(tree):
    """Product and tests keep below the two numbers of the ceiling; what counts is the sum."""
    most = read_ceiling()
    return ["%s has %d lines, the ceiling is %d: what can go?" % (what, lines, most[what])
            for what, lines in spent(tree).items() if lines > most[what]]


def times(tree):
    """tests/times lists tests that are there, the longest first; mutate's targets are there, too."""
    lines = [line.split() for line in tree["tests/times"].split("\n") if line and line[0] != "#"]
    tests = {name.rpartition("/")[2].removesuffix(".c") for name in tree if name.startswith("tests/")}
    seconds = [int(line[0]) for line in lines]
    return ["tests/times: no test is called %s" % line[1] for line in lines if line[1] not in tests] + \
        ["tests/times: not the longest first"] * (seconds != sorted(seconds, reverse=True)) + \
        ["tests/mutate/targets: no %s" % name for name in re.findall(r"^[^#:\s]+", tree["tests/mutate/targets"], re.M) if name not in tree] + \
        ["tests/mutate/targets: no test %s" % name for name in re.findall(r" (\w+/test_[\w.]+)", tree["tests/mutate/targets"])
         if not {"tests/" + name, "tests/%s.c" % name} & set(tree)]


# Where each thing of a kind begins with such a line, what it is in the files that have to name it as well.
LISTED = (
    (r"^const struct workload workload_(\w+)", "workloads/*.c", r"^X\(%s\)", "workloads/workloads.def"),
    (r"^X\((\w+)\)", "workloads/workloads.def", r"^\| [^|]*`%s`", "docs/verifying.md"),
    (r"^X\((\w+), (?!.*-DVARIANT)", "schemes/schemes.def", r"^\| [^|]*`%s`", "docs/rows.md"),
    (r"^name = '(\w+)'", "plots/*.gp", r'Plot\("%s"', "plots/plots.py"),
    (r"^#ifndef STAMPEDE_SCHEMES_(?!TEMPLATE|CORE_|FORMAT_|PARTS_)(\w+)_H", "schemes/*.h", r"(?i)^X\(\w+, %s,", "schemes/schemes.def"),
    (r"^ \*   ([a-z ]+?)  ", "judge/verdict.h", '["`]%s["`]', "judge/check.c", "plots/record.py", "docs/verifying.md"),
    (r"^\tVERDICT_(\w+),", "judge/check.h", r"\[VERDICT_%s\]", "judge/verdict.c"),
    (r"^\tORACLE_(\w+),", "judge/check.h", r'(?i)"%s"', "judge/check.c", "plots/record.py"),
    (r"^\tX\([A-Z]+, (\w+)\)", "traces/lint.h", r"^\| `%s` \|", "docs/formats.md"),
    (r"\blint_(?!importer)(\w+)[,;(]", "traces/lint_formats.h", r"(?i)(?<![a-z])%s\b",
     "README.md", "docs/formats.md", "traces/read_trace.c", "tests/traces/plants.py", "tests/mutate/targets"),
    (r"^def (\w+)\(verdicts\):", "extras/ci/verdicts.py", r"(?i)(?:--|\b)%s\b", "tests/tracers/test_verdicts.sh",
     "docs/tracers/README.md"),
)


def listed(tree):
    """What is one of a kind stands in the lists of its kind, in its document and in its test."""
    bad = []
    for pattern, where, wanted, *places in LISTED:
        its = [one for name, text in tree.items() if fnmatch.fnmatch(name, where) for one in re.findall(pattern, text, re.M)]
        bad += ["%s: nothing begins with %s" % (where, pattern)] * (not its)
        bad += ["%s: no %s, which is in %s" % (place, wanted % one, where) for one in its for place in places
                if not re.search(wanted % one, tree[place], re.M)]
    return bad


def git(*words):
    return subprocess.run(["git"] + list(words), capture_output=True, text=True, check=False).stdout.split("\n")


def ceiling_alone(tree):
    """The commit that moves the ceiling changes nothing else: a feature does not bring its own room."""
    if tree.moved is None:  # the parent is not in a shallow clone
        last = git("log", "-1", "--format=%H %P", "--", CEILING)[0].split()
        tree.moved = git("show", "--format=", "--name-only", last[0]) if len(last) > 1 else []
    return ["the last commit that moved the ceiling also changed %s" % name
            for name in tree.moved if name and name != CEILING]


# What a person meets, and how much of it there may be at most.
MEETS = {"programs": 8, "targets of make help": 14, "pages of docs": 18, "rows": 72, "options shown by --help": 20}
OPTION = re.compile(r'^\t+\{ "[a-z-]+",', re.M)


def options_shown(tree, text):
    """Of a program's table in C, and of the .def files that it includes, without those that are rare."""
    table = text[text.index("struct option_entry"):]
    starts = [match.start() for match in OPTION.finditer(table)] + [len(table)]
    shown = sum(".rare = true" not in table[at:to].split("},")[0] for at, to in zip(starts, starts[1:]))
    for one in re.findall(r'^#include "(\w+/(?:\w+/)?(?:plan|budget)\.def)"', table, re.M):
        shown += len(re.findall(r'^X\("|^X\(\w+, "\w+", "\w+", \d, 0,|^START\((?!.*, 1,)', tree.get(one, ""), re.M))
    return shown


def met(tree):
    """How much of each a person meets."""
    makefiles = "\n".join(text for name, text in tree.items() if name == "Makefile" or name.endswith(".mk"))
    programs = re.search(r"^programs := (?:.*\\\n)*.*", makefiles, re.M)
    return {
        # plots is a script, and has a rule of its own.
        "programs": len(re.findall(r"[\s,]([a-z-]+)(?=[\s)])", programs[0])) + 1 if programs else 0,
        "targets of make help": len(re.findall(r"^[a-z-]+:.*## ", makefiles, re.M)),
        "pages of docs": sum(name.startswith("docs/") and name.endswith(".md") for name in tree),
        "rows": len(names_of(tree, "schemes/schemes.def")),
        "options shown by --help": max([options_shown(tree, text) for name, text in tree.c_files(product=True)
                                        if "struct option_entry entries[]" in text] or [0]),
    }


def entry(tree):
    """What a person meets stays as much as a person can learn."""
    return ["%d %s, and at most %d" % (count, what, MEETS[what]) for what, count in met(tree).items()
            if count > MEETS[what]]


# Each wants two readings: say which row, writer or reader, and what it does.
WORDS = re.compile(r"\b(?:to be had|gone on from|says so|nobody|whoever|so many|beside other|in the midst"
                   r"|stands for|is none|who (?:is|comes|has|adds|writes)|whatever (?:the|is|order)|somebody|anybody"
                   r"|in vain|the one before|of which each|turned away|let go|for granted|looks? after)\b", re.I)
QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def words(tree):
    """What people read has a noun where WORDS has none: documents, templates, a program's texts."""
    bad = []
    for name, text in sorted(tree.items()):
        if name.endswith((".md", ".j2")) and "/" not in name.removeprefix("docs/").removeprefix("plots/templates/"):
            said = QUOTED.sub(lambda its: " " * len(its[0]), text)
        elif name.endswith((".c", ".def")) and not name.startswith(("tests/", "schemes/history/")):
            said = "".join(f"{its[0]} " if " " in its[0] else "" for its in QUOTED.finditer(text))
        else:
            continue
        bad += ["%s: \"%s\"" % (name, its[0]) for its in WORDS.finditer(said)]
    return bad


RULES = (budget, ceiling_alone, entry, arrows, circles, build_macros, workload_names, row_names, one_judge, unused, struct_tags,
         one_stderr, one_end, times, listed, limits, patches, words)
