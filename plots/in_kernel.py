# SPDX-License-Identifier: MIT
"""The schemes in a kernel: what build/in-kernel found on each, by make test-kernel or kernel-bench."""
import math
from types import SimpleNamespace

from record import HELD, VERDICTS

# The worst of a row's runs is what is said of it.
WORST = VERDICTS[::-1]
CONTEXTS = ("softirq", "hardirq", "nmi")
OFF = "local_irq_save, local_irq_restore"
MASKING = "delta_sync_hard"


def total(values):
    return sum(value for value in values if not math.isnan(value))


def merged(runs):
    """One line for a row's runs at several widths."""
    words = [one.verdict for one in runs]
    verdict = next((word for word in WORST if word in words), words[0])
    line = SimpleNamespace(
        row=runs[0].row, verdict=verdict, through=runs[0].masked and runs[0].with_nmi,
        text=next((one.text for one in runs if one.text and one.verdict == "broken"), ""),
        bits=", ".join(f"{bits:.0f}" for bits in dict.fromkeys(one.bits for one in runs)
                       if not math.isnan(bits)),
        nested=total(one.interrupting for one in runs), four=total(one.depth.four for one in runs))
    for name in CONTEXTS:
        setattr(line, name, total(getattr(one.delivered, name) for one in runs))
    line.hits = total(getattr(one.hits, name) for one in runs for name in CONTEXTS)
    return line


def rows(kernel):
    """In the order of the run; where a row's mask lets NMIs through, it has a line without them."""
    runs = {}
    for one in kernel.rows:
        if one.row and one.verdict and one.verdict != "left out":
            runs.setdefault((one.row, one.masked and one.with_nmi), []).append(one)
    return [merged(its) for its in runs.values()]


def left_out(kernel):
    return {one.row: one.text for one in kernel.rows if one.row and one.verdict == "left out"}


def prices(kernel):
    """Cheapest first."""
    return sorted((one for one in kernel.prices if one.price and not math.isnan(one.batch)),
                  key=lambda one: one.batch)


def cost(kernel):
    """Interrupts off against lockless, of what can be timed; None: it was not."""
    timed = {one.price: one.batch for one in prices(kernel) if one.unit == "ns"}
    judged = rows(kernel)
    broken = {one.row for one in judged if one.verdict not in HELD or one.through}
    kept = [one.row for one in judged if one.row in timed and one.row not in broken]
    if not kept or not all(name in timed for name in (OFF, "cmpxchg", "xadd", MASKING)):
        return None
    best = min(kept, key=timed.get)
    return SimpleNamespace(off=timed[OFF], cmpxchg=timed["cmpxchg"], xadd=timed["xadd"],
                           masking=timed[MASKING], best=best, least=timed[best])


def said(run):
    """Kernels of the record, as the page shows them."""
    return [SimpleNamespace(
        release=kernel.release, version=kernel.version, cpu=kernel.cpu, cpus=kernel.cpus,
        emulated=kernel.emulated, rows=rows(kernel), left_out=left_out(kernel),
        prices=prices(kernel), cost=cost(kernel)) for kernel in run.in_kernel.kernels]
