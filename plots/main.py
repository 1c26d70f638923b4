# SPDX-License-Identifier: MIT
"""build/plots: draws a run's plots and writes its page (make writes the program that runs this)."""
import json
import os
import sys

import files
from files import FINE, HARNESS, Failed, has_colour, need_jinja2, put

DEFAULT_RUN = "results/latest"
USAGE = f"""\
usage: plots [--quiet] [RUN_DIR]
       plots --screen RUN_DIR
       plots --all RUN_DIR
       plots --which NEEDS [RUN_DIR]
       plots --why [RUN_DIR]
       plots --reference RUN_DIR
       plots --schedule JSON FILE.svg|FILE.html
       plots --times JSON [N]|FOLDER FILE.svg|FILE.html
Reads RUN_DIR/bench.json (default: {DEFAULT_RUN}) and writes there
  plots/*.svg, *.png   the plots
  plots/*.dat, *.gp    their data and scripts: change them and run gnuplot there
  report.html          one page that needs no other file
--screen prints a run's summary on 80 x 24, --all the same with every row. --which prints the row
to take for needs such as "bytes several", by RUN_DIR or, without it, by all recorded machines.
--why prints the rule by which a row is taken, and what each row brings to it. --reference prints
what results/reference/ keeps of a run. --schedule draws what `explore --draw` plays.
--times draws the Nth finding of `read-trace --lint --json`, or the worst time in the
FOLDER of `judge-tracer --keep`, among its neighbours.
Exit status: 0 fine, 1 usage or a bad file, 3 no space or permission, 4 no gnuplot or Jinja2.
Example: build/plots results/20250101T120000Z-amd-epyc-2cpu
"""


def tell(run, figures):
    drawn = [figure.plot.name for figure in figures if figure.svg]
    print(f"report   {run.dir}/report.html\n"
          f"plots    {run.dir}/plots\n         {' '.join(drawn)}\n"
          "         each as SVG and PNG, with its data and script")
    for figure in figures:
        if not figure.table:
            print(f"left out {figure.plot.name}: {figure.plot.absent}")


def make(path, quiet):
    import draw
    import record

    def prepare():
        import page
        return page, page.said(run)

    run = record.load(path)
    figures = draw.put_data(run)
    status, (page, shared) = draw.draw(run, figures, prepare)
    # Without pictures the page still has the table.
    put(os.path.join(run.dir, "report.html"), page.html(run, figures, shared))
    if not quiet:
        tell(run, figures)
    return status


def say_rows(path, every):
    import record
    import screen
    print("\n".join((screen.every if every else screen.lines)(record.load(path or DEFAULT_RUN), has_colour())))
    return FINE


def say_which(path, words):
    import answer
    import machines
    import record
    from text import plain, wrapped
    known = [answer.of_run(record.load(path))] if path else \
        [answer.of_reference(one) for one in machines.load()]
    print("\n".join(wrapped(answer.which(known, words, plain), 80)))
    return FINE


def say_why(path, _):
    import answer
    import record
    from text import plain, wrapped
    first, *rest = answer.why([answer.of_run(record.load(path or DEFAULT_RUN))], plain)
    print("\n".join(wrapped(first, 80) + rest))
    return FINE


def say_reference(path, _):
    import machines
    import record
    its = machines.reference(record.load(path or DEFAULT_RUN))
    print("{" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in its.items()) + "}")
    return FINE


# What is asked in place of plots and page.
OTHERS = {"--screen": say_rows, "--all": say_rows, "--why": say_why, "--which": say_which,
          "--reference": say_reference}


def command(words):
    if "-h" in words or "--help" in words:
        print(USAGE, end="")
        return FINE
    if words[:1] == ["--schedule"]:
        import schedule
        return schedule.command(schedule.draw, "explore --draw plays", words[1:])
    if words[:1] == ["--times"]:
        import schedule
        import times
        return schedule.command(times.draw, "read-trace --lint --json writes, or judge-tracer --keep", words[1:])
    quiet, asked, path, argument = False, None, None, None
    words = iter(words)
    for word in words:
        if word in ("-q", "--quiet"):
            quiet = True
        elif word in OTHERS and not asked:
            asked = OTHERS[word]
            argument = next(words, "") if word == "--which" else word == "--all"
        elif word.startswith("-"):
            raise Failed(HARNESS, f"unknown option '{word}'; try plots --help")
        elif path is not None:
            raise Failed(HARNESS, f"one run at a time, not also '{word}'; try plots --help")
        else:
            path = word
    if asked:
        return asked(path, argument)
    need_jinja2()
    return make(DEFAULT_RUN if path is None else path, quiet)


def main():
    return files.status_of(lambda: command(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
