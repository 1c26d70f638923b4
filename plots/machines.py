# SPDX-License-Identifier: MIT
"""The guide over all machines that results/reference keeps a record of."""
import math
import os
from collections import namedtuple

import record
from files import Failed, complain

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
            complain(f"{path} is no reference ({why}): left out; build/compare --contribute RUN "
                     "makes one")
    return found


def model(reference):
    """The CPU, with family and model number where one name stands for many."""
    machine = reference["machine"]
    numbers = [machine.get("family"), machine.get("model_number")]
    named = all(isinstance(one, int) and not isinstance(one, bool) for one in numbers)
    return text(machine, "model")[:48] + (" {}-{}".format(*numbers) if named else "")


def title(reference):
    changed = " with changes" if reference["of"].get("dirty") is True else ""
    return f"{model(reference)} (commit {text(reference['of'], 'revision')[:12]}{changed})"


class Shared:
    """One need, as those machines have it that measured the same thing for it."""

    def __init__(self, references, need, unit):
        self.need = need
        self.unit = unit
        self.lines = []
        for reference in references:
            # Figures in another unit are of something else.
            line = next((one for one in reference["needs"] if text(one, "need") == need), None)
            if line and text(line, "unit") == unit:
                self.lines.append((reference, line))
        rows = [{text(one, "row") for one in reference["rows"]} for reference, _ in self.lines]
        self.measured = set.intersection(*rows) if rows else set()
        self.both_clocks = all("cheap" in line for _, line in self.lines)

    def within(self, line, key):
        """The rows that all machines measured and that are as good as the least of them."""
        values = line.get(key) if isinstance(line.get(key), dict) else {}
        values = {row: value for row, value in values.items()
                  if row in self.measured and record.is_number(value)}
        good = line.get("as_good")
        most = min(values.values(), default=math.inf) * (1 + (
            good if record.is_number(good) else 0))
        return [row for row, value in values.items() if value <= most]

    def winners(self, line):
        """By both clocks where all machines have both, and they agree on any row."""
        rows = self.within(line, "rows")
        if not self.both_clocks:
            return rows
        cheap = self.within(line, "cheap")
        return [row for row in rows if row in cheap] or rows


Line = namedtuple("Line", "need everywhere parts")


def lines(references):
    """Of each need in each unit that two machines or more have: who wins on all, and where."""
    found = []
    for reference in references:
        for one in reference["needs"]:
            shared = Shared(references, text(one, "need"), text(one, "unit"))
            # Said where the first of them is.
            if len(shared.lines) < 2 or shared.lines[0][0] is not reference:
                continue
            winners = [shared.winners(line) for _, line in shared.lines]
            everywhere = [row for row in winners[0] if all(row in its for its in winners)]
            on = "on" if len(winners) > 2 else "only on"
            parts = [(f"{on} {model(its)}: ", [row for row in rows if row not in everywhere])
                     for (its, _), rows in zip(shared.lines, winners)]
            found.append(Line(shared.need, everywhere, [part for part in parts if part[1]]))
    return found
