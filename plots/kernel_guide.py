# SPDX-License-Identifier: MIT
"""What the guide says to whoever writes a kernel's tracer, from section in_kernel of the record."""
import math
from types import SimpleNamespace

import guide
import in_kernel
from data import known, least
from record import HELD

# Times are a machine's; what an emulator has are instructions, and a time of it is none.
TIME, COUNT = "ns", "instructions"
PARTS = ("cmpxchg", "xadd")


def priced_in(kernel, unit):
    """What each thing takes in batches; none of an emulator's times."""
    if unit == TIME and kernel.emulated:
        return {}
    return {one.price: one.batch for one in in_kernel.prices(kernel) if one.unit == unit}


def unit_of(kernels):
    return next((unit for unit in (TIME, COUNT)
                 if any(priced_in(kernel, unit) for kernel in kernels)), None)


def kept(kernel):
    """Rows that kept what they promise where all three kinds of interrupts came, NMIs among them;
    those that NMIs came through the mask of, and nothing was seen, are none."""
    return {line.row for line in in_kernel.rows(kernel)
            if line.verdict in HELD and not line.through
            and all(getattr(line, name) > 0 for name in in_kernel.CONTEXTS)}


def everywhere(kernels):
    return set.intersection(*(kept(kernel) for kernel in kernels)) if kernels else set()


def inexact(kernels):
    return {one.row for kernel in kernels for one in kernel.rows if one.inexact > 0}


def exact(run, kernels):
    """Those that also promise everything, need nothing, and had no stamp declared inexact; what this
    run saw broken in a program is not for a kernel either."""
    broken = {one.row for one in [*run.table, *run.storm] if one.verdict == "broken"}
    return {row for row in everywhere(kernels) - inexact(kernels) - broken
            if guide.declares_everything(run, row)
            and guide.at_once(run, SimpleNamespace(row=row))}


def cheapest(kernel, rows, unit):
    """Rows next to the least, best first; and the least."""
    its = {row: value for row, value in priced_in(kernel, unit).items() if row in rows}
    best = least(its.values())
    as_good = guide.AS_GOOD_TIME if unit == TIME else guide.AS_GOOD_COUNT
    return sorted((row for row, value in its.items() if value <= best * (1 + as_good)),
                  key=lambda row: (round(its[row], 1), row)), best


def choices(kernels, rows, unit):
    """Kernels whose choice is the same stand together: the rows, how many more, and who has what."""
    found = []
    for kernel in kernels:
        names, best = cheapest(kernel, rows, unit)
        its = next((one for one in found if one.all == names), None)
        if names and not its:
            its = SimpleNamespace(all=names, rows=names[:guide.NAMED_MOST],
                                  more=max(0, len(names) - guide.NAMED_MOST), best=[])
            found.append(its)
        if names:
            its.best.append((kernel.release, best))
    return found


def in_order(kernels, rows, unit):
    """Cheapest first by the first kernel that has prices, and which that is; those without one
    behind."""
    kernel = next((kernel for kernel in kernels if priced_in(kernel, unit)), None)
    its = priced_in(kernel, unit) if kernel else {}
    return (sorted(rows, key=lambda row: (round(its.get(row, math.inf), 1), row)),
            kernel.release if kernel else "")


def smallest(run, rows):
    """Of these the ones with the fewest bytes of header by this run's table, and what they have; or
    None."""
    its = {row.row: guide.header(run, row, None) for row in run.steady if row.row in rows}
    best = least(its.values())
    names = [row for row, value in its.items() if value <= best * (1 + guide.AS_GOOD_COUNT)]
    with_id = known(row.header_id_bytes for row in run.table)
    return SimpleNamespace(rows=names, has=best, unit=guide.HEADER if with_id else
                           guide.NO_IDS[guide.HEADER]) if names else None


def price(kernel, rows, unit):
    """Interrupts off against lockless, of what has a price there; None: nothing can be held
    against anything."""
    its = priced_in(kernel, unit)
    parts = [(name, its[name]) for name in PARTS if name in its]
    names, best = cheapest(kernel, rows, unit)
    if in_kernel.OFF not in its or not parts:
        return None
    lockless = [its[row] for row in rows if row in its]
    masking = [SimpleNamespace(row=row, takes=its[row], less=sum(one < its[row] for one in lockless))
               for row in sorted({one.row for one in kernel.rows if one.masked}) if row in its]
    return SimpleNamespace(
        release=kernel.release, off=its[in_kernel.OFF], parts=parts,
        masking=masking, best=names[:1], least=best, lockless=len(lockless),
        own=its.get(in_kernel.OWN, math.nan))


def masks(kernels):
    """Of each row that masks interrupts: runs, and those that kept, without NMIs and with them."""
    found = {}
    for kernel in kernels:
        for one in kernel.rows:
            if one.masked and one.verdict in in_kernel.WORST:
                its = found.setdefault(one.row, SimpleNamespace(
                    row=one.row, runs=0, kept=0, nmi_runs=0, broken=0, text=""))
                if one.with_nmi:
                    its.nmi_runs += 1
                    its.broken += one.verdict == "broken"
                    its.text = its.text or one.text
                else:
                    its.runs += 1
                    its.kept += one.verdict in HELD
    return list(found.values())


def fared(kernels):
    """How many kept their promises on all kernels, and the others by what became of them."""
    shared = everywhere(kernels)
    judged = {line.row for kernel in kernels for line in in_kernel.rows(kernel)}
    masking = {one.row for one in masks(kernels)}
    somewhere = [(kernel.release, sorted(kept(kernel) - shared)) for kernel in kernels]
    others = judged - shared - masking - {row for _, rows in somewhere for row in rows}
    return SimpleNamespace(
        kept=len(shared), judged=len(judged), others=sorted(others),
        only=[(release, rows) for release, rows in somewhere if rows])


def said(run):
    """None without a kernel that judged a row."""
    kernels = [kernel for kernel in run.in_kernel.kernels if in_kernel.rows(kernel)]
    if not kernels:
        return None
    unit, rows = unit_of(kernels), exact(run, kernels)
    ordered, by = in_order(kernels, rows, unit)
    prices = [one for one in (price(kernel, rows, unit) for kernel in kernels) if one]
    return SimpleNamespace(
        command=run.in_kernel.command, date=run.in_kernel.date[:10],
        releases=[kernel.release for kernel in kernels],
        emulated=[kernel.release for kernel in kernels if kernel.emulated],
        unit=unit, counted=unit == COUNT, exact=ordered, ordered_by=by,
        smallest=smallest(run, rows), take=choices(kernels, rows, unit),
        prices=prices, masks=masks(kernels), fared=fared(kernels))
