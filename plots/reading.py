# SPDX-License-Identifier: MIT
"""What a reader on another CPU costs the writer: the section "reading", and wakes under storms."""
import math
from statistics import median
from types import SimpleNamespace

from text import figure


def wake_ns(run, row):
    for one in run.json.get("stress", []):
        if isinstance(one, dict) and (one.get("row"), one.get("workload")) == (row, "live"):
            live = one.get("live")
            return live.get("wake_ns", math.nan) if isinstance(live, dict) else math.nan
    return math.nan


def both(one):
    """Millions a second, with the interval where there is one."""
    text = figure(one.per_second / 1e6)
    if math.isnan(one.per_second_95_low) or math.isnan(one.per_second_95_high):
        return text
    return f"{text} ({figure(one.per_second_95_low / 1e6)} to {figure(one.per_second_95_high / 1e6)})"


def said(lines):
    """The price over all rows; None: nothing was read."""
    ratios = sorted(one.ratio for one in lines if not math.isnan(one.ratio))
    wakes = [one.wake for one in lines if one.wake > 0]
    if not ratios:
        return None
    return SimpleNamespace(least=ratios[0], middle=median(ratios), most=ratios[-1],
                           wake=figure(median(wakes)) if wakes else None)


def lines(run):
    """In the order of the run."""
    found = []
    for one in run.reading:
        wake = wake_ns(run, one.row)
        figures = [(one.alone_ns, figure(one.alone_ns)), (one.read_ns, figure(one.read_ns)),
                   (one.ratio, f"{one.ratio:.3f} ({one.ratio_95_low:.3f} to {one.ratio_95_high:.3f})"
                    if not math.isnan(one.ratio) else "n/a"),
                   (one.taken / one.written, f"{100 * one.taken / one.written:.0f} %"
                    if one.written > 0 else "n/a"),
                   (one.per_second, both(one)),
                   (wake, figure(wake) if wake > 0 else "n/a")]
        found.append(SimpleNamespace(row=one.row, ratio=one.ratio, wake=wake, figures=[
            SimpleNamespace(value=value, text=text) for value, text in figures]))
    return found
