# SPDX-License-Identifier: MIT
"""usage: test_lint.py BUILD   read-trace --lint finds each wrong time that plants.py writes, in five
formats; nothing in clean traces; damage is one line and exit code 1. LINT_SEEDS: of each (12; 24 with ALL=1). TAP."""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import plants
from plants import report

READ = os.path.abspath(sys.argv[1]) + "/read-trace"
SEEDS = int(os.environ.get("LINT_SEEDS", "12" if os.environ.get("ALL", "0") in ("", "0") else "24"))
DATA = "tests/data"
found = set()  # kinds, in all that is planted and written


def lint(*paths):
    return subprocess.run([READ, "--lint", *paths], capture_output=True, text=True, check=False)


def planted(form, fault, seed):
    """Empty, or what is wrong with what is said."""
    with tempfile.TemporaryDirectory() as folder:
        path, need = plants.plant(form, fault, seed, folder)
        said = lint(path)
    lines = said.stdout.rstrip("\n").split("\n")
    if not fault:
        good = said.returncode == 0 and len(lines) == 1 and lines[0].endswith(" lost; nothing found") and not said.stderr
    else:
        kind = plants.KINDS.get(fault, fault)
        good = said.returncode == 2 and any(re.search(need, line) for line in lines[:-1]) and \
            re.search(rf"; found .*\b{kind} [1-9]", lines[-1]) and not said.stderr
        found.update([kind] * bool(good))
    return "" if good else f"seed {seed}, exit {said.returncode}, wanted {need}\n{said.stdout[-900:]}{said.stderr}"


def recall(pool):
    for form, faults in plants.FAULTS.items():
        for fault in ("", *faults):
            wrong = [one for one in pool.map(lambda seed: planted(form, fault, seed), range(SEEDS)) if one]
            report(not wrong, f"{form}, {fault or 'clean'}: {SEEDS - len(wrong)} of {SEEDS}", "\n".join(wrong[:2]))


def damaged(path):
    """Some input that need not be whole: no crash, and one line of its damage, if it is."""
    said = lint(path)
    # What libbabeltrace2 prints where it gives up is its own.
    text = re.sub(r"(?s)^.*(?=stampede: .*: libbabeltrace2 )", "", said.stderr)
    lines = text.count("\n")
    good = said.returncode in (0, 2) and not lines or \
        said.returncode in (1, 2) and lines == 1 and text.startswith("stampede: ")
    return said.returncode, "" if good else f"{path}: exit {said.returncode}\n{said.stderr}"


def broken(form, seed):
    """Cut short, and with random bytes."""
    rng = random.Random(f"{form} {seed}")
    with tempfile.TemporaryDirectory() as folder:
        plants.plant(form, "", seed, folder)
        name = rng.choice([one for one in sorted(os.listdir(folder)) if one != "metadata"])
        with open(os.path.join(folder, name), "rb") as file:
            whole = file.read()
        path = folder if form in ("ctf", "ftrace") else os.path.join(folder, name)
        cut = whole[:rng.randrange(1, len(whole) - 1)]
        with open(os.path.join(folder, name), "wb") as file:
            file.write(cut)
        code, wrong = damaged(path)
        # An array may end anywhere, sub-buffers and packets after any; nothing else may.
        if code != 1 and not (form == "chrome" and cut.startswith(b"[")) and \
                not (form == "ftrace" and len(cut) % 4096 == 0) and \
                not (form == "ctf" and whole[len(cut):].startswith(bytes.fromhex("c11ffcc1"))):
            wrong += f"{form} {seed}: cut at {len(cut)} and exit {code}"
        noise = bytearray(whole)
        for _ in range(rng.choice((1, 3, 40))):
            at = rng.randrange(rng.choice((len(noise), 64, 400)))
            noise[at] = rng.randrange(256)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(noise)
        return wrong + damaged(path)[1]


def content(kind, given):
    """A file: its text, or numbers of so many bits as the word before them says."""
    if kind == "chrome":
        return given.encode()
    out = b""
    for word in given.split():
        if word[0] in "uz":
            size = word
        else:
            out += bytes(int(word)) if size == "zero" else int(word).to_bytes(int(size[1:]) // 8, "little")
    return out


def cases(folder):
    """All that is said of small files, and the exit code."""
    with open(f"{DATA}/lint_cases.txt", encoding="utf-8") as file:
        them = file.read().split("=== ")[1:]
    for name, given, wanted in (re.match(r"(.*)\n((?s:.*))\n--- ((?s:.*))$", one).groups() for one in them):
        with open(f"{folder}/trace", "wb") as file:
            file.write(content(name.split(":")[0], given))
        said = subprocess.run([READ, "--lint", "--json", "json", "trace"], cwd=folder, capture_output=True, text=True, check=False)
        with open(f"{folder}/json", encoding="utf-8") as file:
            one, = json.load(file)
        found.update(one["found"])
        got = f"{said.returncode}\n{said.stdout}{said.stderr}" + json.dumps({**one, "findings": len(one["findings"])}) + "\n"
        report(got == wanted, name, got)
        if name.startswith("ftrace:"):
            said = subprocess.run([READ, f"{folder}/trace"], capture_output=True, text=True, check=False).stdout
            report(f" sub-buffers, {one['lost']} events where" in said, "read-trace without --lint counts as many", said)
    said = lint("--csv", f"{folder}/trace")
    report(said.returncode == 1 and "--lint and --loss print neither" in said.stderr, "--lint with --csv", said.stderr)


def recorded(folder):
    """What tools here have recorded."""
    traces = [f"{DATA}/ftrace", f"{DATA}/lttng", f"{DATA}/lttng_compact"]
    perf = os.path.join(folder, "perf.data")
    if shutil.which("perf") and not subprocess.run(
            ["perf", "record", "-q", "-a", "-e", "cpu-clock,page-faults", "-o", perf, "--", "ls", "-R", "docs"],
            capture_output=True, check=False).returncode:
        traces.append(perf)
    for trace in traces:
        said = lint(trace)
        report(said.returncode == 0 and "nothing found" in said.stdout, f"{os.path.basename(trace)}: nothing is found",
               said.stdout[-2000:] + said.stderr)


with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
    cases(scratch)
    recall(pool)
    for form in plants.FAULTS:
        wrong = [one for one in pool.map(lambda seed: broken(form, seed), range(SEEDS)) if one]
        report(not wrong, f"{form}: {SEEDS} cut short and {SEEDS} with random bytes", "\n".join(wrong[:3]))
    recorded(scratch)
with open("docs/formats.md", encoding="utf-8") as file:
    missing = set(re.findall(r"(?m)^\| `(\w+)` \| .* \|$", file.read())) - found
report(not missing, "each kind of docs/formats.md is found somewhere", str(missing))
print(f"1..{plants.reported}")
