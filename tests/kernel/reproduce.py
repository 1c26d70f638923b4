#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Shows, or does not, that an unmodified kernel's ring buffer stores a wrong time: boots it under
qemu, lets an interrupt come at one instruction boundary, and has both trace buffers judged.

Exit code: 0 a wrong time was shown, 1 it was not, 2 no verdict (wrong use, every run failed, or the
control showed a wrong time as well), 5 interrupted, 77 a tool is missing.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import time

import explorer
import images
import record
import runs
from machine import Failure

SHOWN, NOT_SHOWN, VOID, INTERRUPTED, MISSING = 0, 1, 2, 5, 77

MODES = {
    "forced": "a long interrupt at the boundary",
    "paused": "a short interrupt at the boundary; the machine is paused within it",
    "unforced": "long interrupts at any moment, one instruction per step of the emulator",
    "control": "a short interrupt at the boundary: no wrong time is expected",
    "crossing": "two interrupts around the claim of an event that fills its page",
}


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"stampede: {message}; try --help", file=sys.stderr)
        sys.exit(VOID)


def arguments():
    parser = Parser(
        prog="make reproduce-kernel", description=__doc__.split("\n\n")[0],
        epilog="modes: " + "; ".join(f"{name}: {text}" for name, text in MODES.items()),
        formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--mode", choices=MODES, default="forced")
    parser.add_argument("--kernel", default="",
                        help="a bzImage, a Debian package, or 6.12 or 6.1 for Debian's newest")
    parser.add_argument("--runs", type=int, default=1, help="how often")
    parser.add_argument("--seconds", type=int, default=0,
                        help="limit of one run (0: 240; of unforced, 900)")
    parser.add_argument("--clock", default="mono", help="trace_clock of both buffers")
    parser.add_argument("--no-control", action="store_true",
                        help="do not run the control behind a forced run")
    parser.add_argument("--no-explorer", action="store_true",
                        help="do not replay the schedule in the explorer")
    parser.add_argument("--build", default="build", help="where the guest and the judge were built")
    parser.add_argument("--results", default="results", help="where the record goes")
    parser.add_argument("--keep", metavar="DIR", help="copy every run's raw output to DIR")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs: at least one")
    options.seconds = options.seconds or (900 if options.mode == "unforced" else 240)
    return options


def missing_tools():
    tools = ["qemu-system-x86_64", "gdb", "cpio"]
    return [tool for tool in tools if not shutil.which(tool)]


def tell(number, of, run):
    line = f"{run['mode']:9s} {number}/{of}: {run['outcome']}"
    wrong = run.get("verdict", {}).get("wrong")
    if wrong and wrong.get("fits_ns"):
        line += (f", {wrong['wraps_low']} x 2^27 ns lost "
                 f"({(wrong['fits_ns'] - wrong['decoded_ns']) / 1e6:.1f} ms)")
    elif wrong and 0 < wrong["wraps_low"] < wrong["wraps_high"]:
        line += f", {wrong['wraps_low']} to {wrong['wraps_high']} x 2^27 ns lost"
    if "requests" in run.get("boundary", {}):
        line += f", {run['boundary']['requests']} requests"
    if run.get("verdict", {}).get("witness", {}).get("agrees") is False:
        line += ", the debugger read something else"
    line += f"; {run['seconds']:.0f} s, {run['cpu_seconds']:.0f} s of CPU"
    print(line + (f" ({run['why']})" if run.get("why") else ""), flush=True)
    if number == 1 and run.get("timeline"):
        print(run["timeline"], end="", flush=True)


def do_runs(options, kernel, done):
    """The runs asked for, then as many controls behind forced ones; added to `done`."""
    for number in range(1, options.runs + 1):
        done.append(runs.run(options.mode, kernel, options))
        tell(number, options.runs, done[-1])
    if options.mode == "forced" and not options.no_control:
        for number in range(1, options.runs + 1):
            done.append(runs.run("control", kernel, options))
            tell(number, options.runs, done[-1])


def conclude(options, done):
    asked = [run for run in done if run["mode"] == options.mode]
    shown = sum(run["outcome"] == "shown" for run in asked)
    judged = sum(run["outcome"] != "no verdict" for run in asked)
    controls = [run for run in done if run["mode"] == "control" and options.mode != "control"]
    false = sum(run["outcome"] == "shown" for run in controls)
    print(f"{options.mode}: a wrong time in {shown} of {len(asked)} runs"
          + (f"; control: in {false} of {len(controls)}" if controls else ""))
    if false:
        print("stampede: the control shows a wrong time as well: this proves nothing",
              file=sys.stderr)
        return VOID
    if shown:
        return SHOWN
    return NOT_SHOWN if judged else VOID


def ask_explorer(options, done):
    """The schedule of the first wrong time, replayed; a failure here is none of the verdict's."""
    wrong = next((run["verdict"]["wrong"] for run in done if run["mode"] == options.mode
                  and run["outcome"] == "shown"), None)
    if not wrong or options.no_explorer:
        return []
    try:
        if options.mode == "crossing":
            replays = explorer.crossing(options.build)
        elif wrong["fits_ns"]:
            replays = explorer.lost_wraps(
                options.build, wrong["delta_ns"] + wrong["fits_ns"] - wrong["decoded_ns"])
        else:
            return []
    except (explorer.NoWitness, OSError, subprocess.SubprocessError) as error:
        print(f"stampede: no word from the explorer: {error}", file=sys.stderr)
        return []
    for replay in replays:
        print(f"explorer  {replay['form']}: {'kept' if replay['kept'] else 'broken'}"
              + (f", stores {replay['stored_delta']} of {replay['delta']}"
                 if replay["stored_delta"] is not None else ""))
    if not explorer.agree(replays, wrong):
        print("stampede: the explorer does not agree with the kernel", file=sys.stderr)
    return replays


def interrupted(number, frame):
    raise KeyboardInterrupt


def main():
    options = arguments()
    missing = missing_tools()
    if missing:
        print(f"stampede: missing: {' '.join(missing)}; as root: apt-get install -y "
              "--no-install-recommends qemu-system-x86 gdb cpio", file=sys.stderr)
        return MISSING
    signal.signal(signal.SIGTERM, interrupted)
    signal.signal(signal.SIGHUP, interrupted)
    begun, done, kernel = time.gmtime(), [], ""
    try:
        kernel = images.find(options.kernel, os.path.join(options.build, "kernel"))
        print(f"kernel    {kernel}\nmode      {options.mode}: {MODES[options.mode]}", flush=True)
        do_runs(options, kernel, done)
        status = conclude(options, done)
        witnesses = ask_explorer(options, done)
        print("record    " + record.write(options, begun, kernel, done, witnesses))
        return status
    except images.Missing as error:
        print(f"stampede: {error}", file=sys.stderr)
        return MISSING
    except (Failure, OSError, subprocess.SubprocessError) as error:
        print(f"stampede: {error}", file=sys.stderr)
        return VOID
    except KeyboardInterrupt:
        where = record.write(options, begun, kernel, done, []) if done else "nothing to record"
        print(f"stampede: interrupted after {len(done)} runs: {where}", file=sys.stderr)
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
