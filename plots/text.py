# SPDX-License-Identifier: MIT
"""Numbers and foreign text, made fit for a page, for Markdown and for gnuplot.

Names of rows and of machines come from a file that anybody may have written.
"""
import math
import re
import textwrap


def percent_up(share):
    """To a hundredth, never below what it is: 0.00041 is 0.05."""
    return f"{math.ceil(10000 * share - 1e-9) / 100:.2f}"


NAME_MOST = 31  # characters of a name in a plot; longer ones are cut and end in "..."

# In seconds: units beyond them, each from two of it on, so that it is always said in the plural.
LONG = (("years", 365.25 * 86400), ("days", 86400), ("hours", 3600), ("minutes", 60))
LONG_LEAST = 999.5  # the first of them: below it the thousands do

CONTROL = re.compile(r"[\x00-\x1f\x7f]")
MARKDOWN = re.compile(r"([\\`*_\[\]<>|&~#!])")
NOT_A_LABEL = re.compile(r"[^A-Za-z0-9 ._\-+/(),:=]")


def plain(text):
    """Control characters become spaces."""
    return CONTROL.sub(" ", str(text))


def markdown(text):
    """Stays on its line, and inside the cell of a table."""
    return MARKDOWN.sub(r"\\\1", plain(text))


def markdown_code(text):
    # Nothing escapes a backtick inside a code span.
    return "`" + plain(text).replace("`", "'").replace("|", "\\|") + "`"


def label(text, most=NAME_MOST):
    """Text that gnuplot's strings, data files and formats cannot take for their own."""
    text = NOT_A_LABEL.sub("?", text)
    return text if len(text) <= most else text[:most - 3] + "..."


def row_label(row, bits=math.nan):
    """The label of a row, with its width unless that is NaN: "extended_header (27 bits)"."""
    return label(row) + ("" if math.isnan(bits) else f" ({min(bits, 9999):.0f} bits)")


def figure(value):
    """Three significant digits, or all before the point: 0.07, 1.03, 36.5, 1,551."""
    # By what is printed: 9.999 must become 10.0, not 10.00.
    if math.isnan(value):
        return "n/a"
    if value < 9.995:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 99.95 else count(value)


def count(value):
    """With separators: 1234567 gives "1,234,567"."""
    # Beyond that doubles have no units left, and the digits would be made up.
    if not abs(value) < 1e15:
        return "n/a" if math.isnan(value) else f"{value:.3g}"
    return f"{value:,.0f}"


def _scaled(value, units):
    for unit in units[:-1]:
        if value < 999.5:
            break
        value /= 1000
    else:
        unit = units[-1]
    return f"{value:.3g} {unit}".rstrip()


def short(value):
    """1234567 gives "1.23 M"."""
    return "n/a" if math.isnan(value) else _scaled(value, ["", "k", "M", "G", "T"])


def duration(ticks, hz):
    """A time, from ticks: 134217728 at 2.25e9 gives "59.7 ms"; "" if hz is not known."""
    if not hz > 0 or math.isnan(ticks):
        return ""
    for unit, seconds in LONG if ticks / hz >= LONG_LEAST else ():
        if ticks / hz >= 2 * seconds:
            return f"{ticks / hz / seconds:.3g} {unit}"
    return _scaled(ticks / hz * 1e9, ["ns", "us", "ms", "s"])


def error(ticks, hz):
    """An error of a stamp: "exact", "n/a", or "1,234 ticks (548 ns)"."""
    if ticks == 0:
        return "exact"
    if math.isnan(ticks):
        return "n/a"
    time = duration(ticks, hz)
    return f"{count(ticks)} ticks" + (f" ({time})" if time else "")


def wrapped(text, columns=100):
    """Lines of at most so many columns; those of a list item are indented."""
    return textwrap.wrap(" ".join(text.split()), columns, break_long_words=False, break_on_hyphens=False,
                         subsequent_indent="  " if text.startswith("- ") else "") or [""]
