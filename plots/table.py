# SPDX-License-Identifier: MIT
"""The table of a run, cell by cell: the page and Markdown print the same."""
import math
from collections import namedtuple

from data import known
from record import NAN, worst_is_declared
from text import count, duration, figure

Cell = namedtuple("Cell", "text small value", defaults=["", NAN])
Column = namedtuple("Column", "title key time form small", defaults=[False, figure, None])


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


def quartiles(key):
    return lambda run, row: between(row, f"{key}_low", f"{key}_high")


def ratio(run, row):
    its = between(row, "ratio_95_low", "ratio_95_high")
    if not its:
        return between(row, "ratio_low", "ratio_high")
    return its + (" unlike ns" if row.disagrees else " noisy" if row.noisy else "")


def own_floor(run, row):
    return (row.floor or "") + (", below it" if row.floor and row.below_floor else "")


def added_id(run, row):
    return f"{row.id_bytes_added:.0f} bytes of id added" if row.id_bytes_added > 0 else ""


TIME = True  # a time, or a ratio of two: not given of a row that broke a promise

COLUMNS = (
    Column("worst error, ticks", "worst_error_ticks", not TIME, exact_or, error),
    Column("bytes", "bytes", not TIME, two_digits),
    Column("of which header", "header_bytes", not TIME, two_digits),
    Column("header with an id", "header_id_bytes", not TIME, two_digits, added_id),
    Column("ns", "ns", TIME, figure, quartiles("ns")),
    Column("ns above the clock", "above_clock_ns", TIME, two_digits),
    Column("cycles", "cycles", TIME, figure, quartiles("cycles")),
    Column("instructions", "instructions"),
    Column("clock reads", "clock_reads"),
    Column("atomics", "atomics"),
    Column("ratio to floor", "ratio", TIME, figure, ratio),
    Column("to its own floor", "ratio_own", TIME, figure, own_floor),
    Column("ratio, cheap clock", "cheap_ratio", TIME, figure,
           lambda run, row: between(row, "cheap_ratio_95_low", "cheap_ratio_95_high")),
    Column("ns beyond the decile", "left_out_ns", TIME, two_digits),
)


def cell(run, row, column):
    value = getattr(row, column.key)
    if column.time and row.verdict == "broken":
        return Cell("-")
    return Cell(column.form(value), column.small(run, row) if column.small else "", value)


def rows(run):
    return [(row, [cell(run, row, column) for column in COLUMNS]) for row in run.table]


def many_workloads(run):
    """More than one? Then the name of a row does not say which cell."""
    return len({row.workload for row in run.table if row.workload}) > 1
