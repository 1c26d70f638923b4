#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: shards.py DIR... [--into FILE]

What a search in shares costs. DIR: a plan of explore --plan, with the records of its shards as far as
there are any. Says how long shards took and by how much their estimates were wrong, how long all
of them take on 1 to 1,024 CPUs (each takes the longest shard that is left: a simulation over
measured times, or where there are none over estimates), and the core-hours of each budget. Of each
DIR shards.svg, .png, .dat and .gp are written into it. --into: writes the tables into FILE between
<!-- shards --> and <!-- /shards -->."""
import heapq
import json
import os
import random
import sys
from statistics import median
from types import SimpleNamespace

from draw import gnuplot, source
from files import HARNESS, RESOURCE, Failed, put, run
from readme import put_block, table_of
from text import wrapped

CPUS = [4 ** power for power in range(6)]
HOUR = 3600
LEAST_SHOWN = 0.02  # of all, of a budget with a line of its own


def lines_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except OSError as error:
        raise Failed(RESOURCE, f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise Failed(HARNESS, f"{path} is damaged: {error}") from None


def load(folder):
    """Shards with the CPU seconds that were planned and, of those that are done, that they took."""
    head, *planned = lines_of(os.path.join(folder, "plan.jsonl"))
    shards = []
    for line in planned:
        path = os.path.join(folder, f"shard-{line['shard']}.json")
        took, pieces = None, line["pieces"]
        if os.path.exists(path):
            try:
                with open(path, encoding="utf-8") as file:
                    record = json.load(file)
                took = record["seconds"]
                pieces = [dict(piece, took=found["seconds"])
                          for piece, found in zip(pieces, record["pieces"], strict=True)]
            except (ValueError, KeyError) as error:
                raise Failed(HARNESS, f"{path} is damaged: {error}") from None
        shards.append(SimpleNamespace(planned=line["seconds"], took=took, pieces=pieces))
    return SimpleNamespace(folder=folder, head=head, shards=shards,
                           done=[one for one in shards if one.took is not None])


def durations(plan):
    """Seconds of every shard, the longest estimate first; without a record, its estimate."""
    ordered = sorted(plan.shards, key=lambda one: -one.planned)
    return [one.took if one.took is not None else one.planned for one in ordered]


def as_wrong(plan):
    """The same, if estimates of what is not done are as wrong as of what is: any of those, by a
    seed; None: all are done, or none."""
    if not plan.done or len(plan.done) == len(plan.shards):
        return None
    wrong, rng = [one.took / one.planned for one in plan.done], random.Random(1)
    ordered = sorted(plan.shards, key=lambda one: -one.planned)
    return [one.took if one.took is not None else one.planned * rng.choice(wrong)
            for one in ordered]


def makespan(seconds, cpus):
    """Each CPU that is free takes the next one."""
    free = [0.0] * min(cpus, len(seconds))
    for one in seconds:
        heapq.heappushpop(free, free[0] + one)
    return max(free)


def spans(seconds):
    everything = sum(seconds)
    return [SimpleNamespace(cpus=cpus, seconds=makespan(seconds, cpus),
                            efficiency=everything / cpus / makespan(seconds, cpus))
            for cpus in CPUS]


def clock(seconds):
    """As people say how long something takes."""
    for unit, least in (("h", HOUR), ("min", 60)):
        if seconds >= 2 * least:
            return f"{seconds / least:.1f} {unit}"
    return f"{seconds:.1f} s"


def budgets(plan):
    """Seconds by budget, of all rows: planned, and took where all of them are done."""
    of = {}
    for shard in plan.shards:
        for piece in shard.pieces:
            one = of.setdefault(piece["budget"], SimpleNamespace(planned=0, took=0, rows=set(),
                                                                 pieces=0, done=0))
            one.planned += piece["seconds"]
            one.rows.add(piece["row"])
            one.pieces += 1
            if "took" in piece:
                one.took += piece["took"]
                one.done += 1
    return of


def words(plan):
    seconds = durations(plan)
    whole = len(plan.done) == len(plan.shards)
    said = [f"`explore {' '.join(plan.head['arguments'])} --plan` in {len(plan.shards)} shards, "
            f"{len(plan.done)} of them done: {clock(sum(seconds))} of core time"
            f"{'' if whole else ', where not measured by their estimates'}; the longest shard "
            f"{max(seconds):.1f} s, the median {median(seconds):.1f} s, "
            f"{max(seconds) / median(seconds):.2f} times as long."]
    if plan.done:
        wrong = sorted(one.took / one.planned for one in plan.done)
        tenth = len(wrong) // 10
        said.append(f"A shard took {median(wrong):.2f} times its estimate (median; "
                    f"{wrong[tenth]:.2f} to {wrong[-1 - tenth]:.2f} of eight in ten).")
    return said


def ends(seconds):
    """When all is done, and how many CPUs worked so long: columns of a table."""
    of = spans(seconds)
    return [[clock(one.seconds) for one in of], [f"{one.efficiency:.0%}" for one in of]]


def shown(of):
    """The larger ones, longest first, and the others in one line."""
    ordered = sorted(of.items(), key=lambda item: -item[1].planned)
    least = sum(one.planned for one in of.values()) * LEAST_SHOWN
    large = [(f"`{budget}`", one) for budget, one in ordered if one.planned >= least]
    small = [one for _, one in ordered if one.planned < least]
    if small:
        large.append((f"{len(small)} others", SimpleNamespace(
            rows=set().union(*(one.rows for one in small)),
            **{field: sum(getattr(one, field) for one in small)
               for field in ("planned", "took", "pieces", "done")})))
    return large


def tables(plan):
    seconds = durations(plan)
    said = [line for part in words(plan) for line in wrapped(part)] + [""]
    columns = [[[f"{one.cpus:,}" for one in spans(seconds)], *ends(seconds)]]
    titles = ["CPUs", "all done after", "CPUs at work"]
    if as_wrong(plan):
        columns.append(ends(as_wrong(plan)))
        titles += ["if as wrong", "CPUs at work"]
    said += table_of(titles, [list(row) for row in zip(*sum(columns, []))])
    said += [""]
    said += table_of(["budget", "rows", "core time, estimated", "took"],
                     [[budget, f"{len(one.rows)}", clock(one.planned),
                       clock(one.took) if one.done == one.pieces else "not done"]
                      for budget, one in shown(budgets(plan))])
    return said


def draw(plan):
    seconds = durations(plan)
    done = "measured" if len(plan.done) == len(plan.shards) else \
        f"{len(plan.done)} of {len(plan.shards)} measured"
    variables = [f"caption_machine = 'explore {' '.join(plan.head['arguments'])}, "
                 f"{len(plan.shards)} shards, {done}'", "caption_run = ''",
                 f"shards_sum = {sum(seconds):.6g}", f"shards_longest = {max(seconds):.6g}"]
    put(os.path.join(plan.folder, "run.gp"), "\n".join(variables) + "\n")
    put(os.path.join(plan.folder, "shards.dat"), "".join(
        f"{cpus} {makespan(seconds, cpus):.6g}\n" for cpus in
        sorted({round(2 ** (step / 4)) for step in range(41)})))
    for name in ("style.gp", "shards.gp"):
        put(os.path.join(plan.folder, name), source(name))
    for form in ("svg", "png"):
        put(os.path.join(plan.folder, f"shards.{form}"), gnuplot(plan.folder, "shards.gp", form))


def main():
    arguments, into = sys.argv[1:], None
    if "--into" in arguments:
        at = arguments.index("--into")
        into = arguments[at + 1] if at + 1 < len(arguments) else sys.exit(__doc__)
        del arguments[at:at + 2]
    if not arguments or any(one.startswith("-") for one in arguments):
        sys.exit(__doc__)
    said = []
    for folder in arguments:
        plan = load(folder)
        said += [""] * bool(said) + tables(plan)
        draw(plan)
    print("\n".join(said))
    if into:
        put_block([into], "shards", said)


if __name__ == "__main__":
    run(main)
