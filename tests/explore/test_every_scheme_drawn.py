# SPDX-License-Identifier: MIT
"""Does build/every-scheme judge as build/explore does? Programs that are drawn from all of the language
are compiled as rows, and the explorer runs each schedule of the same budgets: all counts have to be the
same, of schedules and of those that are broken. Ten faults in the judge, one at a time, must change the
counts. TAP.

usage: test_every_scheme_drawn.py BUILD [PROGRAMS]
"""
import concurrent.futures
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile

BUILD, PROGRAMS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
FLAGS = ("-std=gnu11 -D_GNU_SOURCE= -Wall -Wextra -Wundef -Wno-unused-function -Werror -I. -fPIC "
         "-fvisibility=hidden -O0 -DROW=found").split() + ["-I" + BUILD]
BUDGETS = "--events 2 --nested 2", "--events 2 --nested 1 --jumps 1"  # in judge.c, too
OPS = "load store clock xadd cmpxchg pad packed mask place event whole long"
PROMISES = "order exact wrap", "order window wrap"
JUDGE = "explore/every_scheme/judge.c"
FAULTS = {
    "a cmpxchg that never fails": ("now->word[TAIL] != w->reg[REG_T] ||", "false ||"),
    "an xadd that gives what was read": ("operation == OP_XP ? now->word[TAIL]",
                                         "operation == OP_XP ? w->reg[REG_T]"),
    "a distance with a sign": ("!(kept(reg[REG_C] - reg[REG_S]) >> BITS)",
                               "((int32_t)(reg[REG_C] - reg[REG_S]) < 1 << BITS)"),
    "a mask that masks nothing": ("= run.program->op[i] == OP_MK;", "= false;"),
    "padding that is a record": ("w->again ? PLACE_PAD :", "w->again ? PLACE_STAMP :"),
    "a store that goes to S": ("run.now.word[what->word] =\n", "run.now.word[WORD_S] =\n"),
    "interrupts that do not nest": ("nests = w && ", "nests = w && !level && "),
    "an order that nobody asks for": ("(int32_t)(*time - before) < 0", "false"),
    "a clock that stands still": ("run.now.word[CLOCK] += run.budget->step", "run.now.word[CLOCK] += 0"),
    "a packed word whose stamp is always right": ("(upper == reg[REG_U]) * REL(PACKED)", "1 * REL(PACKED)"),
}
KEPT = ["load tail; clock; cmpxchg tail; packed low where packed",
        "load tail; load S; clock; cmpxchg tail; low where near; else long: store S",
        "load tail; load S; load B; clock; store B; cmpxchg tail; store S; delta where words near",
        "mask; load tail; clock; load S; store tail; store S; unmask; delta where near"]
SCRATCH = tempfile.TemporaryDirectory()


def said(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def compile_it(*words):
    subprocess.run([os.environ.get("CC", "gcc"), *words], check=True)


def model(program, judged, *options):
    """Of each budget schedules and broken ones; then those without end."""
    words = said(program, "--promises", judged[0] + " explorer", "--ops", OPS, "--program", judged[1], *options)
    counts = [int(one) for one in words.split()[:6]]
    return counts[:2] + counts[3:5], counts[5]


def rest_of(header):
    """The rest of the driver, which is the same for all programs of a form."""
    with open(header, encoding="ascii") as file:
        text = re.sub(r"/\*.*?\*/|#define FOUND_(BEFORE|CLAIM|AFTER|SLOW|TEST|EXACT) .*", "", file.read(), flags=re.S)
    key, made = hashlib.sha256(text.encode()).hexdigest()[:16], []
    for part in "driver", "reader":
        made.append(os.path.join(SCRATCH.name, f"{key}.{part}.o"))
        if not os.path.exists(made[-1]):
            compile_it(*FLAGS, "-DSTAMPEDE_COUNTING", f'-DSCHEME_HEADER="{header}"', "-c",
                       f"judge/{part}.c", "-o", f"{header}.{part}")
            os.rename(f"{header}.{part}", made[-1])
    return made


def explored(header, shape="wrap3", numbers=(9, 1, 3), budgets=BUDGETS, oracles=("--without-oracle", "counts")):
    """What the explorer counts, by budget."""
    built, found = header[:-2] + ".so", []
    compile_it(*FLAGS, f'-DSCHEME_HEADER="{header}"', "-DSTAMPEDE_EXPLORED", "-DEXPLORE_POINTS",
               "-DSHAPE=" + shape, "-DDRIVER_NAME=driver_counting_found", "-shared", "-Wl,-z,now",
               *("-DSHAPE_%s=%d" % one for one in zip(("SUBBUF_SHIFT", "COUNT_SHIFT", "BITS"), numbers)),
               "-o", built, "explore/stops/row.c", *rest_of(header),
               *(os.path.join(BUILD, "explored", one) for one in ("handover.o", "ring.o", "format_ctf.o")))
    for budget in budgets:
        family = json.loads(said(
            os.path.join(BUILD, "explore"), "--object", built, "--shape", shape, "--stops", "points", "--before",
            "1", "--processes", "1", "--engine", "schedules", "--json", "-", *oracles,
            *budget.split()))["rows"][0]["families"][0]
        found += [family["schedules"], family["broken"]]
    os.remove(built)
    return found


def compare(one):
    """Counts of the model, of the explorer, and whether the model's ring without end is never left."""
    number, judged = one
    header = os.path.join(SCRATCH.name, f"p{number}.h")
    counts, endless = model(EVERY, judged, "--header", header)
    found = endless or explored(header)
    # Records that overwrite each other have no sizes in the model, so it may go another way to the same end.
    if not endless and found != counts and "where place" in judged[1] and "store tail" in judged[1]:
        endless = all(one[0::2] == one[1::2] for one in (counts, found))
    return counts, found, endless, judged[1]


def is_kept(number, program):
    """Is it a row, to all oracles, and where sub-buffers end?"""
    header = os.path.join(SCRATCH.name, f"kept{number}.h")
    said(EVERY, "--program", program, "--header", header)
    found = explored(header, "ends2", (8, 1, 0), ["--events 3 --nested 2 --offsets all"], ())
    found += explored(header, oracles=())
    return all(found[0::2]) and not any(found[1::2])


def is_seen(name, results):
    """Are the counts of a judge with this fault others?"""
    faulty = os.path.join(SCRATCH.name, name.replace(" ", "_"))
    with open(JUDGE, encoding="utf-8") as file:
        text = file.read()
    if text.count(FAULTS[name][0]) != 1:
        return False
    with open(faulty + ".c", "w", encoding="utf-8") as file:
        file.write(text.replace(*FAULTS[name]))
    others = [f"explore/every_scheme/{one}.c" for one in ("every_scheme", "language", "search")]
    compile_it("-std=gnu11", "-D_GNU_SOURCE=", "-O1", "-I.", faulty + ".c", *others, BUILD + "/libbase.a", "-lm",
               "-ljansson", "-o", faulty)
    return any(model(faulty, judged)[0] != counts for judged, (counts, _, endless, _) in results if not endless)


def draw():
    """As many of each promises; a third of them what the first budgets do not break, some tests weaker."""
    dice, judged = random.Random(20261126), [(PROMISES[0], text) for text in KEPT]
    for promises in PROMISES:
        lines = said(EVERY, "--list", "--length", "7", "--ops", OPS, "--promises", promises).splitlines()
        for verdict, share in ("perhaps: ", 6), ("broken: ", 3):
            lot = [line[len(verdict):] for line in lines if line.startswith(verdict)]
            judged += [(promises, text) for text in dice.sample(lot, PROGRAMS // share)]
    return [(promises, re.sub(r"(where \w+) [\w ]+", r"\1", text) if dice.random() < 0.3 else text)
            for promises, text in judged]


EVERY = os.path.join(BUILD, "every-scheme")
DRAWN = draw()
NUMBERS = iter(range(1, 100))
GOOD = True


def report(good, name):
    global GOOD  # pylint: disable=global-statement
    GOOD &= good
    print("%s %d - %s" % ("ok" if good else "not ok", next(NUMBERS), name), flush=True)


with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
    RESULTS = list(zip(DRAWN, pool.map(compare, enumerate(DRAWN))))
    ENDED = [one for _, one in RESULTS if not one[2]]
    for ours, theirs, _, program in ENDED:
        if ours != theirs:
            print(f"# {program}: model {ours}, explorer {theirs}")
    RIGHT = sum(not one[0][1] + one[0][3] for one in ENDED)
    report(all(one[0] == one[1] for one in ENDED), "%d programs, %d right and %d wrong, %d schedules: %d differ" % (
        len(ENDED), RIGHT, len(ENDED) - RIGHT, sum(one[0][0] + one[0][2] for one in ENDED),
        sum(one[0] != one[1] for one in ENDED)))
    report(0 < RIGHT and len(ENDED) > 3 / 4 * len(RESULTS),
           f"{len(RESULTS) - len(ENDED)} are not compared: they never end, or each schedule loses a record")
    for fault, seen in zip(FAULTS, pool.map(lambda name: is_seen(name, RESULTS), FAULTS)):
        report(seen, "seen: " + fault)
for at, row in enumerate(KEPT):
    report(is_kept(at, row), "a row: " + row)
print("1..%d" % (2 + len(FAULTS) + len(KEPT)))
sys.exit(not GOOD)
