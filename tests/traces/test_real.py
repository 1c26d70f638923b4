# SPDX-License-Identifier: MIT
"""usage: test_real.py BUILD   read-trace --lint on what people have: traces that are right though they look odd,
single faults, and files that are none. A line of CASES each: name, exit code, what the summary finds ("" nothing),
words that must be said, what the file holds (bytes, text, or a list of events), and its name. TAP."""
import gzip
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import plants
from plants import report

READ = os.path.abspath(sys.argv[1]) + "/read-trace"
US = 1700000000000.0
text = json.dumps


def X(ts, dur=5, tid=1, **more):
    return {"ph": "X", "name": "x", "pid": 1, "tid": tid, "ts": ts, "dur": dur, **more}


def E(ph, ts, **more):
    return {"ph": ph, "pid": 1, "tid": 1, "ts": ts, **more}


def perf(*records):
    attr = struct.pack("<IIQQQQQQQ", 1, 112, 0, 1, 2 | 4 | 128, 0, 1 << 18, 0, 0).ljust(128, b"\0")
    data = b"".join(struct.pack("<IHH", type_, 0, 8 + len(body)) + body for type_, body in records)
    return struct.pack("<8s12Q", b"PERFILE2", 104, 128, 104, 128, 232, len(data), *[0] * 6) + attr + data


def nested(base=1000, count=20):
    return [one for n in range(count) for one in (
        X(base + n * 100, 90), X(base + n * 100 + 10, 30), X(base + n * 100 + 50, 20))]


def decimals(places, apart=0, epoch=10**9):
    """Children that end with their parents, in times that were rounded each by itself."""
    at = [(epoch + n * 100003 + n * n % 999, 50000 + n * n % 39989, 1000 + n * n % 18993) for n in range(300)]
    form = "%." + str(places) + "f"
    return "[" + ",".join(
        '{"ph":"X","pid":1,"tid":1,"ts":%s,"dur":%s}' % (form % (ts / 1000), form % ((dur + more) / 1000))
        for begin, length, inner in at for ts, dur, more in (
            (begin, length, 0), (begin + inner, length - inner, apart if begin == at[7][0] else 0))) + "]"


def two_threads(factor, count=40):
    return [one for n in range(count) for one in (
        X(1000 + n * 100 + n * n % 7, 50), X(1000 + (n * 100 + n * n % 7) * factor, 50 * factor, tid=2))]


# ---- what is right ----
CASES = [
    ("perf: lost before any event", 0, "", " 7 lost", perf((2, struct.pack("<5Q", 1, 7, 7, 0, 0)), (9, struct.pack("<3Q", 7, 10**9, 0)))),
    ("perf: a loss without its count", 2, "loss 1", r"no room for a count: 0; time 1000000000$", perf((9, struct.pack("<3Q", 7, 10**9, 0)), (2, struct.pack("<4Q", 1, 7, 10**9, 0)))),
    ("blanks before, carriage returns within, zeros behind", 0, "", "", " \n" + text(nested()).replace(", ", ",\r\n") + "\0\0"),
    ("a byte that is no UTF-8", 0, "", "", text(nested()).encode().replace(b'"x"', b'"\xe9"')),
    ("threads 1 and \"1\"", 0, "", "", [X(1000 + n * 10, 15, tid=1 if n % 2 else "1") for n in range(20)]),
    ("nested 100000 deep", 0, "", "", '[{"ph":"X","ts":1,"dur":2,"args":' + "[" * 100000 + "]" * 100000 + "}]"),
    ("names with quotes and backslashes", 0, "", "", [X(n * 10, name='a"}]\\\\' + "\\\\" * n) for n in range(9)]),
    ("whole us, rounded", 0, "", "", decimals(0)),
    ("two decimals, rounded", 0, "", "", decimals(2)),
    ("ns exactly, of a date", 0, "", "", decimals(3, epoch=1732612345678901123)),
    ("doubles of a date", 0, "", "", json.dumps([X(round(1732612345678901123 + n * 100003) / 1000, 90) for n in range(90)])),
    ("rounded in one process, a fraction in another", 0, "", "", decimals(0)[:-1] + ',{"ph":"i","pid":2,"ts":5000.5}]'),
    ("two threads, one as slow as the other", 0, "", "", two_threads(1)),
    ("gzip", 0, "", "", gzip.compress(text(nested()).encode())),
    # ---- one fault each ----
    ("a conversion to ns that leaves 64 bits", 2, "wrap 1", "a gap less than 2\\^64 ns / 3200 MHz",
     [E(ph, (332500 + n * 20000 + (ph == "E")) % 5764607.523) for n in range(400) for ph in "BE"]),
    ("a clock 1.98 times too fast", 2, "rate 1", "its clock runs 1.98 times as fast as that of", two_threads(1.98)),
    ("a thread in ns", 2, "unit 1", "all its times are 1000 times those of", two_threads(1000)),
    ("ns from an event on", 2, "unit 1", "event 40: unit: from here on about 1000 times the times before",
     [X(10**9 + n * 100 if n < 40 else (10**9 + n * 100) * 1000, 50) for n in range(80)]),
    ("text that a terminal would obey", 2, "form 2",
     r"pid a\?{3}b tid 1: event 0: form: event of kind \? without[^\n]*\n.*no JSON of an event: \?\[2J\}$",
     '[{"ph":"\x1b","pid":"a\x1b\xe9b","tid":1},{"ph":"i",\x1b[2J}]'),
    # ---- what cannot be read, or not whole ----
    ("the same, with a fault before it", 2, "parent 1", "it ends within event", text({"traceEvents": [X(1, -9)] + nested()})[:-400]),
    ("gzip that is cut", 1, "", "gzip ends early there: it is cut, or damaged", gzip.compress(text({"traceEvents": nested(count=400)}).encode())[:-200]),
    ("UTF-16", 1, "", "UTF-16: iconv", text(nested()).encode("utf-16")),
    ("a sub-buffer of a 32-bit kernel", 1, "", "32-bit kernel", b"\1\2\3\4\5\6\7\0" + b"\xe0\x0f\0\0" + b"\1\4\0\0" * 1021),
]
# Of tests/data/lint.tar.gz: the path below lint/.
with open("tests/data/tables.txt", encoding="utf-8") as tables:
    FILES = [line.split(" | ") for line in tables.read().split("### real_files\n")[1].split("\n### ")[0].splitlines()]


def lint(*arguments):
    said = subprocess.run([READ, "--lint", *arguments], capture_output=True, timeout=100, check=False)
    return said.returncode, said.stdout.decode(errors="replace"), said.stderr.decode(errors="replace")


def judge(name, path, code, found, words):
    got, out, err = lint(path)
    last = out.rstrip("\n").rpartition("\n")[2]
    kinds = re.search(r"; found (.*?)(?: before the damage)?$", last)
    good = got == code and re.search(words, out + err, re.M) and (got or not err) and \
        ((kinds.group(1) if kinds else "") == found or bool(found) and code < 2 and f", {found}" in last)
    report(good, name, f"exit {got}, wanted {code}: {found}: {words}\n{out}{err}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        shutil.unpack_archive("tests/data/lint.tar.gz", folder)
        for number, (name, code, found, words, what) in enumerate(CASES):
            path = os.path.join(folder, f"{number}.trace")
            what = what if isinstance(what, (str, bytes)) else text(what)
            with open(path, "wb") as file:
                file.write(what.encode() if isinstance(what, str) else what)
            judge(name, path, code, found, words)
        for path, code, found, words in FILES:
            judge(path, os.path.join(folder, "lint", path), int(code), found, words)
        cut_metadata(folder)
        together(folder)
        lost(folder)
    print(f"1..{plants.reported}")


def cut_metadata(folder):
    """Sizes that cannot be: of nothing, and of more content than packet."""
    for name, content, packet in ("nothing", 0, 0), ("a header less a bit", 0, 37 * 8 - 8), ("too much", 900, 800):
        path = os.path.join(folder, name)
        os.mkdir(path)
        with open(f"{folder}/lint/ctf-no-clock/s0", "rb") as file, open(os.path.join(path, "s0"), "wb") as to:
            to.write(file.read())
        with open(os.path.join(path, "metadata"), "wb") as file:
            file.write(struct.pack("<I16sIII5s", 0x75D11D57, b"", 0, content, packet, b"\0\0\0\1\x08") + bytes(200))
        judge("metadata in packets of " + name, path, 1, "", "metadata: offset 0: a packet that is not whole")


def together(folder):
    """What cannot be read takes no other verdict along, and all have a place in the JSON."""
    bad, good = (os.path.join(folder, name) for name in ("b\xe9d.json", "good.json"))
    bad = bad.encode("utf-8", "surrogateescape").replace("\xe9".encode(), b"\xe9")
    for path, events in ((bad, [X(1, -9)]), (good, nested())):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text(events))
    out = os.path.join(folder, "out.json")
    code, _, err = lint("--json", out, good, "/nonexistent", f"{folder}/lint/dir-with-a-trace-that-aborts", bad)
    with open(out, encoding="utf-8") as file:
        all_ = json.load(file)
    report(code == 2 and [one["damaged"] for one in all_] == [False, True, False, True, False, False] and
           [len(one["findings"]) for one in all_] == [0, 0, 1, 0, 1, 1] and "b\\xe9d.json" in all_[5]["trace"] and
           "No such file" in err, "each of six traces has its verdict", f"{code}\n{all_}\n{err}")
    one = all_[5]["findings"][0]
    report(one["kind"] == "parent" and one["event"] == 0 and one["time"] == 1000 and all_[5]["found"] == {"parent": 1} and
           "tid 1" in one["file"], "and its place", str(one))


def lost(folder):
    """--loss: a line each."""
    for name, code, *counts in ("lost", 2, "missed-counted: 12", "page-back: 0"), ("nothing lost", 0, "page-back: 0"):
        paths = [f"{folder}/lint/ftrace-{one.split(':')[0]}" for one in counts]
        said = subprocess.run([READ, "--loss", *paths], capture_output=True, text=True, check=False)
        wanted = "".join(f"{folder}/lint/ftrace-{one} lost\n" for one in counts) + ("total: 12 lost\n" if counts[1:] else "")
        report((said.returncode, said.stdout) == (code, wanted), name, said.stdout)
    below = [tempfile.mkdtemp(dir=folder) for _ in range(3)]
    plants.plant("ctf", "missing", 1, below[0])
    plants.write_ctf(below[1], 64, [[{"begin": n * 100, "end": n * 100 + 9, "times": [n * 100 + 1], "seq": n * 2, "lost": lost}
                                     for n, lost in enumerate((0, 40, 0, 52, 60), 1)]])
    with open(f"{folder}/lint/ftrace-missed-counted/cpu0.raw", "rb") as file, open(below[2] + "/cpu0.raw", "wb") as out:
        pages = bytearray(file.read())
        for at in range(0, len(pages), 4096):  # the flags as Linux 6.18 writes them, and without a count
            if pages[at + 11] & 0x80:
                pages[at + 11:at + 16] = bytes([pages[at + 11] & 0xbf]) + b"\xff" * 4
        out.write(pages)
    for path, words in zip(below, ("35 lost, and more in 1 places that nothing counts", "60 lost; 1 counts of losses are wrong: see --lint",
                                   "0 lost, and more in 1 places that nothing counts")):
        said = subprocess.run([READ, "--loss", path], capture_output=True, text=True, check=False)
        report((said.returncode, said.stdout) == (2, f"{path}: {words}\n"), words, said.stdout)
    judge("where a count goes back", below[1], 2, "loss 1", "ch_0: event 2: loss: events_discarded goes back by: -40; time 209, after it 301$")
    shutil.copytree(f"{folder}/lint/ctf-packets-overlap", f"{folder}/ticks%s")
    subprocess.run(["sed", "-i", "s/freq = 1000000000/freq = 2500000000/", f"{folder}/ticks%s/metadata"], check=True)
    judge("a clock that counts no ns, and a name with %", f"{folder}/ticks%s", 2, "overlap 1", r"ticks%s/s0: event 3: .* ends, by 1000 ticks")
    said = lint("--bits", "20", f"{folder}/lint/ctf-back-4095M")
    report("wrap: time goes back by 4293918720 ns, about 4095 * 2^20;" in said[1], "--bits of a clock in CTF", str(said))
    subprocess.run(["sed", "-i", "s/timestamp_end/timestamp_fin/", f"{below[1]}/metadata"], check=True)
    judge("packets without an end", below[1], 2, "loss 1", "ch_0: event 2: loss: events_discarded goes back by: -40; time 201, after it 301$")
    mixed = tempfile.mkdtemp(dir=folder)
    plants.plant("ctf", "missing", 1, tempfile.mkdtemp(dir=mixed))
    for name, data in ("0.data", "PERFILE2"), ("a.json", text([X(9)])), ("notes.txt", "none"):
        with open(f"{mixed}/{name}", "w", encoding="utf-8") as out:
            out.write(data)
    said = subprocess.run([READ, "--lint", mixed], capture_output=True, text=True, check=False)
    report(said.returncode == 2 and [line.rpartition(" ")[2] for line in said.stdout.splitlines() if " events in " in line] ==
           ["read", "found", "1"], "a folder of a CTF trace, a JSON trace and a text", said.stdout)


main()
