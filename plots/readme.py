#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: readme.py RUN README [LOG]

Writes the figures of a run into the README's blocks: matrix and layouts from RUN/bench.json (of a
full run), guide from RUN/report.md, table from LOG, what the run printed, without variants; and
reference from results/reference/ beside README, whatever RUN is. A block whose section the run does
not have stays as it is, with a line on stderr. RUN may be -: only reference is written then."""
import glob
import json
import os
import re
import sys

RATES = [1, 100, 10000]
GAPS = ["syscalls_busy", "sched_only_calm"]
ROWS = """full_tsc zero_delta heartbeat heartbeat_compact delta_sync_soft three_read extended_header
    extended_header_msb32 nested_stamps packed_word restartable joint_delta layout_5_27_cut5_beat
    layout_5_27_cut5_ext layout_13_19_cut9_beat layout_13_19_cut9_ext layout_64_ext""".split()


def said(run):
    """Which run this is, in words."""
    context = run["context"]
    day = context["date"][:10]
    command = " ".join(run["command"]) if isinstance(run["command"], list) else run["command"]
    cpus, model = context["num_cpus"], context["stampede"]["cpu"]["model"]
    return f"`{command}` of {day}, {cpus} CPUs, {model}"


def figure(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}"


def matrix(run):
    replay = {(one["row"], one["gaps"]): one["bytes"] for one in run["replay"]}
    rate = {(one["row"], one["events_per_second"]):
            one["header_bytes_per_second"] / one["events_per_second"]
            for one in run["bytes_by_rate"]}
    if not replay or not rate:
        return None
    lines = ["Bytes per event with 8 bytes of payload, beats included, at gaps as recorded, and header",
             "bytes per event at even rates:", "",
             "| row | " + " | ".join(f"`{gaps}`" for gaps in GAPS) + " | " +
             " | ".join(f"{one:,} per second" for one in RATES) + " |",
             "|---|" + "--:|" * (len(GAPS) + len(RATES))]
    for row in ROWS:
        cells = [replay.get((row, gaps)) for gaps in GAPS] + [rate.get((row, one)) for one in RATES]
        if None not in cells:
            lines.append(f"| `{row}` | " + " | ".join(map(figure, cells)) + " |")
    checked = [one for one in run["stress"] if one.get("verdict")]
    broken = sum(one["verdict"] == "broken" for one in checked + run["replay"])
    handoff = [one["handoff"] for one in run["stress"] if one.get("handoff")]
    workloads = {one["workload"].split(":")[0] for one in checked + run["benchmarks"]}
    workloads |= {name for name in ("late_beat", "idle", "replay", "seek") if run.get(name)}
    text = (f"The run is {said(run)}. {len({one['row'] for one in checked})} rows, "
            f"{len(workloads)} workloads, all oracles: "
            f"{'no promise was' if not broken else str(broken) + ' cells'} broken.")
    if handoff:
        early = sum(one["early"] for one in handoff)
        inexact = sum(one["early_inexact"] for one in handoff)
        text += (f" Of {sum(one['pairs'] for one in handoff):,} pairs of `handoff` {early} effects "
                 f"came before their cause, and {inexact} by stamps declared inexact.")
    return lines + [""] + wrapped(text)


def layouts(run):
    ties = {one["gaps"]: one["ties_per_million"] for one in run["precision"]}
    channels = run["channels"]
    if not ties or not channels:
        return None
    back = ties["back to back"]
    first = next(bits for bits, count in enumerate(back) if count >= 1000)
    busy = ties["allevents_busy"]
    then = next(bits for bits in range(1, len(busy)) if busy[bits] >= 10 * max(1, busy[bits - 1]))
    nine = [one for one in channels if abs(one["share"] - 0.9) < 0.01]
    best = max(nine, key=lambda one: one["saved_share"])
    worst = min(nine, key=lambda one: one["saved_share"])
    order = max(channels, key=lambda one: one["inversions"] / one["events"])
    text = (f"In the run above, events back to back tie from the {first}th bit cut on "
            f"({back[first]:,.0f} per million; {back[9]:,.0f} at nine), those of a busy kernel "
            f"(`allevents_busy`) from the {then}th ({busy[then - 1]:,.0f} per million before, "
            f"{busy[then]:,.0f} then). With nine in ten events compact, a channel of their own saves at "
            f"best {100 * best['saved_share']:.0f} % of the header bytes (`{best['compact']}` beside "
            f"`{best['normal']}`, `{best['gaps']}`); at worst it costs "
            f"{-100 * worst['saved_share']:.0f} % more (`{worst['compact']}`, `{worst['gaps']}`). Cut in "
            f"one channel and not in the other, at most "
            f"{1e6 * order['inversions'] / order['events']:,.0f} events per million come out of order "
            f"(`{order['compact']}`, {100 * order['share']:.0f} % of the events compact).")
    return wrapped(text)


def guide(directory):
    text = open(os.path.join(directory, "report.md")).read()
    found = re.search(r"<!-- guide: begin -->\n(.*?)<!-- guide: end -->", text, re.S)
    if not found:
        return None
    lines = []
    for line in found.group(1).rstrip().split("\n"):
        # A table's head needs an empty line before it.
        if line.startswith("|") and lines and lines[-1] and not lines[-1].startswith("|"):
            lines.append("")
        lines += [line] if line.startswith("|") or not line else wrapped(line)
    return lines


def table(run, log):
    text = open(log).read().replace("\r", "\n")
    found = re.search(r"^steady +verdict.*?(?=\n\n)", text, re.M | re.S)
    variants = {one["row"] for one in run["tails"] if one["variant"]}
    if not found:
        return None
    lines = [line for line in found.group(0).split("\n") if line.split()[0] not in variants]
    return ["```", *lines, "```", *beside(run, variants)]


def beside(run, variants):
    """What the table cannot hold: one row twice, what beats cost, what the decile leaves out."""
    texts = []
    again = run.get("again")
    if again:
        texts.append(f"`{again['row']}` measured twice is {again['ratio']:.3f} times itself (95 %: "
                     f"{again['ratio_95_low']:.3f} to {again['ratio_95_high']:.3f}).")
    beats = [one for one in run.get("beats", []) if one["beat_ns"] and one["row"] not in variants]
    if beats:
        texts.append("A beat: " + "; ".join(
            f"`{one['row']}` {one['beat_ns']:,.0f} ns, {one['beats_per_second']:.1f} per second, "
            f"{one['ns_per_second'] / 1e3:,.1f} us in each" for one in beats) + ".")
    left = [one for one in run["table"] if one["workload"] == "steady" and one.get("left_out_ns")]
    if left:
        middle = sorted(one["left_out_ns"] for one in left)[len(left) // 2]
        texts.append(f"The lower decile leaves out {middle:.2f} ns per event in the middle row.")
    below = [one["row"] for one in run["table"] if one.get("below_floor")]
    if below:
        texts.append("Below their floor: " + ", ".join(f"`{row}`" for row in below) + ".")
    return ["", *wrapped(" ".join(texts))] if texts else []


def named(reference):
    machine = reference["machine"]
    numbers = [machine.get("family"), machine.get("model_number")]
    return " ".join([machine["model"].replace("(R)", "").replace("(TM)", ""),
                     *(["-".join(map(str, numbers))] if None not in numbers else [])])


def beside_each_other(references, floor):
    """The steady table of the machines that have ratios to this floor; the rows that all have."""
    ratios = [{row["row"]: row["ratio"][floor] for row in one["rows"]
               if floor in row["ratio"] and not row.get("variant")}
              for one in references]
    having = [(one, its) for one, its in zip(references, ratios) if its]
    if not having:
        return []
    rows = [row for row in having[0][1] if all(row in its for _, its in having)]
    lines = ["", f"Ratio to `{floor}`:", "",
             "| row | " + " | ".join(
                 f"{named(one)}, {one['of']['revision'][:12]}" for one, _ in having) + " |",
             "|---|" + "--:|" * len(having)]
    for row in rows:
        cells = [its[row] for _, its in having]
        lines.append(f"| `{row}` | " + " | ".join(map(with_interval, cells)) + " |")
    return lines


def with_interval(ratio):
    middle, low, high = ratio
    if low is None or high is None:
        return f"{middle:.3f} ±?"
    return f"{middle:.3f} ±{100 * max(high - middle, middle - low) / middle:.1f} %"


def references(root):
    files = sorted(glob.glob(os.path.join(root, "results", "reference", "*", "reference.json")))
    found = [json.load(open(one)) for one in files]
    if not found:
        return None
    texts = []
    for one in found:
        of = one["of"]
        how = "the table printed by" if of["what"] == "printed table" else "the record of"
        texts.append(f"{named(one)}: {how} `{of.get('command', 'a run')}` of {of['date']}, commit "
                     f"{of['revision'][:12]}{' with changes' if of.get('dirty') else ''}, "
                     f"{one['machine'].get('online', '?')} CPUs.")
    lines = wrapped("Medians over rounds, with the farther half of their 95 % interval, by each "
                    "machine's own clock, of the rows that all the machines of a table have. "
                    "Columns of one commit are of one code, others are not. " + " ".join(texts))
    for floor in ("floor_published", "floor"):
        lines += beside_each_other(found, floor)
    return lines


def wrapped(text):
    lines, indent = [""], "  " if text.startswith("- ") else ""
    for word in text.split():
        if lines[-1].strip() and len(lines[-1]) + len(word) + 1 > 100:
            lines.append(indent[:-1])
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def put(text, name, lines):
    if not lines:
        print(f"stampede: readme.py: nothing in the run for {name}: left as it is", file=sys.stderr)
        return text
    pattern = re.compile(rf"<!-- {name} -->\n.*?<!-- /{name} -->", re.S)
    if not pattern.search(text):
        sys.exit(f"stampede: readme.py: no block {name}")
    block = "\n".join([f"<!-- {name} -->", *lines, f"<!-- /{name} -->"])
    return pattern.sub(lambda _: block, text)


def write(path, text):
    with open(path + ".new", "w") as out:
        out.write(text)
    os.replace(path + ".new", path)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    directory, path = sys.argv[1:3]
    write(path, put(open(path).read(), "reference", references(os.path.dirname(path) or ".")))
    if directory == "-":
        return
    run = json.load(open(os.path.join(directory, "bench.json")))
    text = open(path).read()
    note = ["", *wrapped(f"{said(run)}: machine, spread and scripts are in the run's directory.")]
    shown = table(run, sys.argv[3]) if len(sys.argv) == 4 else None
    chosen = guide(directory)
    text = put(text, "table", shown and shown + note)
    text = put(text, "guide", chosen and chosen + note)
    text = put(text, "matrix", matrix(run))
    text = put(text, "layouts", layouts(run))
    write(path, text)


if __name__ == "__main__":
    main()
