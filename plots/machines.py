# SPDX-License-Identifier: MIT
"""The machines that results/reference keeps a record of."""
import os

import guide
import record
from files import HARNESS, Failed, complain

SOURCES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def folder():
    return os.environ.get("STAMPEDE_REFERENCES") or os.path.join(SOURCES, "results", "reference")


def text(obj, key):
    value = obj.get(key) if isinstance(obj, dict) else None
    return value if isinstance(value, str) else ""


def is_reference(found):
    return (isinstance(found, dict) and found.get("reference") == 1 and
            isinstance(found.get("machine"), dict) and isinstance(found.get("of"), dict) and
            isinstance(found.get("rows"), list) and found["rows"] and
            isinstance(found.get("needs"), list))


def load(where=None):
    """All references, by name; what is none is left out, with a line."""
    where, found = where or folder(), []
    for name in sorted(os.listdir(where)) if os.path.isdir(where) else []:
        if name.startswith("."):
            continue
        path = os.path.join(where, name, "reference.json")
        try:
            one = record.parse(path, record.read_bytes(path) or b"")
            why = "not of form 1"
        except Failed:
            one, why = None, "no JSON, or cut off"
        if is_reference(one):
            found.append(one)
        else:
            complain(f"{path} is no reference ({why}): left out; build/plots --reference RUN "
                     "makes one")
    return found


# ---- making one ----

MACHINE = "vendor model family model_number stepping online smt turbo governor".split()
APART = 0.02  # a reference is for machines that are compared for years
ROW = "verdict ns cycles ticks instructions bytes header_id_bytes worst_error_ticks repetitions".split()


def why_none(run):
    """Why the run is not good enough; None: it is."""
    steady = [one.row for one in run.steady]
    broken = [one["row"] for key in ("table", "stress", "timed_storm", "late_beat", "replay")
              for one in run.json.get(key) or () if one.get("verdict") == "broken"]
    if not run.complete:
        return "it never finished: repeat it"
    if "QUICK=1" in text(run.json, "command"):
        return "it is a quick run, whose times are too coarse: run bench without --quick"
    if "floor" not in steady:
        return "it has no steady cell of 'floor': run bench without --workloads"
    if not 0 < run.apart < APART:
        return (f"it is too noisy to tell apart what differs by {100 * APART:.0f} %, or does not say: stop "
                "other work and run again")
    return f"'{broken[0]}' broke a promise: report it as an issue" if broken else None


def figure(value):
    """Six digits are more than any interval leaves."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def picked(obj, keys):
    """What there is of it; neither host name nor path is among the keys."""
    return {key: figure(obj[key]) for key in keys if obj.get(key) is not None}


def reference(run):
    """What is kept of the run."""
    why = why_none(run)
    if why:
        raise Failed(HARNESS, f"{run.file} is no reference: {why}")
    context = run.json["context"]
    inner = context["stampede"]
    rows = [{"row": one["row"], **picked(one, ROW)} |
            ({"cheap_ratio": [figure(one.get("cheap_ratio" + end))
                              for end in ("", "_95_low", "_95_high")]} if one.get("cheap_ratio") else {}) |
            ({"cold_ns": [figure(getattr(run.cold_of[one["row"]], "ns" + end))
                          for end in ("", "_95_low", "_95_high")]} if one["row"] in run.cold_of else {})
            for one in run.json["table"] if one["workload"] == "steady"]
    needs = [{**one, **{key: {row: figure(value) for row, value in one[key].items()}
                        for key in ("rows", "cheap") if key in one}} for one in guide.needs(run)]
    return {"reference": 1,
            "of": {"what": "run", "date": text(context, "date")[:10], "schema": inner.get("schema"),
                   **picked(inner.get("git", {}), ("revision", "dirty"))},
            "machine": {**picked(inner.get("cpu", {}), MACHINE),
                        "tsc_hz": inner.get("tsc", {}).get("hz")},
            "rows": rows, "needs": needs}
