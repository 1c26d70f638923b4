# SPDX-License-Identifier: MIT
"""Bytes of each row's events at recorded gaps, before and after compression."""
import math
from statistics import fmean
from types import SimpleNamespace

from text import figure


def lines(run):
    """Means over all recordings, by bytes after zstd."""
    of_row = {}
    for one in run.replay:
        if not math.isnan(one.zstd_bytes):
            of_row.setdefault(one.row, []).append((one.bytes, one.zstd_bytes))
    found = []
    for row, cells in of_row.items():
        means = [fmean(values) for values in zip(*cells)]
        found.append(SimpleNamespace(row=row, zstd=means[1], figures=[
            SimpleNamespace(value=mean, text=figure(mean)) for mean in means]))
    return sorted(found, key=lambda line: (line.zstd, line.row))
