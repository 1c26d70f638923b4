# SPDX-License-Identifier: MIT
"""What rows in a kernel must come to, and what is said of all of them."""
import statistics

# What a row that does not promise it is to be caught at: that it is seen shows that one would see.
BREAK = {"zero_delta": "window", "unordered_full": "monotonic"}
HELD = ("kept", "declared inexact")  # as plots/record.py
CONTEXTS = ("softirq", "hardirq", "nmi")
# What a row that keeps its promises is to be judged by, over its runs on one kernel.
NESTED_LEAST = 1000000


def by_context(counts):
    return "/".join(str(counts[context]) for context in CONTEXTS)


def line(row):
    if row["verdict"] == "left out":
        return f"          {row['row']:28s} left out: {row['text']}"
    came = by_context(row["delivered"])
    hits = by_context(row["hits"])
    return (f"          {row['row']:28s} {row['verdict']:12s} {row['bits']:2d} bits, "
            f"{row['interrupting']} nested, came {came}, hits {hits}, depth 4 {row['depth']['four']} times, "
            f"task {row['task_share']:.0%}"
            + (f", waited {row['waits']} times" if row.get("waits") else "")
            + ("" if row["with_nmi"] else ", no NMIs")
            + (f": {row['text']}" if row["verdict"] == "broken" else ""))


def of_row(row):
    """What is wrong with one row's result; empty if nothing is."""
    name = f"{row['row']} at {row['bits']} bits"
    if row["masked"] and row["with_nmi"]:
        if row["verdict"] != "broken":
            return [f"{name}: NMIs came through its mask, and nothing was seen of it"]
        return []
    if row["verdict"] == "broken":
        return [f"{name}: {row.get('text', 'broken')}"]
    wrong = []
    oracle = BREAK.get(row["row"])
    if oracle and not row["violations"][oracle]:
        wrong.append(f"{name}: nothing was seen of what it does not promise ({oracle})")
    for context in CONTEXTS:
        if not row["delivered"][context] and (context != "nmi" or row["with_nmi"]):
            wrong.append(f"{name}: no {context} came")
    return wrong


def of_rows(rows, some):
    judged = [row for row in rows if row["verdict"] != "left out"]
    wrong = [one for row in judged for one in of_row(row)]
    if not judged:
        wrong.append("no row was judged")
    if not any(row["depth"]["four"] for row in judged):
        wrong.append("no NMI came into a hardirq in a softirq in the task")
    if not some and not any(row["verdict"] in HELD for row in judged):
        wrong.append("no row kept its promises")
    return wrong


def summary(rows):
    judged = [row for row in rows if row["verdict"] != "left out"]
    kept = sum(row["verdict"] in HELD for row in judged)
    unmet = sum(row["verdict"] == "need not met" for row in judged)
    through = sum(row["verdict"] == "broken" and row["masked"] and row["with_nmi"]
                  for row in judged)
    hits = {context: sum(row["hits"][context] for row in judged) for context in CONTEXTS}
    return (f"{len({row['row'] for row in judged})} rows, {len(judged)} runs: {kept} kept, "
            f"{unmet} need not met, {through} masked and broken by NMIs; "
            f"{sum(row['interrupting'] for row in judged)} nested events, hits in reserve "
            f"{by_context(hits)}, depth 4 "
            f"{sum(row['depth']['four'] for row in judged)} times in "
            f"{len({row['row'] for row in judged if row['depth']['four']})} rows")


def reached(rows):
    """How far rows were tried on one kernel: the nested events of each that kept its promises, and
    the rows where no NMI came into a hardirq in a softirq in the task."""
    judged = [row for row in rows if row.get("verdict", "left out") != "left out"]
    names = dict.fromkeys(row["row"] for row in judged)
    counted = {name: [row for row in judged if row["row"] == name and
                      not (row["masked"] and row["with_nmi"])] for name in names}
    nested = {name: sum(row["interrupting"] for row in runs) for name, runs in counted.items()
              if runs and all(row["verdict"] in HELD for row in runs)}
    shallow = [name for name in names
               if not any(row["depth"]["four"] for row in judged if row["row"] == name)]
    return nested, shallow, len(names)


def reach_line(kernel, rows):
    nested, shallow, count = reached(rows)
    least = min(nested, key=nested.get, default="")
    short = sum(events < NESTED_LEAST for events in nested.values())
    return (f"reached   {kernel}: {len(nested)} rows kept their promises with at least "
            f"{nested.get(least, 0)} nested events ({least}), half of them with "
            f"{statistics.median(nested.values()) if nested else 0:.0f}, "
            f"{short} with less than {NESTED_LEAST}; depth 4 in {count - len(shallow)} of {count} rows"
            + (f", not in {' '.join(shallow)}" if shallow else ""))


def price_lines(prices):
    """Instructions of an event in batches, cheapest first, some in a line."""
    words = [f"{one['price']} {one['batch']:.0f}"
             for one in sorted(prices, key=lambda one: one["batch"])]
    yield "instructions of an event, in batches of 1000:"
    for at in range(0, len(words), 5):
        yield "  " + ", ".join(words[at:at + 5])


def of_prices(prices):
    """An empty loop is two instructions: else it is not instructions that were counted."""
    found = {one["price"]: one["batch"] for one in prices}
    if round(found.get("empty loop", 0)) != 2:
        return [f"an empty loop takes {found.get('empty loop')}, and not two instructions"]
    return [] if len(found) > 6 else ["no row has a price"]
