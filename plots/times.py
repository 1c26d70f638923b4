# SPDX-License-Identifier: MIT
"""Draws a wrong time among its neighbours: a finding of `read-trace --lint --json`, or the worst event in a
folder of `judge-tracer --keep`. The order of the trace goes down, time goes to the right, and all distinct
times are equally far apart."""
import json
import os

from files import HARNESS, Failed
from schedule import BAR, EDGE, LANES, WIDE, Drawing, page

NEAR, FROM = 3, LANES + 24  # neighbours on each side at most; pixels where time begins


def found(path, number):
    """The number-th finding, from 1, of all traces: what it is, in words, and its (name, time, window, wrong)."""
    with open(path, encoding="utf-8") as file:
        findings = [one for trace in json.load(file) for one in trace["findings"] if "time" in one]
    if not 0 < number <= len(findings):
        raise Failed(HARNESS, f"{path}: there are {len(findings)} findings with a time, and no number {number}")
    its = findings[number - 1]
    place = f"event {its['event']}" if "event" in its else f"at {its['offset']}"
    rows = [(name, its[key], None, key == "time")
            for name, key in (("before it", "before"), (place, "time"), ("after it", "after")) if key in its]
    return its["file"], its["kind"], its["message"], rows


def judged(folder):
    """The worst event, outside its call or before its predecessor, and the events around it."""
    def lines(name):
        with open(os.path.join(folder, name), encoding="ascii") as file:
            return [tuple(map(int, line.split()[1:])) for line in file if line.startswith("event ")]

    windows = {(stream, seq): (entry, end) for stream, seq, entry, end in lines("truth") if end}
    streams = {}
    for stream, seq, time in lines("decoded"):
        streams.setdefault(stream, []).append((seq, time, windows.get((stream, seq))))
    worst = (0, "", 0, 0)
    for stream, events in streams.items():
        for at, (_, time, window) in enumerate(events):
            early, late = (window[0] - time, time - window[1]) if window else (0, 0)
            back = events[at - 1][1] - time if at else 0
            worst = max(worst, (early, "early", stream, at), (late, "late", stream, at), (back, "back", stream, at))
    off, word, stream, at = worst
    if not off:
        raise Failed(HARNESS, f"{folder}: each time is within its call and after the one before it")
    first = max(0, at - NEAR)
    rows = [(f"event {seq}", time, window, first + i == at)
            for i, (seq, time, window) in enumerate(streams[stream][first:at + NEAR + 1])]
    said = f"Event {streams[stream][at][0]} is {off:,} too {word}." if word != "back" else \
        f"Event {streams[stream][at][0]} is {off:,} before the event that was read before it."
    return f"stream {stream}", word, said, rows


def svg(title, word, said, rows):
    picture, known = Drawing(), [time for _, said_, window, _ in rows for time in (said_, *(window or ()))]
    base = min(known) - min(known) % 10000 if min(known) >= 100000 else 0
    times, top = sorted(set(known)), None
    place = {time: FROM + (WIDE - EDGE - FROM) * (at + .5) / len(times) for at, time in enumerate(times)}
    picture.text(EDGE, picture.y, title if len(title) < 48 else "\u2026" + title[-46:], "bold")
    picture.text(WIDE - EDGE, picture.y, f"\u2717 {word}", "bad", "end")
    picture.y += 18
    picture.lines(said, "bad")
    picture.lines("Down: the order of the trace. To the right: time, not to scale." + (
        " A bar is the call that recorded the event, by the clock around it." if any(one[2] for one in rows) else ""),
        "small quiet")
    picture.lines(f"Times are above {base:,}." if base else "", "small quiet")
    for at, (name, time, window, wrong) in enumerate(rows):
        picture.y += 38
        picture.path(FROM, picture.y, f"H{WIDE - EDGE}", "line")
        picture.text(EDGE, picture.y + 4, name, "bad small" if wrong else "small")
        if window:
            picture.rect(place[window[0]] - 2, picture.y - BAR / 2, place[window[1]] - place[window[0]] + 4, BAR, "bar")
        if top is not None:
            picture.path(place[rows[at - 1][1]], top + 6, f"L{place[time]:.1f} {picture.y - 6:.1f}", "ink")
        picture.path(place[time], picture.y - 6, "l-6 6l6 6l6 -6z", "bad" if wrong else "blue")
        label = f"{time - base:,}"
        if top is not None:
            label += f" ({time - rows[at - 1][1]:+,})"  # against the row above
        right = place[time] > (FROM + WIDE) / 2
        x, wide = place[time] + (-10 if right else 10), 7 * len(label)
        picture.rect(x - wide if right else x, picture.y - 18, wide, 10, "paper")
        picture.text(x, picture.y - 8, label, "small bold" if wrong else "small", "end" if right else "start")
        top = picture.y
    picture.y += 24
    return page(picture, f"{title}: {word}: {said}", " ".join(f"{name}: {time:,}." for name, time, _, _ in rows))


def draw(words):
    """A title, and the picture of what `words` name: a file of findings and perhaps a number, or a folder."""
    path, number, *more = *words, *["1"][len(words) - 1:]
    if more or not number.isdigit():
        raise Failed(HARNESS, f"'{' '.join(words[1:])}' is no number of a finding: 1 is the first")
    its = judged(path) if os.path.isdir(path) else found(path, int(number))
    return its[0], svg(*its)
