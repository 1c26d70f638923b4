#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes a scheme out of the suite: one header, with all that it stands on.

usage: take.py known ROW                 exit code 1, and a line, if there is no such row
       take.py scheme ROW DIR            DIR/ROW.scheme.h, the scheme itself, and DIR/ROW.row.h, by
                                         which it comes back as a row, taken_ROW
       take.py header ROW DIR FACTS [RECORD]
                                         DIR/ROW.h, that and a ring to record into, DIR/ROW_reader.h,
                                         DIR/ROW_trace.h, and DIR/ROW_example.c; FACTS is what
                                         take-facts says, beside what `scheme` has written, RECORD
                                         a run that has measured the row

Includes are put in their place, conditions of the row and of the suite's builds are decided
(unifdef), and each name of file scope gets the row's as its prefix (ctags finds them). What a build
of the suite puts into rows (points, clocks, constants) stands in #else of STAMPEDE_TAKEN_ROW.
"""
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap

import prune

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Where a row of the suite has its own, in each build another one; what stands here for the user.
BUILD_OWN = {"schemes/core/seam.h": "extras/take/size.h", "schemes/core/point.h": "schemes/core/point.h",
             "schemes/core/hooks.h": "schemes/core/hooks.h",
             "schemes/core/widths.h": "schemes/core/widths.h",
             "schemes/core/clock.h": "extras/take/clock.h"}
# Macros of core/widths.h.
WIDTHS = ("STAMP_BITS", "COUNTER_BITS")
INCLUDE = re.compile(r'^#include "([^"]+)"\n', re.M)
SYSTEM = re.compile(r"^#include (<[^>]+>)\n", re.M)
LEADING = re.compile(r"(?:#include <[^>]+>\n|\n)*")
STRING = re.compile(r'("(?:[^"\\\n]|\\.)*")')
SOURCES = {"schemes/core/ring.h": "schemes/core/ring.c",
           "schemes/format/format_ctf.h": "schemes/format/format_ctf.c"}


def said(*command, text=None):
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit("take.py: no %s here (Debian: apt install %s)" %
                 (command[0], {"ctags": "universal-ctags"}.get(command[0], command[0])))
    # unifdef says 1 where it has changed something.
    if done.returncode > 1 or (done.returncode and command[0] != "unifdef"):
        sys.exit("take.py: %s: %s" % (command[0], done.stderr.strip()))
    return done.stdout


def row_of(name):
    """The header and the defines of a row: (header, {macro: value})."""
    with open(os.path.join(HERE, "schemes/schemes.def"), encoding="utf-8") as table:
        rows = re.findall(r"^X\((\w+), *(\w+), *(.*)\)$", table.read(), re.M)
    macros = {}
    for row, header, defines in rows:
        for macro, _, value in re.findall(r"-D(\w+)(=(\S+))?", defines):
            macros.setdefault(macro, None)
    for row, header, defines in rows:
        if row == name:
            mine = {macro: value for macro, _, value in re.findall(r"-D(\w+)(=(\S+))?", defines)}
            return header, mine, macros
    near = difflib.get_close_matches(name, [row[0] for row in rows], 3)
    sys.exit("stampede: no row is called '%s': %s" % (
        name, "did you mean %s?" % " or ".join(near) if near else "bench --list shows all rows"))


class Cut:
    """The text of one row, file after file, each once."""

    def __init__(self, row):
        self.row = row
        self.header, self.mine, self.macros = row_of(row)
        self.macros["SCHEME_RESTARTS"] = None
        if "#define SCHEME_RESTARTS\n" in self.body("schemes/%s.h" % self.header):
            self.mine["SCHEME_RESTARTS"] = ""
        self.seen, self.system, self.guards, self.own = set(), [], [], []

    def decided(self, text, seams):
        """Without the conditions that the row decides, and for `seams` those of the builds."""
        words = []
        for macro in self.macros:
            if macro in self.mine:
                words.append("-D%s=%s" % (macro, self.mine[macro] or 1))
            else:
                words.append("-U" + macro)
        if seams:
            names = set(re.findall(r"\bSEAM_\w+", text)) - {"SEAM_GEOMETRY_CONSTANT"}
            words += ["-D%s=0" % name for name in names] + ["-DSEAM_GEOMETRY_CONSTANT=1"]
        if "#if" not in text:
            return text
        return said("unifdef", "-B", *words, text=text)

    def body(self, name, guards=None):
        with open(os.path.join(HERE, name), encoding="utf-8") as source:
            text = source.read()
        text = re.sub(r"^(?:(?:/\*|//) SPDX.*|#pragma once)\n", "", text, flags=re.M)
        guard = re.search(r"^#ifndef (STAMPEDE_\w+_H)\n#define \1\n", text, re.M)
        if guard:
            if guards is not None:
                guards.append(guard.group(1))
            end = text.rindex("#endif")
            text = text[:guard.start()] + text[guard.end():end]
        return text

    def file(self, name):
        """`name` with all that it includes before it, as a string."""
        if name in self.seen:
            return ""
        self.seen.add(name)
        own = name in BUILD_OWN
        if own:
            self.seen.add(BUILD_OWN[name])
            self.own.append(name)
        text = self.decided(self.body(BUILD_OWN.get(name, name), None if own else self.guards),
                            own)
        text = self.lifted(text).strip("\n") + "\n"
        if name == "schemes/%s.h" % self.header:
            text = self.scheme(text)
        if name in SOURCES:
            text += "\n" + self.source(SOURCES[name])
            text = self.private(text)
        if own:
            text = "//@ %s\n" % name + text
            before = "".join(self.file(one) for one in INCLUDE.findall(text))
            text = '#ifdef STAMPEDE_TAKEN_ROW\n#include "%s"\n#else\n%s\n#endif\n' % (
                name, INCLUDE.sub("", text).strip("\n"))
            return before + "\n" + text
        told = re.match(r"/\*.*?\*/\n", text, re.S)
        if told and INCLUDE.search(text) and name.startswith("schemes/"):
            # What a file says of itself stands behind what it includes at its top.
            top = max(found.end() for found in INCLUDE.finditer(text))
            text = text[told.end():top] + "\n" + told.group(0) + text[top:]
        text = INCLUDE.sub(lambda found: self.file(found.group(1)) + "//@ %s\n" % name, text)
        return "//@ %s\n" % name + text

    def lifted(self, text):
        """Without the system's headers, which go to the top; not those under a condition."""
        out, depth = [], 0
        for line in text.split("\n"):
            depth += bool(re.match(r"#\s*if", line)) - bool(re.match(r"#\s*endif", line))
            found = SYSTEM.match(line + "\n")
            if found and not depth:
                self.system.append(found.group(1))
            else:
                out.append(line)
        return "\n".join(out)

    def scheme(self, text):
        """What the row says of itself is for the suite, unless its code reads it."""
        desc = re.search(r"^static const struct scheme_desc .*?^};\n", text, re.M | re.S)
        if "&scheme_desc" in text:
            return text
        return text.replace(desc.group(0),
                            "#ifdef STAMPEDE_TAKEN_ROW\n%s#endif\n" % desc.group(0))

    def source(self, name):
        with open(os.path.join(HERE, name), encoding="utf-8") as source:
            text = re.sub(r"^// SPDX.*\n", "", source.read())
        return INCLUDE.sub("", text).strip("\n") + "\n"

    def private(self, text):
        """Functions that other files of the suite call are the header's own here."""
        kinds = r"^(void|uint64_t|uint32_t|bool) (\w+\([^;{]*\)(;|\n\{))"
        return re.sub(kinds, lambda found: "static %s%s %s" % (
            "__attribute__((unused)) " if found.group(3) == ";" else "", found.group(1),
            found.group(2)), text, flags=re.M)


class Names:
    """Names of file scope, and their prefix."""

    def __init__(self, prefix, *texts):
        self.prefix = prefix
        self.kinds = {}
        self.add(*texts)

    def add(self, *texts):
        for name, kind in self.tags(texts) if texts else ():
            if name != "offsetof":  # in an assertion it looks like a prototype
                self.kinds.setdefault(name, set()).add(kind)

    @staticmethod
    def tags(texts):
        """Of all texts at once: ctags takes longer to start than to read them."""
        with tempfile.TemporaryDirectory() as folder:
            for i, text in enumerate(texts):
                write(folder, "%d.c" % i, text)
            listed = said("ctags", "-f", "-", "--language-force=C", "--fields=K", "--kinds-C=+defgpstuvx",
                          *(os.path.join(folder, "%d.c" % i) for i in range(len(texts))))
        for line in listed.splitlines():
            fields = line.split("\t")
            if not fields[0].startswith("__anon"):
                yield fields[0], fields[-1]

    def new(self, name):
        upper = name.isupper() or name.startswith("F_")
        return (self.prefix.upper() if upper else self.prefix) + "_" + name

    def apply(self, text):
        """`text` with the prefix on each name, but in strings."""
        plain, tags, calls = set(), set(), set()
        functions = re.findall(r"^\s*#\s*define (\w+)\(", text, re.M)
        for name, kinds in self.kinds.items():
            if kinds & {"struct", "enum", "union"}:
                tags.add(name)
            # One of a single word may be a variable's as well.
            if (kinds & {"function", "prototype"} or (name in functions and not name.isupper())) \
                    and ("_" not in name or "member" in kinds):
                calls.add(name)
            elif kinds - {"struct", "enum", "union", "member"}:
                plain.add(name)
        word = re.compile(r"(?<![\w.#])(?<!->)(?:(struct|enum|union)(\s+))?(\w+)\b(\s*\()?")

        def rename(found):
            keyword, space, name, call = found.groups()
            keyword, space = keyword or "", space or ""
            if (keyword and name in tags) or (not keyword and name in plain) or \
                    (not keyword and call and name in calls):
                name = self.new(name)
            return keyword + space + name + (call or "")

        parts = STRING.split(text)
        for i in range(0, len(parts), 2):
            parts[i] = word.sub(rename, parts[i])
        return "".join(parts)

    def macros(self):
        return sorted(name for name, kinds in self.kinds.items() if "macro" in kinds)


def fold(text):
    return re.sub(r"\n{3,}", "\n\n", text)


METADATA = ("HEAD", "CLOCK", "STREAM", "EVENT", "VARIES")
# What the headers of a row begin with, or are.
PARTS = ("api", "read_api", "consumer")

ASSERT = """
#ifdef __cplusplus
#define X_ASSERT static_assert
#else
#define X_ASSERT _Static_assert
#endif
"""


def write(folder, name, text):
    """The file whole, or none; the same text again keeps its time."""
    path = os.path.join(folder, name)
    if os.path.exists(path) and open(path, encoding="utf-8", errors="replace").read() == text:
        return
    with open(path + ".part", "w", encoding="utf-8") as out:
        out.write(text)
    os.replace(path + ".part", path)


def asserts(row, text):
    """C++ has another word."""
    return re.sub(r"\b_Static_assert\b", row.upper() + "_ASSERT", text)


def take_scheme(row, folder):
    cut = Cut(row)
    cut.macros["__ARM_FEATURE_LDREX"] = None  # no machine of 64-bit atomics has that alone
    text = cut.file("schemes/%s.h" % cut.header)
    valued = "".join("#define %s %s\n" % (macro, value) for macro, value in cut.mine.items()
                     if value and macro not in WIDTHS)
    widths = "".join("#define %s %s\n" % (macro, cut.mine[macro])
                     for macro in WIDTHS if cut.mine.get(macro))
    text = valued + ("#ifndef STAMPEDE_TAKEN_ROW\n%s#endif\n" % widths if widths else "") + text
    guards, system = sorted(set(cut.guards)), sorted(set(cut.system))
    texts, includes = {}, {}
    for part, name in (("rest", "taken"), *((part, part) for part in PARTS)):
        cut.system = []
        texts[part] = cut.file("extras/take/%s.h" % name).replace("#include SCHEME_HEADER\n", "")
        includes[part] = "".join("#include %s\n" % one for one in cut.system)
    names = Names(row, text)
    own = Names(row, *[cut.decided(cut.body(one), False)
                       for name in cut.own for one in (name, BUILD_OWN[name])])
    for name, kinds in own.kinds.items():
        names.kinds.setdefault(name, set()).update(kinds)
    write(folder, row + ".scheme.h",
          fold("".join("#include %s\n" % one for one in system) + ASSERT.replace("X", row.upper()) +
               asserts(row, names.apply(text))))
    # As a row it has the suite's names again.
    here = set(names.macros()) - set(own.macros())
    lines = ["#define STAMPEDE_TAKEN_ROW"] + ["#define " + guard for guard in guards]
    lines += ["#define %s %s" % (names.new(name), name) for name in sorted(names.kinds)
              if name not in here and names.kinds[name] - {"member"}]
    lines += ['#pragma GCC diagnostic push', '#pragma GCC diagnostic ignored "-Wunused-function"',  # a reader needs not all
              '#include "take/%s.scheme.h"' % row, '#pragma GCC diagnostic pop']
    lines += ["#ifdef %s\n#undef %s\n#define %s %s\n#endif" % (names.new(name), name, name, names.new(name))
              for name in sorted(here)]
    write(folder, row + ".row.h", "\n".join(lines) + "\n")
    names.add(*texts.values())
    for name in ["METADATA_" + part for part in METADATA] + re.findall(r"\bF_[A-Z]*_?\b", texts["api"]):
        names.kinds.setdefault(name, set()).add("macro")
    # What ctags does not see: an event's names, and classes of C++.
    for name in re.findall(r"^EVENT\((\w+),|\bexplicit (\w+)\(", texts["consumer"], re.M):
        for what in ("", "_type", "_write", "_record"):
            names.kinds["".join(name) + what] = {"macro"}
    for part, text in texts.items():
        write(folder, "%s.%s.h" % (row, part), includes[part] + fold(asserts(row, names.apply(text))))


# ---- the header ----

def literal(text):
    """As a string of C, a line each."""
    lines = text.splitlines(keepends=True)
    return " \\\n".join('\t"%s"' % line.replace("\\", "\\\\").replace('"', '\\"').replace(
        "\n", "\\n").replace("\t", "\\t").replace("\x1e", "\\036") for line in lines) or '\t""'


TYPES = "".join("typealias integer { size = %d; signed = %s; align = 8; } := %s%d;\n" %
                (bits, signed, letter, bits)
                for letter, signed in (("u", "false"), ("i", "true")) for bits in (8, 16, 32, 64))
TYPES += "".join("typealias floating_point { exp_dig = %d; mant_dig = %d; align = 8; } := f%d;\n" %
                 (bits, size - bits, size) for bits, size in ((8, 32), (11, 64)))
TYPES += "typealias integer { size = 8; align = 8; encoding = UTF8; } := char8;\n"
# Fields by class (fields.h): a name may be a word of the language but for its underscore, which
# readers take away. In CTF 2 each begins with the comma behind the field before it.
FIELDS_1_8 = {"NUMBER": '#kind " _" #field "; "', "ENUM": '"enum : i32 { " more " } _" #field "; "',
              "TEXT": '"char8 _" #field "[" #more "]; "', "STRING": '"string _" #field "; "',
              "SEQ": '"u32 _" #field "_count; " #more " _" #field "[_" #field "_count]; "'}
NUMBER_2 = '{"type":"fixed-length-%s","length":%d,"byte-order":"little-endian","alignment":8}'
MEMBER_2 = ',{"name":"<field>","field-class":%s}'
FIELDS_2 = {"NUMBER": MEMBER_2 % "<kind>", "ENUM": MEMBER_2 % NUMBER_2 % ("signed-integer", 32),
            "TEXT": MEMBER_2 % '{"type":"static-length-string","length":<more>}',
            "STRING": MEMBER_2 % '{"type":"null-terminated-string"}',
            "SEQ": ',{"name":"<field>_count","field-class":%s}' % NUMBER_2 % ("unsigned-integer", 32) +
                   MEMBER_2 % ('{"type":"dynamic-length-array","element-field-class":<more>,'
                               '"length-field-location":{"path":["<field>_count"]}}')}


def metadata_1_8(text):
    """head, clock, stream, one event as printf() takes it, and a payload's size before it."""
    clock = text.index("\nclock {")
    # Where records are whole words, or more, a payload ends with one.
    tail = re.search(r"struct \{\n\} align\((\d+)\) tail;\n\}( align\(\d+\));", text)
    ends = ("struct { } align(%s) _tail_; " % tail.group(1), tail.group(2)) if tail else ("", "")
    stream = text.index("\nstream {")
    # The scheme's own event, which has no payload.
    whole = re.search(r'\nevent \{\n\tname = "stamp";[^}]*\};\n\};\n', text)
    return (text[:clock] + "\n" + TYPES,
            "\nclock {\n\tname = ticks;\n\tfreq = %\" PRIu64 \";\n\toffset_s = %\" PRId64 \";\n"
            "\toffset = %\" PRIu64 \";\n\tabsolute = true;\n};\n",
            text[stream:text.index("\nevent {")] + (whole.group(0) if whole else ""),
            "\nevent {\n\tname = \"%s\";\n\tid = %\" PRIu32 \";\n\tstream_id = 0;\n"
            + "\tfields := struct { %%s%%s %s}%s;\n};\n" % ends,
            "u16 _payload_bytes_; ")


def metadata_2(text):
    fragments = ["\x1e" + one for one in text.split("\x1e")[1:]]
    kinds = [json.loads(one[1:])["type"] for one in fragments]
    stream = fragments[kinds.index("data-stream-class")]
    return ("".join(fragments[:kinds.index("clock-class")]),
            '\x1e{"type":"clock-class","id":"ticks","name":"ticks","frequency":%" PRIu64 ",'
            '"origin":"unix-epoch","offset-from-origin":{"seconds":%" PRId64 ","cycles":%" PRIu64 '
            '"}}\n', stream,
            '\x1e{"type":"event-record-class","name":"%s","id":%" PRIu32 ",'
            '"payload-field-class":{"type":"structure","member-classes":[%s%s]}}\n',
            MEMBER_2.replace("<field>", "payload_bytes_")[1:] % NUMBER_2 % ("unsigned-integer", 16) + ",")


def field_macros(facts):
    """F_TEXT_CLASS(kind, field, more): the field in the language of the metadata."""
    out, ctf2 = [], facts["ctf2"]
    if ctf2:
        for letter, sign in (("u", "unsigned-integer"), ("i", "signed-integer"),
                             ("f", "floating-point-number")):
            for bits in (32, 64) if letter == "f" else (8, 16, 32, 64):
                out.append("#define F_JSON_%s%d %s" % (letter, bits, literal(
                    NUMBER_2 % (sign, bits)).strip()))
    for kind, text in (FIELDS_2 if ctf2 else FIELDS_1_8).items():
        if ctf2:
            text = literal(text).strip().replace("<field>", '" #field "')
            text = text.replace("<kind>", '" F_JSON_##kind "').replace(
                "<more>", '" #more "' if kind == "TEXT" else '" F_JSON_##more "')
        out.append("#define F_TEXT_%s(type, field, more, kind) %s" % (kind, text))
    return re.sub(r"\bF_(?=[A-Z])", facts["row"].upper() + "_F_", "\n".join(out)) + "\n"


def metadata_macros(facts):
    parts = (metadata_2 if facts["ctf2"] else metadata_1_8)(facts["metadata"])
    names = Names(facts["row"])
    out = []
    for name, part in zip(METADATA, parts):
        text = literal(part)
        if name in ("CLOCK", "EVENT"):
            text = re.sub(r'\\" (PRI\w+) \\"', r'" \1 "', text)
        out.append("#define %s \\\n%s\n" % (names.new("METADATA_" + name), text))
    return "\n".join(out)


def price(row, record):
    """What a run says that it costs, in a sentence."""
    if not record:
        return "Price: not measured here: a run of `bench` says it where the header is taken again."
    with open(record, encoding="utf-8") as source:
        run = json.load(source)
    for line in run.get("table", []):
        if line["row"] == row and line["workload"] == "steady" and line.get("ratio_95_low") is not None:
            return ("Price: %.1f cycles per event of 8 bytes (%.1f ns) on %s, %.3f times a ring that only "
                    "stores (95 %%: %.3f to %.3f), %.1f instructions, %.1f atomics, header of %.1f bytes; "
                    "verdict there: %s (run of %s)." %
                    (line["cycles"], line["ns"], run["context"]["stampede"]["cpu"]["model"], line["ratio"],
                     line["ratio_95_low"], line["ratio_95_high"], line["instructions"],
                     line["atomics"], line["header_bytes"], line["verdict"],
                     run["context"]["date"][:10]))
    return "Price: %s has not measured it." % record


def provenance(row):
    """A row of its own has these very bytes; the others' are cut in the same way."""
    with open(os.path.join(HERE, "schemes/schemes.def"), encoding="utf-8") as table:
        if "X(taken_%s," % row in table.read():
            return "this same text is row taken_%s," % row
    return "its origin is row %s," % row


def head(facts, record, builds="C11 or C++17; gcc or clang; x86-64, arm64."):
    says = facts["describes"][0]
    paragraphs = [
        "%s: %s." % (facts["row"], says["title"]),
        "A ring buffer for events with times, taken out of Stampede, where %s explored at every "
        "instruction, stormed by signals and priced." % provenance(facts["row"]),
        "Promises: %s. Needs: %s." % (", ".join(says["promises"]),
                                      ", ".join(says["needs"]) or "nothing"),
        price(facts["row"], record),
        "%s `%s_example.c` shows how to use it." % (builds, facts["row"]),
    ]
    return "/* SPDX-License-Identifier: MIT */\n" + comment(*paragraphs)


def comment(*paragraphs):
    return "/*\n" + " *\n".join("".join(" * %s\n" % line for line in textwrap.wrap(one, 116))
                                for one in paragraphs) + " */\n"


def licence():
    with open(os.path.join(HERE, "LICENSE"), encoding="utf-8") as source:
        return comment(*source.read().strip().split("\n\n"))


# On machines that no row runs on, the first thing that a compiler says.
REFUSED = """#ifndef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_8
#error "this CPU, or its -march, has no compare-and-swap of 64 bits, which this ring needs"
#elif __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "this ring's traces are little-endian, and this CPU is not"
#elif !defined(__cplusplus) && __STDC_VERSION__ < 201112L || defined(__cplusplus) && __cplusplus < 201703L
#error "this header needs C11 or C++17"
#endif
"""
RESTARTS = """#if !defined(__x86_64__) || !__has_include(<sys/rseq.h>)
#error "the records of this row are sections of rseq: x86-64 and glibc 2.35 or later"
#elif defined(X_CLOCK)
#error "X_CLOCK: the sections of this row read the CPU's own counter; take another row"
#endif
"""


def header(name, begin, system, text):
    """A header of its own, which says nothing to a compiler that warns of much."""
    return begin + """#ifndef %s
#define %s

%s
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wpedantic"
#ifndef __clang__ /* At -O1 gcc does not see that an opening is read only if there is one. */
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wc++20-extensions"
#endif
#ifdef __cplusplus
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
extern "C" {
#endif

%s
#ifdef __cplusplus
}
#endif
#pragma GCC diagnostic pop

%s#endif
""" % (name, name, system, re.sub("^//@.*\n", "", text, flags=re.M), "" if "include \"" in system else licence())


def take_header(row, folder, facts, record):
    def read(name):
        with open(name, encoding="utf-8") as source:
            return source.read()

    parts, facts = os.path.dirname(facts), json.loads(read(facts))
    upper = row.upper()
    texts = {part: read(os.path.join(parts, "%s.%s.h" % (row, part)))
             for part in PARTS + ("scheme", "rest")}

    def system(*parts):
        return "".join("#include %s\n" % one for one in sorted({
            one for part in parts for one in SYSTEM.findall(found[part])}))

    # Those at a part's top; what is under a condition stays there.
    found = {part: LEADING.match(text).group(0) for part, text in texts.items()}
    texts = {part: text[len(found[part]):] for part, text in texts.items()}
    for name in ("row", "reader", "trace"):
        own = row + ("" if name == "row" else "_" + name) + ".h"
        texts.update({part: texts[part].replace(name.upper() + "_H", own) for part in PARTS})
    scheme = re.sub(r"(?m)^(#define \w+_STAMP_BITS) \d+$", r"\1 %d" % facts["stamp_bits"], texts["scheme"])
    scheme = re.sub(r"\bstruct source\b", "struct %s_source" % row, scheme) + "\n" + texts["rest"]
    restarts = "_SCHEME_RESTARTS\n" in scheme
    if restarts:
        scheme = said("unifdef", "-B", "-D__x86_64__", "-DRSEQ_SIG", "-D%s_RESTART_CONSTANT=0" % upper, *(
                          "-U" + name for name in set(re.findall(r"\b\w+_SEAM_\w+", scheme)) -
                          set(re.findall(r"#define (\w+)", scheme))), text=scheme)
    recorder, reader = prune.pruned(metadata_macros(facts) + "\n" + scheme,
                                    texts["api"], texts["read_api"] + texts["consumer"])

    def structs(part, api):
        return re.sub(r"/\* STRUCTS ([\w ]+) \*/\n", lambda found: prune.hoisted(
            part, ["%s_%s" % (row, one) for one in found.group(1).split()]), api)

    how = "\n/* ---- how it works ---- */\n\n"
    write(folder, row + ".h", fold(header(
        upper + "_H", head(facts, record, *["C11 or C++17; gcc or clang; x86-64."] * restarts),
        RESTARTS.replace("X", upper) * restarts + system("api", "scheme", "rest") + "\n" + REFUSED,
        structs(recorder, texts["api"]) + "\n" + field_macros(facts) + how + prune.joined(recorder))))
    spdx = "/* SPDX-License-Identifier: MIT */\n"
    write(folder, row + "_reader.h", fold(header(
        upper + "_READER_H", spdx, system("read_api") + '#include "%s.h"\n' % row,
        structs(reader, texts["read_api"]) + how + prune.joined(reader))))
    api, rest = texts["consumer"].split(how)
    rest, classes = rest.split("#ifdef __cplusplus\n}", 1)
    classes = re.sub(r"\n\t?\{\n\t\t?(.*;)\n\t?\}\n", r" { \1 }\n", re.sub(r"\n\t?\{\n\t?\}\n", " {}\n", classes))
    write(folder, row + "_trace.h", fold(header(
        upper + "_TRACE_H", spdx, system("consumer") + '#include "%s_reader.h"\n' % row,
        api + how + prune.joined(prune.chunks(rest)) + "\n#ifdef __cplusplus\n}" + classes)))
    example = said("unifdef", "-B", ("-D" if restarts else "-U") + "SCHEME_RESTARTS",
                   text=read(os.path.join(HERE, "extras/take/example.c.in")))
    example = re.sub(r"\btaken_", row + "_", example).replace("TAKEN_", upper + "_")
    example = example.replace('"HEADER"', '"%s_reader.h"' % row).replace("ROW_example", row + "_example")
    write(folder, row + "_example.c", example)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "known":
        row_of(sys.argv[2])
    elif len(sys.argv) >= 4 and sys.argv[1] == "scheme":
        take_scheme(sys.argv[2], sys.argv[3])
    elif len(sys.argv) in (5, 6) and sys.argv[1] == "header":
        take_header(*sys.argv[2:], *[None] * (6 - len(sys.argv)))
    else:
        sys.exit(__doc__.split("\n\n")[1])


if __name__ == "__main__":
    main()
