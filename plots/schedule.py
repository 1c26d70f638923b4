# SPDX-License-Identifier: MIT
"""One picture of a row and of a schedule: the record in bits, which writer came into which, and what
a reader then decodes. From the JSON that `explore --draw` plays; nothing here is about a certain row,
and what it says in sentences stands in the head of the row's header."""
import html
import itertools
import json
import os
import re
import signal
import textwrap
from string import Template

from files import FINE, HARNESS, Failed, put

SCHEMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "schemes")
WIDE, EDGE, LANES = 480, 12, 84  # pixels: the picture, its margin, where time begins
TALL, BAR = 50, 16  # a lane, and a writer on it
LISTED, PLACED = 18, 64  # steps at most: that are listed, that have a place
FORMATS = "own ftrace word large packed sync varint".split()  # enum scheme_format_kind
PROMISES = ("order of times", "exact times", "times within the event", "long gaps", "a writer that ends",
            "a clock that goes back")  # enum scheme_promise
GAP, CARRY = 1, 2  # enum scheme_extension
INLINE = ("local.h", "bytes.h", "row.c")  # the step's own line says nothing of the row
BETWEEN = {"jump": "{:,} ticks pass", "back": "clock back by {:,}", "read": "a reader takes",
           "flush": "closed", "switch": "to CPU {}", "deferred": "put off"}
# Blue, vermillion and orange, told apart by colour-blind readers; a sign and the edge say the same.
COLOURS = "paper ink quiet line shade blue bad part bar".split()
LIGHT = dict(zip(COLOURS, "#fff #1a1a1a #5c5c5c #c9c9c9 #f1f4f6 #0072b2 #b8460b #8a5f00 #cfe3f1".split()))
DARK = dict(zip(COLOURS, "#161718 #e8e6e3 #a9a6a1 #4a4d50 #26292b #6cc0f0 #ff9a5c #f0c36c #1f4763".split()))
COLOURED = Template("""text{fill:$ink}.quiet{fill:$quiet}.bad,circle{fill:$bad}.part{fill:$part}.blue{fill:$blue}
.paper{fill:$paper}.line{stroke:$line}.ink{stroke:$ink}.bar{fill:$bar;stroke:$blue}.off{stroke:$blue}
.box{fill:$shade;stroke:$line}.badbox{stroke:$bad}.partbox{stroke:$part}""").substitute
# Colours twice and not by var(), which librsvg does not know.
STYLE = f"""svg{{font:13px sans-serif}}.small{{font-size:11px}}.mono{{font:10.5px monospace}}.big{{font-size:17px}}
.big,.bold,.bad{{font-weight:bold}}.ink,.badbox,.partbox{{fill:none}}.off{{stroke-dasharray:3 3}}
.badbox{{stroke-width:3}}.partbox{{stroke-width:2;stroke-dasharray:5 3}}
{COLOURED(LIGHT)}@media screen and (prefers-color-scheme:dark){{{COLOURED(DARK)}}}"""


class Drawing:
    def __init__(self):
        self.parts, self.y = [], EDGE + 18

    def text(self, x, y, text, look="", anchor="start"):
        if text:
            self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{look}" text-anchor="{anchor}">'
                              f'{html.escape(text)}</text>')

    def rect(self, x, y, wide, tall, look):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}" class="{look}"/>')

    def path(self, x, y, way, look):
        self.parts.append(f'<path d="M{x:.1f} {y:.1f}{way}" class="{look}"/>')

    def lines(self, text, look="small", x=EDGE):
        wide, step = (71, 13) if "mono" in look else (78, 14) if "small" in look else (58, 16)
        for line in textwrap.wrap(text, wide):
            self.text(x, self.y, line, look)
            self.y += step

    def head(self, text):
        self.text(EDGE, self.y + 12, text, "bold")
        self.y += 24


def of_header(row, asked):
    """The paragraph that begins so in the row's header; "" if it has no such paragraph."""
    try:
        headers = {}
        for name in ("history/history.def", "schemes.def"):
            with open(os.path.join(SCHEMES, name), encoding="utf-8") as file:
                headers.update(re.findall(r"^X\((\w+), *([\w/]+),", file.read(), re.M))
        with open(os.path.join(SCHEMES, headers[row] + ".h"), encoding="utf-8") as file:
            comment = file.read().split("*/")[1]
    except (OSError, KeyError, IndexError):
        return ""
    found = re.search(rf"^ \* ({asked}.*?)(?=\n \*\n|\n \* (?:[A-Z]\d|Order|Clock reads|Known|Shared) |\n \* +[A-Z]  |\Z)",
                      comment, re.M | re.S)
    return " ".join(found[1].replace("\n *", " ").removeprefix("F1").split()) if found else ""


# ---- the record ----

def fields(its):
    """(name, bits) of a short header, the highest bits first; none of a form of the row's own."""
    form, low, size = FORMATS[its["format"]], "low bits of the time", its["stamp_bytes"]
    if form == "large":
        return [("size", 16), ("id", 16), ("the whole time" if size == 8 else low, 8 * size)]
    named = {"word": its["id_bits"], "sync": its["id_bits"], "packed": 5, "ftrace": 5, "varint": 8}.get(form)
    if named is None:
        return []
    rest = 8 * size if form == "varint" else 32 - named - its["flag"]
    return [("ticks since the record before" if form == "ftrace" else low, rest),
            ("size" if form == "ftrace" else "id", named)] + [("1", 1)] * its["flag"]


def field(its, record):
    """The time field of a record; None: it has more than that, or a form of the row's own."""
    form, header = FORMATS[its["format"]], bytes.fromhex(record["header"])
    if record["extended"] or form in ("own", "varint"):
        return None
    if form == "large":
        return int.from_bytes(header[:its["stamp_bytes"]], "little")
    return int.from_bytes(header[:4], "little") >> sum(bits for _, bits in fields(its)[1:])


def knows(its):
    """How a reader comes to a time."""
    form, wrap = FORMATS[its["format"]], f"{1 << its['bits']:,} ticks"
    if form == "own":
        return "The form of the records is the row's own."
    if fields(its)[-1][0] == "the whole time":
        return "A reader finds the whole time in each record."
    return ("A reader adds the field to the time of the record before." if form == "ftrace" else
            f"A reader takes the first time after the record before that ends in these {its['bits']} bits.") + {
        GAP: f" After {wrap} or more, or where a writer cannot tell, a record carries more than the field"
             " or follows one of the whole time.",
        CARRY: " Where the bits above the field change, a record carries the whole time.",
    }.get(its["extension"], f" Of {wrap} (a wrap) or more without a record it learns nothing" +
          (", so a beat has to record in time." if its["needs"] & 1 else ".")) + (
        f" Here the field keeps {its['bits']} bits." if its["bits"] < 7 else "")


def sums(its):
    """By record how its time comes out of the one before, where that gives what was decoded."""
    before, said = None, []
    for record in its["records"]:
        value = field(its, record)
        said.append("a longer header" if record["extended"] else "" if value is None else f"field {value:,}" if value < 10**9 else f"{value:,}")
        if value is not None and before is not None:
            if FORMATS[its["format"]] == "ftrace":
                said[-1] = f"{before - its['base']:,} + {value:,}" if before + value == record["decoded"] else said[-1]
            elif value < 100000:
                plain = before + (value - before) % (1 << its["bits"]) == record["decoded"]
                said[-1] = f"{said[-1]}, after {before - its['base']:,}" if plain else f"stamp, then {value:,}"
        before = record["decoded"]
    return said


def draw_record(picture, its):
    picture.head("A record")
    parts, x = fields(its), EDGE
    for name, bits in parts:
        wide = (WIDE - 2 * EDGE) * bits / sum(bits for _, bits in parts)
        picture.rect(x, picture.y, wide, 26, "bar" if "time" in name or "ticks" in name else "box")
        picture.text(x + wide / 2, picture.y + 17, name, "small", "middle")
        picture.text(x + wide / 2, picture.y + 38, f"{bits} bits" if wide > 40 else "", "small quiet", "middle")
        x += wide
    picture.y += 56 if parts else 4
    picture.lines(knows(its))
    picture.lines(of_header(its["row"], "Shared words"), "small quiet")


# ---- time ----

def act(step):
    """What a writer is about to do at a stop."""
    code, label, file = step.get("instruction", ""), step.get("label") or "", step.get("file", "")
    label = "" if "%" in label else label
    name = re.sub(r"^(or|\w{3,})[lqwb]$", r"\1", code.split()[0]) if code else ""  # but keep that of sub and shl
    if "virtual_clock" in code:
        return "read the clock"
    if name in ("ret", "cmpxchg", "xadd"):
        return "return" if name == "ret" else f"claim ({name})"
    if file == "row.c" or not label and file.startswith(("format_", "bytes.h")):
        return "write the payload" if file == "row.c" else "write the header"
    if name == "add" and code.endswith(")"):
        return "commit"
    name = ("store" if code.endswith(")") else "load") if name.startswith("mov") else name
    return label if label.startswith(name) else f"{name} {label}".strip()


def shown(its):
    """The steps that have a place in time: of those where nobody came, one for each line of writers
    that are interrupted, or of the first one."""
    steps, inside, last = [], {}, {}
    paused = {(one["event"], one["reader"]) for one in its["steps"] if one["kind"] == "stop"} or {(0, False)}
    entered = {one["event"] for one in its["steps"] if one["kind"] == "enter"}
    before = [{"kind": kind, "event": event, "clock": log[at], "cpu": 0, "depth": 1, "reader": False}
              for event, log in enumerate(its["events"]) if event not in entered
              for kind, at in (("enter", "entry"), ("leave", "exit"))]
    for one in before + its["steps"]:
        one["act"], lane, who = act(one), (one["cpu"], one["depth"]), (one["event"], one["reader"])
        inside[lane] = {"enter": True, "leave": False}.get(one["kind"], inside.get(lane))
        if one["kind"] in ("stop", "pass"):
            where = (one["act"], "" if one["act"].startswith("write the") else (one.get("file"), one.get("line")))
            if not inside[lane] and not one["reader"] or one["kind"] == "pass" and (
                    where == last.get(who) or one["act"] in ("", "return") or who not in paused):
                continue
            last[who] = where
        steps.append(one)
    for at, one in enumerate(steps):
        later = [other for other in steps[at + 1:] if other["kind"] not in BETWEEN]
        came = later and later[0]["kind"] == "enter" and later[0]["cpu"] == one["cpu"]
        off = steps[at + 1:at + 2] and steps[at + 1]["kind"] == "deferred"
        one["came"] = "is interrupted" if came else "puts an interrupt off" if off else "is held up"
    return steps if len(steps) <= PLACED else [one for one in steps if one["kind"] != "pass"]


def draw_bars(picture, its, steps, place, level):
    """Each event from its entry to its exit, dashed while another one runs, and its stamp."""
    for event, log in enumerate(its["events"]):
        own = [at for at, one in enumerate(steps)
               if one["event"] == event and not one["reader"] and one["kind"] not in BETWEEN]
        if not own:
            continue
        y = level(steps[own[0]]) - BAR / 2
        picture.path(place[own[0]], y + BAR / 2, f"H{place[own[-1]]:.1f}", "off")
        there = [(at, at in own or steps[at]["kind"] in BETWEEN) for at in range(own[0], own[-1] + 1)]
        for runs, group in itertools.groupby(there, lambda pair: pair[1]):
            run = [place[at] for at, _ in group]
            if runs:
                picture.rect(run[0] - 3, y, run[-1] - run[0] + 6, BAR, "bar")
        picture.text(place[own[0]], y + 12, f"E{event}", "small bold")
        word = "the beat" if log["beat"] else ("", "", "lost", "taken back")[log["left"]]
        picture.text(place[own[0]], y + BAR + 12, word, "small")
        later = [at for at in own if steps[at]["clock"] > log["stamp"]]
        if log["left"] == 1:
            x = place[later[0] if later else own[-1]] - 7
            picture.path(x, y - 1, "l-4 -5l4 -5l4 5z", "blue")
            picture.text(x + 6, y - 3, f"{log['stamp'] - its['base']:,}", "small blue bold")


def draw_stops(picture, steps, place, level, near):
    """Numbers at what writers do, those of interrupts in a disc. Which are listed."""
    listed, number = [], 0
    for at, one in enumerate(steps):
        if one["kind"] not in ("stop", "pass"):
            continue
        y, number = level(one) + BAR / 2, number + 1
        if one["kind"] == "stop" or len(listed) < LISTED:
            listed.append((number, one))
        if one["kind"] == "stop":
            if one["came"] == "is interrupted":
                came = next(other for other in range(at + 1, len(steps)) if steps[other]["kind"] == "enter")
                picture.path(place[at], y - BAR, f"L{place[came]:.1f} {level(steps[came]) + BAR / 2 + 2:.1f}", "ink")
            picture.parts.append(f'<circle cx="{place[at]:.1f}" cy="{y + 10:.1f}" r="8"/>')
            picture.text(place[at], y + 14, str(number), "small paper bold", "middle")
        else:
            picture.path(place[at], y - 3, "v6", "ink")
            picture.text(place[at], y + 14, "" if near else str(number), "small quiet", "middle")
    return listed


def draw_time(picture, its):
    steps = shown(its)
    lanes = sorted({(-one["cpu"], one["depth"]) for one in steps if one["kind"] not in BETWEEN}, reverse=True)
    picture.head("In time, to the right")
    top, gap = picture.y + 6, (WIDE - EDGE - LANES) / (len(steps) + 1)
    if any(one["kind"] in BETWEEN for one in steps):
        top += 16
    place = [LANES + gap * (at + 1) for at in range(len(steps))]

    def level(one):
        return top + TALL * (lanes.index((-one["cpu"], one["depth"])) + .5)

    for at, (cpu, depth) in enumerate(lanes):
        y = top + TALL * (at + .5)
        picture.path(LANES, y, f"H{WIDE - EDGE}", "line")
        reads = any(one["reader"] for one in steps if (-one["cpu"], one["depth"]) == (cpu, depth))
        picture.text(EDGE, y + 4, "reader" if reads else
                     ("between", "thread", "interrupt", f"interrupt {depth - 1}")[min(depth, 3)], "small")
        picture.text(EDGE, y + 17, f"CPU {-cpu}" if lanes[0][0] != lanes[-1][0] else "", "small quiet")
    for at, one in enumerate(steps):
        if one["kind"] in BETWEEN:
            for x in (place[at] - 3, place[at] + 3):
                picture.path(x, top, f"l6 8l-6 8V{top + TALL * len(lanes):.1f}", "ink")
            crowded = at and steps[at - 1]["kind"] in BETWEEN or at > 1 and steps[at - 2]["kind"] in BETWEEN
            picture.text(place[at], top - (17 if crowded and at % 2 else 6), BETWEEN[one["kind"]].format(one["ticks"]), "small", "middle")
    draw_bars(picture, its, steps, place, level)
    listed = draw_stops(picture, steps, place, level, gap < 15)
    picture.y = top + TALL * len(lanes) + 14
    picture.path(EDGE + 5, picture.y - 9, "l-4 5l4 5l4 -5z", "blue")
    picture.lines("the stamp that an event takes, in ticks of a clock that counts its reads" + (
        f", above {its['base']:,}" if its["base"] else ""), "small quiet", EDGE + 16)
    return listed


# ---- the buffer, and what the numbers are ----

def differs(record):
    return record["decoded"] != record["stamp"]  # which None is, of no event


def tell(its, record):
    """What a record decodes as, in words."""
    name = "A record of no event" if record["event"] is None else f"E{record['event']}"
    off = record["decoded"] - (record["stamp"] or 0)
    return f"{name} decodes as {record['decoded'] - its['base']:,}" + (
        "." if record["event"] is None else ", its true time." if not off else
        f", its true time is {record['stamp'] - its['base']:,}: {abs(off):,} {'late' if off > 0 else 'early'}" +
        (", declared inexact." if record["inexact"] else "."))


def draw_buffer(picture, its):
    picture.head("In the buffer, and as a reader decodes it")
    records, said, wrong = its["records"], sums(its), [one for one in its["records"] if differs(one)]
    wide, tall = (WIDE - 2 * EDGE + 6) / 4 - 6, 72 if wrong else 56
    for at, record in enumerate(records):
        x, y = EDGE + (wide + 6) * (at % 4), picture.y + (tall + 8) * (at // 4)
        look, sign = ("blue bold", "\u2713") if not differs(record) else \
            ("part bold", "\u2248") if record["inexact"] else ("bad", "\u2717")
        picture.rect(x, y, wide, tall, "box")
        if differs(record):
            picture.rect(x + 1, y + 1, wide - 2, tall - 2, "partbox" if record["inexact"] else "badbox")
            picture.text(x + 7, y + 64, "of no event" if record["event"] is None else
                         f"true: {record['stamp'] - its['base']:,}", "small")
        picture.text(x + 7, y + 16, "?" if record["event"] is None else f"E{record['event']}", "bold")
        picture.text(x + wide - 7, y + 16, f"{len(record['header']) // 2} bytes" if record["header"] else "", "small quiet", "end")
        picture.text(x + 7, y + 31, said[at], "small quiet")
        reads = record["decoded"] - its["base"]
        reads = f"{reads:,}" if abs(reads) < 10**12 else f"{reads:.5g}"
        picture.text(x + 7, y + 48, f"{sign} {'reads ' if len(reads) < 8 else ''}{reads}",
                     look + (" small" if len(reads) > 10 else ""))
    picture.y += (tall + 8) * -(-len(records) // 4) + 10
    there = {record["event"] for record in records}
    taken = its["fault"] or any(one["kind"] in ("read", "switch") for one in its["steps"])
    for event, log in enumerate(its["events"]):
        if its["verdict"] == "broken" and log["left"] == 1 and event not in there and not taken:
            picture.lines(f"E{event} was recorded, and is not there.", "bad")
    for record in wrong[:3]:
        picture.lines(tell(its, record), "small" if record["inexact"] else "bad")
    picture.lines(f"So do {len(wrong) - 3} more." if len(wrong) > 3 else "")
    if wrong:
        picture.lines(of_header(its["row"], "(?:Known failure|F1)"))


def draw_list(picture, listed):
    picture.head("What the numbers are")
    for number, one in listed:
        look = "bad small" if one["kind"] == "stop" else "small"
        source = "" if one["file"] in INLINE or one["act"].startswith("write the") or "__asm__" in one["source"] else \
            one["source"]
        picture.text(EDGE, picture.y + 4, str(number), look)
        picture.text(EDGE + 20, picture.y + 4, f"{'the reader' if one['reader'] else 'E%d' % one['event']} " + (
            f"{one['came']} before: " if one["kind"] == "stop" else "does: ") + one["act"], look)
        picture.text(WIDE - EDGE, picture.y + 4, f"{one['file']}:{one['line']}" if source else "", "mono quiet", "end")
        picture.y += 14
        if source and (one["kind"] == "stop" or not one.get("label")):
            picture.text(EDGE + 20, picture.y + 4, textwrap.shorten(source, 68), "mono")
            picture.y += 14


def describe(its):
    """The picture in words."""
    return " ".join([knows(its)] + [
        f"{BETWEEN['jump'].format(one['ticks'])}." if one["kind"] == "jump" else
        f"E{one['event']} {one['came']} before: {one['act']}."
        for one in shown(its) if one["kind"] in ("jump", "stop")] + [tell(its, record) for record in its["records"]])


def svg(its):
    picture, verdict = Drawing(), its["verdict"]
    least = min((log["entry"] for log in its["events"]), default=0)
    its["base"] = least - least % 10000 if least >= 100000 else 0  # long numbers say no more
    picture.text(EDGE, picture.y, its["row"], "big")
    sign = {"kept": "\u2713 ", "broken": "\u2717 "}.get(verdict, "! ")
    inexact = sum(record["inexact"] for record in its["records"])
    said = f"{sign}{verdict}" + (f", {inexact} declared inexact" if inexact and verdict == "kept" else "")
    picture.text(WIDE - EDGE, picture.y, said, "blue bold" if verdict == "kept" else "bad", "end")
    picture.y += 18
    picture.lines(f"{its['title']}. {its['source']}", "small quiet")
    promised = [name for bit, name in enumerate(PROMISES) if its["promises"] >> bit & 1]
    picture.lines(f"Promises {', '.join(promised) or 'nothing'}.")
    faults = {0: its.get("objection", ""), signal.SIGALRM: "the writer does not end"}
    objection = "" if verdict == "kept" else faults.get(its["fault"], "the writer crashes")
    title = ": ".join(filter(None, (its["row"], verdict, objection)))
    picture.y += 3 * bool(objection)
    picture.lines(objection, "bad")
    draw_record(picture, its)
    listed = [one for one in draw_time(picture, its) if "file" in one[1]]
    if not its["fault"]:
        draw_buffer(picture, its)
    if listed:
        draw_list(picture, listed)
    picture.y += 16
    picture.lines((its.get("command") or "").strip(), "mono quiet")
    return page(picture, title, describe(its))


def page(picture, title, described):
    """The picture as a file of its own, with its text alternatives."""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {picture.y:.0f}" width="{WIDE}" '
            f'height="{picture.y:.0f}" role="img"><title>{html.escape(title)}'
            f"</title><desc>{html.escape(described)}</desc><style>{STYLE}</style>"
            '<rect width="100%" height="100%" class="paper"/>' + "".join(picture.parts) + "</svg>\n")


def draw(words):
    """The row, and the picture of the schedule in the file that is named."""
    with open(words[0], encoding="utf-8") as file:
        its = json.load(file)
    return its["row"], svg(its)


def command(drawer, source, words):
    """Draws what the words name, of which the last is FILE.svg or FILE.html."""
    if len(words) < 2 or not words[-1].endswith((".svg", ".html")):
        raise Failed(HARNESS, f"a picture is FILE.svg or FILE.html, not '{' '.join(words[1:])}'")
    try:
        title, drawn = drawer(words[:-1])
    except OSError as error:
        raise Failed(HARNESS, f"cannot read {error.filename}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise Failed(HARNESS, f"{words[0]}: not what {source} ({error!r})") from None
    put(words[-1], drawn if words[-1].endswith(".svg") else
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><meta '
        'name="viewport" content="width=device-width"><style>svg{display:block;width:100%;max-width:40rem;height:auto;'
        f'margin:auto}}</style><title>{html.escape(title)}</title>{drawn}</html>\n')
    return FINE
