# SPDX-License-Identifier: MIT
"""Bytes behind the ring: of each row's events at recorded gaps, before and after compression."""
import math
from statistics import fmean, median
from types import SimpleNamespace

from text import figure

FIELDS = ("bytes", "median", "p99", "most", "zstd", "lz4", "read", "sort")


def lines(run):
    """By bytes after zstd. Over all recordings: means; the largest of the tail; medians of times."""
    of_row = {}
    for one in run.sent:
        of_row.setdefault(one.row, []).append(one)
    found = []
    for row, cells in of_row.items():
        def all_of(field):
            return [value for cell in cells if not math.isnan(value := getattr(cell, field))]

        def over(how, field):
            values = all_of(field)
            return how(values) if values else math.nan

        line = SimpleNamespace(
            row=row, bytes=over(fmean, "bytes"), median=over(median, "bytes_median"),
            p99=over(max, "bytes_p99"), most=over(max, "bytes_most"),
            zstd=over(fmean, "zstd_bytes"), lz4=over(fmean, "lz4_bytes"),
            read=over(median, "read_ns"), sort=over(median, "sort_ns"))
        line.figures = [SimpleNamespace(value=getattr(line, field),
                                        text=figure(getattr(line, field))) for field in FIELDS]
        if not line.sort:  # its times are in order
            line.figures[-1].text = ""
        found.append(line)
    return sorted(found, key=lambda line: (math.isnan(line.zstd), line.zstd, line.row))
