# SPDX-License-Identifier: MIT
"""usage: same.py FOLDER ROW [FAULT]   What prune.py leaves out of FOLDER's cut of ROW changes no instruction:
the same calls are compiled with all of the text, in which only what is known of the row is constant, and with what
is left. FAULT, a sed script, is planted into what is left. Exit code 1: they differ."""
import os
import re
import shutil
import subprocess
import sys

sys.path[:0] = ["extras/take", "tests/house"]
import prune
import same_code
import take

folder, row = sys.argv[1:3]
CALLS = """
int c_open(struct T_tracer *t, struct T_options *o) { return T_open(t, o); }
int c_write(struct T_tracer *t, const void *p) { return T_try_write(t, 1, p, 8); }
int c_any(struct T_tracer *t, unsigned id, const void *p, unsigned n) { return T_try_write(t, id, p, n); }
int c_begin(struct T_tracer *t, struct T_reservation *r) { return T_try_begin(t, 1, 8, r); }
int c_end(struct T_tracer *t, struct T_reservation *r) { return T_end(t, r); }
int c_flush(struct T_tracer *t) { return T_flush_open(t); }
int c_read(struct T_tracer *t, struct T_packet *p) { return T_read(t, p); }
int c_next(struct T_packet *p, struct T_event *e) { return T_next(p, e); }
int c_release(struct T_tracer *t, struct T_packet *p) { return T_release(t, p); }
int c_copy(struct T_tracer *t, struct T_packet *p, void *to) { return T_copy(t, 5, to, p); }
"""


def compiled(name, edit=None):
    where = os.path.join(folder, name)
    os.makedirs(where, exist_ok=True)
    for part in take.PARTS + ("scheme", "rest"):
        shutil.copy(os.path.join(folder, "%s.%s.h" % (row, part)), where)
    take.take_header(row, where, os.path.join(folder, row + ".facts"), None)
    if edit:
        header = os.path.join(where, row + ".h")
        with open(header, encoding="utf-8") as text:
            was = text.read()
        subprocess.run(["sed", "-i", edit, header], check=True)
        with open(header, encoding="utf-8") as text:
            if text.read() == was:
                sys.exit("same.py: the fault does not apply")
    with open(os.path.join(where, "calls.c"), "w", encoding="utf-8") as out:
        calls = CALLS
        with open(os.path.join(where, row + ".h"), encoding="utf-8") as text:
            if "_SECTION " in text.read():  # no begin, no end
                calls = re.sub(".*reservation.*\n", "", CALLS)
        out.write(('struct T_reservation;\n#include "%s_reader.h"\n' % row + calls).replace("T_", row + "_"))
    subprocess.run([os.environ.get("CC", "gcc"), "-std=gnu11", "-O2", "-w", "-c", "calls.c"], cwd=where, check=True)
    return same_code.Object(os.path.join(where, "calls.o"))


def whole(text, *users):
    """All of it, for the last header; and what is known of the row as constants."""
    for name, value in prune.predicates(text).items():
        text = re.sub(r"(\b%s\([^(){}]*\)\s*\{)[^}]*\}" % name, r"\1 return %d; }" % value, text)
    return [[] for _ in users[1:]] + [prune.chunks(text)]


left = compiled("left", sys.argv[3] if len(sys.argv) > 3 else None)
prune.pruned, prune.joined = whole, lambda parts: "\n".join(part.text for part in parts)
all_of_it = compiled("whole")
differ = [one for one in sorted(set(left.code) | set(all_of_it.code))
          if left.code.get(one) != all_of_it.code.get(one)]
print("%d functions; differ: %s" % (len(left.code), " ".join(differ) or "none"))
sys.exit(bool(differ))
