# SPDX-License-Identifier: MIT
"""The table of a run, cell by cell: the page and Markdown print the same."""
import math
from collections import namedtuple

import record
from data import known
from record import NAN, worst_is_declared
from text import count, duration, figure

Cell = namedtuple("Cell", "text small value", defaults=["", NAN])


def exact_or(value):
    return "exact" if value == 0 else count(value)


def two_digits(value):
    return "n/a" if math.isnan(value) else f"{value:.2f}"


def error(run, row):
    """As a time, and whether all errors of the row under the storm are declared inexact."""
    if not row.worst_error_ticks > 0:
        return ""
    wrong = [one for one in run.storm if one.row == row.row and one.worst_error_ticks > 0]
    declared = wrong and all(map(worst_is_declared, wrong))
    return duration(row.worst_error_ticks, run.machine.tsc_hz) + (
        ", declared inexact" if declared else "")


def between(row, low, high):
    ends = known((getattr(row, low), getattr(row, high)))
    return f"{figure(ends[0])}–{figure(ends[1])}" if len(ends) == 2 else ""


def interval(key):
    return lambda run, row: between(row, f"{key}_95_low", f"{key}_95_high")


def ratio(run, row):
    its = between(row, "ratio_95_low", "ratio_95_high")
    return its + (" on shared cores" if row.mixed else "")


def own_floor(run, row):
    return (row.floor or "") + (", below it" if row.floor and row.below_floor else "")


def added_id(run, row):
    return f"{row.id_bytes_added:.0f} bytes of id added" if row.id_bytes_added > 0 else ""


FORMS = {"figure": figure, "two_digits": two_digits, "exact_or": exact_or}
COLUMNS = [one for one in record.COLUMNS if one.form in FORMS]
SMALL = {  # what stands beside a figure
    "worst_error_ticks": error, "header_id_bytes": added_id, "ratio": ratio, "ratio_own": own_floor,
    **{key: interval(key) for key in ("cycles", "cheap_cycles", "cheap_ratio")},
}


def cell(run, row, column):
    value, small = getattr(row, column.key), SMALL.get(column.key)
    if column.kind != "COUNT" and row.verdict == "broken":
        return Cell("-")
    return Cell(FORMS[column.form](value), small(run, row) if small else "", value)


def rows(run):
    return [(row, [cell(run, row, column) for column in COLUMNS]) for row in run.table]


def many_workloads(run):
    """More than one? Then the name of a row does not say which cell."""
    return len({row.workload for row in run.table if row.workload}) > 1
