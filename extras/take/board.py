# SPDX-License-Identifier: MIT
"""Takes a scheme out of the suite for a program without an operating system: one header.

usage: board.py ROW DIR FACTS [RECORD]   DIR/ROW.h, DIR/ROW_reader.h, an example for a board,
                                         DIR/ROW_example.c, and for the host DIR/host/ROW_metadata.c,
                                         which writes the trace's metadata, and DIR/host/ROW_dump.c,
                                         which reads the memory of a ring
"""
import json
import os
import re
import sys

import prune
import take

# COUNTER_BITS=24 or 16: as many fewer are in the header (docs/mcu.md).
COUNTER_BITS, WORD_BITS = int(os.environ.get("COUNTER_BITS") or 32), 5
BUILDS = ("C11; gcc or clang; Cortex-M3 and later, RV32IMAC. A Cortex-M0+ keeps interrupts off for some five "
          "instructions in place of a compare-and-swap. The reader's header has the licence.")
HOW = "\n/* ---- how it works ---- */\n\n"
SYSTEM = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
REFUSED = """
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "this ring's traces are little-endian, and this CPU is not"
#elif !defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_4) && !defined(__ARM_ARCH_6M__)
#error "this CPU has no compare-and-swap of 32 bits, and no PRIMASK, which this ring needs"
#endif
"""
# What no such CPU is or has, and what the row does not do.
NEVER = ("__x86_64__", "__aarch64__", "__riscv", "__GCC_HAVE_SYNC_COMPARE_AND_SWAP_4", "__has_feature",
         "__SANITIZE_THREAD__", "LOCKED", "ALIGNED", "SEAM_PAYLOAD_GIVEN")
WIDTHS = {"LOCAL_BITS": "32", "COUNTER_BITS": str(COUNTER_BITS), "STAMP_BITS": str(COUNTER_BITS - WORD_BITS)}
ALWAYS = {"POINT_TSAN": "0", "UINTPTR_MAX": "1", "UINT64_MAX": "2"}  # words of 32 bits
# What is known on a board, and therefore cut: every id fits the header's word (mcu_api.h refuses others), and a ring
# never overwrites.
KNOWN = ((r"(?<!>)\bid >= \w+_(PACKED|CTF_COMPACT)_IDS", "@0"), (r"!full && id < \w+_CTF_COMPACT_IDS", "@1"),
         (r"whole \|\| ", ""), (r"\w+_ring_mode\(ring\) == (\w+)_RING_DISCARD", r"!\1_OVERWRITE"),
         (r"(?m)^\t(once_store\()?\S*records_before.*;\n", ""), (r"\\\n\t2 (/\* log2.*) \\\n\s*\*/", r"2"),
         ("One 64-bit word", "One 32-bit word"), (r" \*\n( \* Order: tail)", r"\1"), (r" \* (Source: Stampede|Layout: parts)[^$]*?\n \*\n", ""),
         (r" \* With W = 64.*\n", ""), (r" \*\n \* The same word again \(ABA\)[^/]*writes\.\n", ""), (r"cmpxchg. No other. The offset has\n.*\n", "cmpxchg. No other. W = T + 5.\n"),
         (r"return (\w+)_RING_SET_ONCE\(ring, base\);", r"return (uint8_t *)((uintptr_t)ring + \1_MEMORY_AT);"),
         (r"return (\w+)_RING_SET_ONCE\(ring, subbufs\);", r"return (void *)((uintptr_t)ring + \1_BOOKS_AT);"),
         (r"(?m)^(\t\w+_local_uint records_before;.*\n\}) __attribute__\(\(aligned\(64\)\)\);", r"\1;"),
         (r"(?m)^\t\w+_local_uint records_before;.*\n", ""),
         (r"static inline enum \w+ \w+_ring_mode\([^}]*\}\n", ""), (r"(?m)^enum \w+_ring_(mode|tail)\n?[^}]*\};\n", ""),
         (r"\t(enum \w+_ring_\w+ \w+;|\S+ = \S+_RING_\w+,)\n", ""), (r"(?<!_)memcpy\(", "__builtin_memcpy("))


def cut(row):
    """The text of the row, of what its program calls, and of what a Cortex-M0+ has in the place of LDREX, with the
    row's prefix."""
    take.BUILD_OWN |= {"schemes/core/seam.h": "extras/take/mcu_size.h",
                       "schemes/core/clock.h": "extras/take/mcu_clock.h"}
    its = take.Cut(row)
    its.mine |= WIDTHS | ALWAYS
    its.macros |= dict.fromkeys((*NEVER, *its.mine))
    text = "".join("#define %s %s\n" % one for one in WIDTHS.items())
    text += its.file("schemes/%s.h" % its.header)
    text += "\n" + its.file("extras/take/mcu_taken.h").replace("#include SCHEME_HEADER\n", "")
    texts = [text, *(its.file(name) for name in ("extras/take/mcu_api.h", "extras/take/mcu_read_api.h",
                                                 "extras/mcu/masked.h"))]
    names = take.Names(row, *texts)
    for name in its.own:
        names.add(its.decided(its.body(take.BUILD_OWN[name]), False))
    names.kinds = {name: kinds for name, kinds in names.kinds.items() if not name.startswith("__")}
    names.kinds["CLOCK"] = {"macro"}
    return [take.SYSTEM.sub("", take.fold(names.apply(one))) for one in texts]


def lean(parts):
    """Drops fields of structs that nothing names."""
    used = set(re.findall(r"(?:->|\.)(\w+)", "".join(part.text for part in parts)))
    for part in parts:
        if re.match(r"(?:/\*.*\*/\n)?struct \w+ \{", part.text) and "header" not in part.text[:60]:
            part.text = re.sub(r"^\t[\w ]+[ *](\w+);.*\n", lambda line: line.group() * (line.group(1) in used),
                               part.text, flags=re.M)


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__.split("\n\n")[1])
    row, folder, facts, record = (*sys.argv[1:], None)[:4]
    with open(facts, encoding="utf-8") as source:
        facts = json.load(source)
    says = facts["describes"][0]
    if says["claim_bits"] > 32 or says["format"] != "CTF":
        sys.exit("stampede: %s cannot be taken for a Cortex-M: it claims a word of %d bits at once" %
                 (row, says["claim_bits"]))
    if COUNTER_BITS not in (16, 24, 32):
        sys.exit("stampede: COUNTER_BITS=%d: counters of 16, 24 and 32 bits are known" % COUNTER_BITS)
    text, *others = cut(row)
    for pattern, value in KNOWN:
        text = re.sub(pattern, value, text)
    api, read_api, masked = (re.sub("^//@.*\n", "", one, flags=re.M) for one in others)
    prune.COLUMNS = 150
    recorder, reader = prune.pruned(text, api, read_api)
    lean([*recorder, *reader])
    put(row, folder, "", take.head(facts, record, BUILDS), SYSTEM + REFUSED, api + HOW + "#ifdef __ARM_ARCH_6M__\n%s#endif\n\n" % prune.joined(prune.chunks(masked)) +
        prune.joined(recorder))
    put(row, folder, "_reader", "/* SPDX-License-Identifier: MIT */\n" + take.licence(), '#include "%s.h"\n' % row,
        read_api + HOW + prune.joined(reader))
    os.makedirs(os.path.join(folder, "host"), exist_ok=True)
    for name in ("example", "host/metadata", "host/dump"):
        with open(os.path.join(take.HERE, "extras/take/mcu_%s.c.in" % os.path.basename(name)), encoding="utf-8") as source:
            text = re.sub(r"\btaken_", row + "_", source.read()).replace("TAKEN_", row.upper() + "_")
        take.write(folder, re.sub(r"(\w+)$", row + r"_\1.c", name), text.replace("ROW", row))


def put(row, folder, name, begin, before, text):
    guard = "%s%s_H" % (row.upper(), name.upper())
    text = text.replace("ROW_H", row + ".h").replace("READER_H", row + "_reader.h")
    text = re.sub(r"\n\n+(?=/\*(?! ----)|static|#|struct|[_A-Z])", "\n", text.strip("\n")) if not name else text
    take.write(folder, row + name + ".h", take.fold(
        begin + """#ifndef %s
#define %s

%s
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" /* of what is set where it is used */
#pragma GCC diagnostic ignored "-Wconversion"
%s
#pragma GCC diagnostic pop

#endif
""" % (guard, guard, before, text)))


if __name__ == "__main__":
    main()
