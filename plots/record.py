# SPDX-License-Identifier: MIT
"""Reads the record of a run: the one place here that knows results/SCHEMA.md.

All of it is checked: a value of the wrong type ends the program with the path of the first one. A
number that is missing or null is NaN, a text None (WORDS: empty), a section empty. SHOWN: the page alone
shows these.
"""
import json
import math
import os
import re
from collections import namedtuple
from types import SimpleNamespace

from files import HARNESS, RESOURCE, Failed

SCHEMA = 4  # as RECORD_SCHEMA of results/record.h; others are refused
NAN = math.nan
REMEDY = "give a bench.json, a run's directory, or latest"

PROMISES = ("monotonic", "exact", "window", "wrap_proof", "bounded")
ORACLES = ("exact", "window", "monotonic", "conservation", "structure", "counts", "losses")
# Words of judge/verdict.h, the worst last.
VERDICTS = ("not promised", "no promise", "kept", "declared inexact", "not explored", "not stormed", "not tried",
            "need not met", "broken")
HELD = ("kept", "declared inexact")  # tried, and nothing objected
STEP_PROOF = "step_proof"  # a promise of few, and none that a clock which goes forward calls for

# ---- what is read ----

NUMBER, SIGNED, TEXT, NAME, WORDS, FLAG = "number", "signed", "text", "name", "words", "flag"


def numbers(*keys):
    return dict.fromkeys(keys, NUMBER)


def interval(*keys):
    """Medians with their 95 % intervals."""
    return numbers(*(key + end for key in keys for end in ("", "_95_low", "_95_high")))


Column = namedtuple("Column", "key how ends kind form title")


def columns():
    """The lines of results/columns.def."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "results", "columns.def")
    with open(path, encoding="utf-8") as file:
        return [Column(*(word.strip('"') for word in re.findall(r'"[^"]*"|\w+', line)[1:]))
                for line in file if line.startswith("X(")]


COLUMNS = columns()
ENDS = {"ONE": [""], "INTERVAL": ["", "_95_low", "_95_high"]}


SECTIONS = {
    "table": {
        "row": NAME, "workload": TEXT, "verdict": TEXT, "why": TEXT, "floor": TEXT,
        "mixed": FLAG, "below_floor": FLAG, "repetitions": NUMBER,
        **{one.key + end: SIGNED if one.kind == "DIFFERENCE" else NUMBER
           for one in COLUMNS for end in ENDS[one.ends]},
    },
    "stress": {
        "row": NAME, "workload": TEXT, "verdict": TEXT, "first_violation": TEXT,
        **numbers("bits", "events", "nested", "hits", "seconds", "recording_seconds",
                  "worst_error_ticks", "typical_error_log2", "inexact", "wraps_lost"),
        "promises": dict.fromkeys(PROMISES, TEXT), "tries": numbers(*PROMISES),
        "violations": numbers(*ORACLES),
        "delivered_by_source": 4,
        "damage": {"until": TEXT, "steps": 3, **numbers("wrong", "worst_ticks", "longest")},
    },
    "trials": {
        "row": NAME, "verdict": TEXT, "why": TEXT, **numbers("bits", "events"),
        "promises": dict.fromkeys(PROMISES, TEXT), "tries": numbers(*PROMISES),
        "violations": numbers(*ORACLES),
    },
    "late_beat": {
        "row": NAME, "bits": NUMBER, "workload": TEXT, "verdict": TEXT, "first_violation": TEXT,
        "steps": [numbers("gap_wraps", "wraps_lost", "wrong", "repetitions")],
    },
    "backstep": {
        "row": NAME, "clock": NAME, "step": TEXT, "verdict": TEXT, "until": TEXT,
        **numbers("step_ticks", "events", "steps", "wrong", "inexact", "worst_ticks", "longest",
                  "extended", "lost", "reads_most"),
    },
    "bytes_by_rate": {
        "row": NAME, **numbers("events_per_second", "bytes_per_second",
                               "header_bytes_per_second", "tsc_hz"),
    },
    "injected": {"row": NAME, "workload": NAME, "ratio": NUMBER},
    "replay": {
        "row": NAME, "gaps": NAME, "verdict": TEXT,
        **numbers("bytes", "header_bytes", "bytes_per_second"),
    },
    "tails": {
        "row": NAME, "regime": NAME, "gaps": TEXT, "variant": FLAG,
        **numbers("samples", "hits", "p50", "p99", "p999", "p9999", "max", "fence_p50"),
    },
    "cold": {
        "row": NAME, "evicted": NAME, "again": FLAG, "variant": FLAG,
        **numbers("samples", "extended"),
        **dict.fromkeys(interval("ns", "extended_ns", "first_ns", "ratio", "extended_ratio"), SIGNED),
    },
    "benchmarks": {"name": NAME, **numbers("ns", "threads", "cycles", "ticks")},
    "warnings": {"name": NAME, "state": NAME, "cause": TEXT, "remedy": TEXT},
}

MACHINE = {
    "host_name": TEXT, "date": TEXT, "num_cpus": NUMBER,
    "stampede": {
        "cpu": {"model": TEXT}, "hypervisor": {"name": TEXT}, "kernel": {"release": TEXT},
        "build": {"compiler": TEXT, "flags": TEXT}, "git": {"revision": TEXT},
        "tsc": {"hz": NUMBER},
    },
}

BY_CONTEXT = numbers("softirq", "hardirq", "nmi")
NESTING = {"delivered": BY_CONTEXT, "hits": BY_CONTEXT, "depth": numbers("two", "three", "four")}

SHOWN = {
    "again": [{"row": WORDS, "workload": WORDS, "change": SIGNED}],
    "noise": numbers("apart", "slots", "shared", "cycle_ticks"),
    "beats": [{"row": WORDS, **numbers("beat_ns", "beats_per_second", "ns_per_second")}],
    "left_out": [{"row": WORDS, "why": WORDS}],
    "explored": {
        **dict.fromkeys(("tier", "date", "revision"), WORDS),
        "rows": [{"row": WORDS, "families": [{
            **dict.fromkeys(("what", "budget", "verdict", "first"), WORDS),
            **numbers("schedules", "broken", "need_not_met", "nested",
                      "backs", "skew")}]}],
        "limits": [{**dict.fromkeys(("name", "what", "row", "form", "budget", "timeline"), WORDS),
                    **numbers("failing", "schedules", "extended", "decoded")}],
    },
    "in_kernel": {
        "date": WORDS, "command": WORDS,
        "kernels": [{
            "release": WORDS, "version": WORDS, "cpu": WORDS, "cpus": NUMBER, "emulated": FLAG,
            "rows": [{"row": WORDS, "verdict": WORDS, "text": WORDS, "with_nmi": FLAG, "masked": FLAG,
                      **numbers("bits", "interrupting", "inexact"), **NESTING}],
            "prices": [{"price": WORDS, "unit": WORDS, **numbers("batch", "single")}],
        }],
    },
}

FIELDS = {
    **{key: [fields] for key, fields in SECTIONS.items()}, **SHOWN, "context": MACHINE,
    "harness": {"loop_cycles": SIGNED, "decode_events_per_second": NUMBER},
}

# ---- values ----


def is_number(value):
    # An integer of 400 digits is no double.
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e308


def wrong(where, what):
    return Failed(HARNESS, f"{where} {what}; mend what wrote it, or run again")


def scalar(where, value, kind):
    if kind in (NUMBER, SIGNED):
        if value is None:
            return NAN
        if not is_number(value):
            raise wrong(where, "must be a number, or null")
        if kind == NUMBER and value < 0:
            raise wrong(where, "must not be negative")
        return value
    if kind == FLAG:
        if value is not None and not isinstance(value, bool):
            raise wrong(where, "must be true or false")
        return bool(value)
    if value is not None and not isinstance(value, str):
        raise wrong(where, "must be text")
    if kind == NAME and not value:
        raise wrong(where, "must be there, as text that is not empty")
    return value or "" if kind == WORDS else value


def number_list(where, values, most):
    """The first `most` of an array of numbers; NaN for those it lacks."""
    values = [] if values is None else values
    if not isinstance(values, list) or not all(is_number(one) and one >= 0 for one in values):
        raise wrong(where, "must be an array of numbers >= 0")
    return (values + [NAN] * most)[:most]


def strict(where, obj, fields):
    """An object by its fields, `where` before their names; the first one that is wrong ends it."""
    if not isinstance(obj, dict):
        raise wrong(where.rstrip(".:"), "must be an object")
    its = SimpleNamespace()
    for key, kind in fields.items():
        inside, value = where + key, obj.get(key)
        if isinstance(kind, dict):
            value = strict(inside + ".", {} if value is None else value, kind)
        elif isinstance(kind, list):
            value = strict_list(inside, value, kind[0])
        elif isinstance(kind, int):
            value = number_list(inside, value, kind)
        else:
            value = scalar(inside, value, kind)
        setattr(its, key, value)
    return its


def strict_list(where, values, fields):
    if values is None:
        return []
    if not isinstance(values, list):
        raise wrong(where, "must be an array")
    return [strict(f"{where}[{at}].", one, fields) for at, one in enumerate(values)]


# ---- files ----


def no_twins(found):
    its = dict(found)
    if len(its) != len(found):
        raise ValueError("duplicate object key")
    return its


def no_constant(word):
    raise ValueError(f"{word} is no JSON")


def no_foreign_text(text):
    """Escapes that stand for no text: half a surrogate pair, or the end of a C string."""
    if re.search(r"\\u(0000|[dD][89a-fA-F])", text):
        halves = re.sub(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..", "", text.replace("\\\\", ""))
        if re.search(r"\\u(0000|[dD][89a-fA-F])", halves):
            raise ValueError("an escape that stands for no character")


def is_cut(text, error):
    """Does the text end where more was due? It may end inside a word, which then is not one."""
    rest = text[getattr(error, "pos", 0):].rstrip()
    return not text.strip() or (
        text.lstrip().startswith("{") and isinstance(error, json.JSONDecodeError) and
        ("Unterminated" in error.msg or ("escape" in error.msg and len(rest) < 7) or
         not re.search(r'[\s"\[\]{},:]', rest)))


def parse(path, data, line=1, offset=0):
    """One JSON value of a file; line, offset: where it begins there."""
    try:
        text = data.decode("utf-8")
        no_foreign_text(text)
        return json.loads(text, object_pairs_hook=no_twins, parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        if isinstance(error, UnicodeDecodeError):
            cut, at = error.end == len(data) and "unexpected end" in error.reason, error.start
            why = "no UTF-8"
        else:
            cut, at = is_cut(text, error), getattr(error, "pos", 0)
            why = getattr(error, "msg", None) or str(error) or "nested too deep"
        raise Failed(HARNESS, "{}: line {}, byte {}: {}; {}".format(
            path, line + data.count(b"\n", 0, at), offset + at, why if data else "empty file",
            "the file is cut off: run again, or look for rows.jsonl beside it" if cut
            else REMEDY)) from None


def read_bytes(path):
    """None if there is no such file."""
    try:
        if not os.path.isfile(path) and os.path.exists(path):
            raise Failed(HARNESS, f"{path} is not a regular file; {REMEDY}")
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Failed(RESOURCE, f"cannot read {path}: {error.strerror}; "
                               "check its permissions") from None


# What a repetition must bring, as Google Benchmark's compare.py needs it: least whole numbers.
ROW_COUNTS = {"repetitions": 1, "repetition_index": 0, "threads": 1, "iterations": 1}


def why_no_row(row):
    if not isinstance(row, dict):
        return "a row must be a JSON object"
    for key in ("name", "run_name", "run_type", "time_unit"):
        if not (isinstance(row.get(key), str) and row[key]):
            return f"'{key}' must be text"
    for key, least in ROW_COUNTS.items():
        value = row.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            return f"'{key}' must be a whole number >= {least}"
    for key in ("real_time", "cpu_time"):
        if not (is_number(row.get(key)) and row[key] >= 0):
            return f"'{key}' must be a time >= 0"
    if row["time_unit"] not in ("ns", "us", "ms", "s"):
        return "'time_unit' must be ns, us, ms or s"
    # Every repetition's row and never only means: aggregates are the reader's to make.
    return None if row["run_type"] == "iteration" else "'run_type' must be iteration"


def why_no_context(context):
    stampede = context.get("stampede") if isinstance(context, dict) else None
    schema = stampede.get("schema") if isinstance(stampede, dict) else None
    if not isinstance(schema, int) or isinstance(schema, bool):
        return "no context.stampede.schema, so not a record of Stampede"
    if schema != SCHEMA:
        return f"schema {schema}, and this Stampede reads {SCHEMA}: run the bench again, or use the version that ran it"
    host = context.get("host_name")
    return None if isinstance(host, str) and host else "no context.host_name"


def load_bench(path, data):
    document = parse(path, data)
    rows = document.get("benchmarks") if isinstance(document, dict) else None
    why = why_no_context(document.get("context") if isinstance(document, dict) else None)
    if not why and not (isinstance(rows, list) and rows):
        why = "no 'benchmarks' with at least one row"
    for at, row in enumerate(rows if not why else []):
        why = why_no_row(row)
        if why:
            why = f"benchmarks[{at}]: {why}"
            break
    if why:
        raise Failed(HARNESS, f"{path}: {why}; {REMEDY}")
    return document


def load_rows(path, data):
    """A run that was killed: lines that end in a newline; what is behind the last was cut off."""
    rows, offset = [], 0
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        row = parse(path, line, number, offset)
        why = why_no_row(row)
        if why:
            raise Failed(HARNESS, f"{path}: line {number}, byte {offset}: {why}; remove it")
        rows.append(row)
        offset += len(line) + 1
    if not rows:
        raise Failed(HARNESS, f"{path}: no whole row: the run ended before its first; run again")
    beside = os.path.join(os.path.dirname(path), "context.json")
    data, context = read_bytes(beside), {}
    if data is not None:
        context = parse(beside, data)
        why = why_no_context(context)
        if why:
            raise Failed(HARNESS, f"{beside}: {why}; remove it")
    return {"context": context, "benchmarks": rows}


def find(path, root):
    """The file that `path` means, and its bytes: a file, a directory, or a name inside root."""
    if not path:
        raise Failed(HARNESS, f"empty name of a run; {REMEDY}")
    inside = os.path.join(root, path)
    # latest is meant inside root even if it is missing there: the message should say so.
    if "/" not in path and (os.path.lexists(inside) or path == "latest"):
        path = inside
    if not os.path.isdir(path):
        data = read_bytes(path)
        if data is None:
            raise Failed(HARNESS, f"{path}: no such run; {REMEDY}")
        return path, data
    for name in ("bench.json", "rows.jsonl"):
        data = read_bytes(os.path.join(path, name))
        if data is not None:
            return os.path.join(path, name), data
    raise Failed(HARNESS, f"{path} is not a run: neither bench.json nor rows.jsonl in it; {REMEDY}")


# ---- the run ----


class Run:
    """A run: its sections by their names in the record, and what is asked more than once."""

    def __init__(self, path, document):
        self.file = path
        self.json = document
        self.complete = not path.endswith(".jsonl")
        self.dir = os.path.dirname(path) or "."
        # results/latest is a link: the page must name the run that it stands for.
        self.name = os.path.basename(os.path.realpath(self.dir)) or self.dir
        vars(self).update(vars(strict(f"{path}: ", document, FIELDS)))
        inner = self.context.stampede
        self.machine = SimpleNamespace(
            date=self.context.date, cpus=self.context.num_cpus, cpu=inner.cpu.model,
            hypervisor=inner.hypervisor.name, kernel=inner.kernel.release,
            compiler=inner.build.compiler, revision=inner.git.revision, tsc_hz=inner.tsc.hz)
        # Other workloads of the checked build are no storm.
        self.storm = [one for one in self.stress if one.workload in (None, "storm")]
        for one in self.late_beat:
            # A gap that was asked for is not the one that was had: a curve must not go back.
            one.steps.sort(key=lambda step: (math.isnan(step.gap_wraps), step.gap_wraps))
        self.backstep_of = {}
        for one in self.backstep:
            self.backstep_of.setdefault(one.row, []).append(one)
        self.schemes = {}
        listed = document.get("schemes")
        for one in listed if isinstance(listed, list) else []:
            if isinstance(one, dict) and isinstance(one.get("row"), str):
                self.schemes.setdefault(one["row"], one)
        sentences = document.get("not_tried")
        self.not_tried = [one for one in sentences if isinstance(one, str)] if isinstance(
            sentences, list) else []
        self.apart = self.noise.apart if self.noise.apart > 0 else 0

    @property
    def command(self):
        command = self.json.get("command")
        return command if isinstance(command, str) and command else "make bench"

    def elements(self, section, fields):
        """Of a section that is not checked, these fields as they come: one plot shows them."""
        if section in SECTIONS:
            return getattr(self, section)
        found = self.json.get(section)
        return [SimpleNamespace(**{field: NAN if one.get(field) is None else one[field]
                                   for field in fields})
                for one in (found if isinstance(found, list) else []) if isinstance(one, dict)]

    def cell(self, row, workload):
        """The cell of `row` under `workload`, or None."""
        return next((one for one in self.table if (one.row, one.workload) == (row, workload)), None)

    @property
    def steady(self):
        return [one for one in self.table if one.workload == "steady"]

    @property
    def cold_of(self):
        """By row, its event after everything was evicted."""
        return {one.row: one for one in self.cold
                if one.evicted == "all" and not one.again and (one.ns > 0 or one.extended_ns > 0)}


def document(path, root="results"):
    """The file that was meant, what is in it, and whether the run came to its end."""
    path, data = find(path, root)
    rows = path.endswith(".jsonl")
    return path, load_rows(path, data) if rows else load_bench(path, data), not rows


def load(path, root="results"):
    path, its, _ = document(path, root)
    return Run(path, its)


# ---- what rows say of themselves ----


def checked(storm):
    """Was anything checked? A row that must not be interrupted records nothing under a storm."""
    return storm.events != 0


def worst_is_declared(storm):
    """The worst error is that of stamps declared inexact, which the oracle `exact` leaves out."""
    return storm.inexact > 0 and storm.violations.exact == 0


def bits_that_matter(rows, one):
    """The row's width if it ran at several, so that its name alone does not do; else NaN."""
    return one.bits if sum(other.row == one.row for other in rows) > 1 else NAN
