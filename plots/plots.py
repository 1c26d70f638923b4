# SPDX-License-Identifier: MIT
"""The plots: a line here and a script beside it, <name>.gp, are a plot.

A line names it, gives its title, says why it may be left out, and which data it has: a function of
data.py or curves.py, or columns(section, fields...) where the fields of a section are enough. Its
caption is the macro of its name in captions.j2, or the text at the end of its line.
"""
from collections import namedtuple

import curves
import data

Plot = namedtuple("Plot", "name title absent make caption", defaults=[None])

PLOTS = (
    Plot("choice", "Cost of a scheme, in times of the floor",
         "no row of workload steady has a ratio to the floor (section table)", curves.choice,
         "Rows that kept what they promise. With a clock that costs nothing only the scheme's own work "
         "is left (QUICK=1 times this machine's clock alone). Baselines, variants and rows that were "
         "not judged are not shown."),
    Plot("space", "Instructions and bytes of an event",
         "no row of workload steady with bytes or instructions (section table)", data.space),
    Plot("storm", "Error of the stamps under a storm of signals",
         "no row ran under workload storm (section stress)", data.storm),
    Plot("late_beat", "Wraps lost to a late beat",
         "no row ran under workload late_beat (section late_beat)", curves.late_beat),
    Plot("backstep", "Damage by a clock that goes back",
         "no row ran under workload backstep (section backstep; FULL=1)",
         curves.backstep),
    Plot("layouts", "Header bytes against event rate, by layout",
         "no layout was measured at set rates (section bytes_by_rate)", curves.layouts),
    Plot("replay", "Bytes of an event under recorded gaps",
         "no row ran under workload replay (section replay)", data.replay),
    Plot("tails", "Latency of single events",
         "no latency was sampled (section tails; --quick leaves it out)", curves.tails),
    Plot("cold", "Cost of an event after other work of the program",
         "no event was measured cold (section cold; --quick leaves it out)", curves.cold,
         "One eviction, then one event of each row, in random order; the bars are 95 % intervals over "
         "new rings in new places. Where bars overlap, rows are not told apart."),
)
