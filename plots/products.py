# SPDX-License-Identifier: MIT
"""Tracers that people use: the row that prices each, and what this run says of that row."""
import math
from types import SimpleNamespace

from text import figure


def of_row(scheme):
    """What a row's entry in the record lists, as far as it is text."""
    listed = scheme.get("used_by")
    return [one for one in (listed if isinstance(listed, list) else [])
            if isinstance(one, dict) and
            all(isinstance(one.get(key), str) for key in ("product", "words"))]


def lines(run):
    """By name. A row that this run has not timed has its verdict, or none, and no figures."""
    found = []
    for row, scheme in run.schemes.items():
        cell = run.cell(row, "steady")
        verdict = cell.verdict if cell and cell.verdict else "not in this run"
        ratio, size = (cell.ratio, cell.bytes) if cell else (math.nan, math.nan)
        for one in of_row(scheme):
            found.append(SimpleNamespace(
                product=one["product"], wraps=str(one.get("wraps_after") or ""), words=one["words"],
                row=row, verdict="loses wraps" if one.get("wraps_after") and verdict == "kept" else verdict, ratio=ratio, ratio_text=figure(ratio), bytes=size, bytes_text=figure(size)))
    return sorted(found, key=lambda one: one.product.lower())
