# SPDX-License-Identifier: MIT
"""Data, scripts and pictures of a run's plots, in RUN/plots."""
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import data
from files import FINE, HARNESS, RESOURCE, UNSUPPORTED, Failed, complain, directory, put
from plots import PLOTS

SOURCES = os.path.dirname(os.path.abspath(__file__))
NO_GNUPLOT = "gnuplot is not installed (Debian: apt install gnuplot-nox)"


class Figure:
    """A plot of a run: without a table the run has nothing to show, without svg it is not drawn."""

    def __init__(self, plot, table):
        self.plot = plot
        self.table = table
        self.svg = None


def source(name):
    with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
        return file.read()


def put_data(run):
    """Writes each plot's data and script; returns all figures."""
    folder = os.path.join(run.dir, "plots")
    directory(folder)
    variables = ["# Written by build/plots: what the scripts cannot see in the data."]
    variables += data.captions(run).variables
    figures = [Figure(plot, plot.make(run)) for plot in PLOTS]
    for figure in figures:
        if figure.table:
            variables += figure.table.variables
            put(os.path.join(folder, f"{figure.plot.name}.dat"),
                "\n".join(figure.table.lines) + "\n")
            put(os.path.join(folder, f"{figure.plot.name}.gp"), source(f"{figure.plot.name}.gp"))
    put(os.path.join(folder, "run.gp"), "\n".join(variables) + "\n")
    put(os.path.join(folder, "style.gp"), source("style.gp"))
    return figures


def is_whole(picture, form):
    """gnuplot exits 0 on many of its troubles: what counts is that the picture has its end."""
    if form == "png":
        return picture[:4] == b"\x89PNG" and picture[-8:] == b"IEND\xae\x42\x60\x82"
    return b"<svg" in picture and picture.rstrip().endswith(b"</svg>")


def complaint(said):
    """The line of gnuplot's complaint that says what is wrong: the last one, after the place."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").split("\n")]
    lines = [line for line in lines if line.strip("^ ")]
    return lines[-1] if lines else "no complaint, but no whole picture either"


def gnuplot(folder, script, form):
    try:
        # -d: whatever a user has in ~/.gnuplot, the picture is the same.
        its = subprocess.run(["gnuplot", "-d", "-e", "to_stdout = 1", "-e", f"format = '{form}'",
                              script], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                             check=False)
    except FileNotFoundError:
        raise Failed(UNSUPPORTED, f"{NO_GNUPLOT}; data and scripts are in {folder}") from None
    except OSError as error:
        raise Failed(RESOURCE, f"cannot run gnuplot: {error.strerror}; data and scripts are in "
                               f"{folder}") from None
    if its.returncode < 0:
        raise Failed(HARNESS, f"gnuplot was ended by signal {-its.returncode} drawing "
                              f"{folder}/{script}")
    if its.returncode or not is_whole(its.stdout, form):
        raise Failed(HARNESS, f"gnuplot cannot draw {folder}/{script} as {form}: "
                              f"{complaint(its.stderr)}")
    return its.stdout


def draw_one(folder, figure):
    """Both pictures of a plot; what kept one of them from being, or None."""
    name = figure.plot.name
    try:
        for form in ("svg", "png"):
            picture = gnuplot(folder, f"{name}.gp", form)
            put(os.path.join(folder, f"{name}.{form}"), picture)
            if form == "svg":
                svg = picture
        figure.svg = svg
    except Failed as failure:
        return failure
    return None


def draw(run, figures, meanwhile):
    """Draws on all CPUs while meanwhile() is called; returns the first bad status, and its result.

    One plot that cannot be drawn does not keep the others from being.
    """
    folder = os.path.join(run.dir, "plots")
    drawable = [figure for figure in figures if figure.table]
    # The longest first: whoever comes last should not be alone for long.
    drawable.sort(key=lambda figure: -len(figure.table.lines))
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        drawing = pool.map(lambda figure: draw_one(folder, figure), drawable)
        result = meanwhile()
        failures = list(drawing)
    by_plot = {figure.plot.name: failure for figure, failure in zip(drawable, failures) if failure}
    first = FINE
    for name in [plot.name for plot in PLOTS if plot.name in by_plot]:
        failure = by_plot[name]
        if failure.status == RESOURCE:
            raise failure
        complain(failure.line)
        first = first or failure.status
        if failure.status == UNSUPPORTED:
            break
    return first, result
