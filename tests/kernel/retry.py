#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
ftrace's claim as one loop of cmpxchg, in a kernel: builds one from Debian's source with that change
beside its own claim, boots it under qemu once per case, and tells which cases ended in the warning
"more than 1,000 loops", and how many attempts a reserve took.

Exit code: 0 the warning was seen, 1 it was not, 2 no verdict (wrong use, the build failed, every
guest failed), 5 interrupted, 77 a tool is missing.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import retry_tree
import runs
from machine import Failure, Machine

SEEN, NOT_SEEN, VOID, INTERRUPTED, MISSING = 0, 1, 2, 5, 77
FORMS = ["stock", "kept", "reset", "page"]
PERF = {"clock": "perf", "tsc": "unstable"}
GRAPH, FUNCTION = {"tracer": "function_graph"}, {"tracer": "function"}
# An event of another kind in the same buffer, of which the report does not speak.
EVENTS = {"events": 1}
CASES = [
    {"form": "kept", **GRAPH, **PERF},
    {"form": "kept", **GRAPH, **PERF, **EVENTS},
    {"form": "kept", **FUNCTION, **PERF},
    # The kernel's own claim, and the other forms of the loop.
    {"form": "stock", **GRAPH, **PERF, **EVENTS},
    {"form": "reset", **GRAPH, **PERF, **EVENTS},
    {"form": "page", **GRAPH, **PERF, **EVENTS},
    {"form": "stock", **FUNCTION, **PERF},
    {"form": "reset", **FUNCTION, **PERF},
    # Without the functions that the clock is made of.
    {"form": "kept", **GRAPH, **PERF, **EVENTS, "notrace": "*local_clock*"},
    {"form": "kept", **FUNCTION, **PERF, "notrace": "*local_clock*"},
    {"form": "kept", **GRAPH, "clock": "mono", "tsc": "unstable", **EVENTS},
    {"form": "kept", **GRAPH, "clock": "mono", "tsc": "unstable", **EVENTS,
     "notrace": "jiffies_read"},
    # A TSC that the kernel trusts, and other clocks.
    {"form": "kept", **GRAPH, "clock": "perf", "tsc": "reliable", **EVENTS},
    {"form": "kept", **GRAPH, "clock": "mono", "tsc": "reliable", **EVENTS},
    {"form": "kept", **GRAPH, "clock": "local", "tsc": "unstable", **EVENTS},
    {"form": "kept", **GRAPH, "clock": "global", "tsc": "unstable", **EVENTS},
    {"form": "kept", **GRAPH, "clock": "counter", "tsc": "unstable", **EVENTS},
    {"form": "kept", **GRAPH, "clock": "x86-tsc", "tsc": "unstable", **EVENTS},
    {"form": "kept", **FUNCTION, "clock": "local", "tsc": "unstable"},
]


class Parser(argparse.ArgumentParser):
    def error(self, message):
        print(f"stampede: {message}; try --help", file=sys.stderr)
        sys.exit(VOID)


def arguments():
    parser = Parser(prog="make reproduce-kernel MODE=retry", description=__doc__.split("\n\n")[0],
                    formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--source", default="6.12", choices=["6.12", "6.1"],
                        help="of Debian's package linux-source-VERSION")
    parser.add_argument("--image", default="", help="a bzImage built by an earlier run")
    parser.add_argument("--case", default="", help="only the cases that have all these words")
    parser.add_argument("--work", type=int, default=5, help="seconds of system calls in a guest")
    parser.add_argument("--seconds", type=int, default=240, help="limit of one guest")
    parser.add_argument("--build-seconds", type=int, default=7200, help="limit of the build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of the build")
    parser.add_argument("--build", default="build", help="where the guest was built")
    return parser.parse_args()


def name(case):
    return " ".join(f"{key}={value}" for key, value in case.items())


def words(case, work):
    settings = {"run": "retry", "seconds": work,
                **{key: case[key] for key in ("tracer", "clock", "events", "notrace")
                   if key in case}}
    return (runs.WORDS + [f"ring_buffer.stampede_form={FORMS.index(case['form'])}"]
            # Neither PIT nor HPET of this guest calibrates it; the value does not matter.
            + ["tsc_early_khz=2000000", f"tsc={case['tsc']}"]
            + [f"stampede_{key}={value}" for key, value in settings.items()])


def read(data):
    """What the guest said: one value per name, its clocks, and the log."""
    said, clocks = {}, []
    head, _, log = data.partition("\nlog ")
    for line in head.splitlines():
        key, _, value = line.partition(" ")
        if key == "clock":
            clocks.append(value.split()[0])
        else:
            said[key] = value
    attempts = [int(one) for one in said["count_attempts"].split(",")]
    return {"release": said["release"], "trace_clock": said["trace_clock"],
            "clocksource": said["clocksource"], "rounds": int(said["rounds"]),
            "reserves": sum(attempts), "attempts": attempts,
            **{key: int(said["count_" + key])
               for key in ("attempts_max", "failed", "pages", "pages_max")},
            "lines": int(said["lines"]), "lines_clock": int(said["lines_clock"]),
            "warned": len(re.findall(r"WARNING: .*ring_buffer\.c", log)),
            "clocks": clocks, "log": log}


def guest(options, image, case):
    with tempfile.TemporaryDirectory(prefix="stampede-retry-") as directory:
        initrd = runs.make_initrd(directory, options.build)
        machine = Machine(directory, image, initrd, words(case, options.work), options.seconds)
        try:
            machine.await_line(b"ready")
            machine.await_line(b"end")
        except Failure as failure:
            console = os.path.join(directory, "console.log")
            with open(console, "rb") as file:
                print(file.read()[-2000:].decode("ascii", "replace"), file=sys.stderr)
            raise failure
        finally:
            machine.close()
        return read(machine.text().decode("ascii", "replace"))


def tell(case, run):
    print(f"{name(case)}\n    {'WARNED' if run['warned'] else 'no warning'}: {run['reserves']}"
          f" reserves, {run['failed']} claims failed, {run['attempts_max']} attempts at most,"
          f" {run['pages_max']} pages at most; {run['lines_clock']} of {run['lines']} lines are the"
          " clock's", flush=True)


def do_cases(options, image, done):
    for case in CASES:
        if not set(options.case.split()) <= set(name(case).split()):
            continue
        try:
            run = guest(options, image, case)
            tell(case, run)
        except Failure as failure:
            run = {"failure": str(failure)}
            print(f"{name(case)}\n    no verdict: {failure}", flush=True)
        done.append({"case": case, **run})


def main():
    options = arguments()
    missing = [tool for tool in ("qemu-system-x86_64", "cpio") if not shutil.which(tool)]
    if missing:
        print(f"stampede: missing: {' '.join(missing)}; as root: apt-get install -y "
              "--no-install-recommends qemu-system-x86 cpio", file=sys.stderr)
        return MISSING
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    done, status = [], VOID
    place = os.path.join(options.build, "kernel")
    try:
        image = options.image or retry_tree.build(options.source, place, f"-j{options.jobs}",
                                                  options.build_seconds)
        do_cases(options, image, done)
        judged = [run for run in done if "warned" in run]
        if judged:
            status = SEEN if any(run["warned"] for run in judged) else NOT_SEEN
    except (Failure, OSError, subprocess.SubprocessError) as error:
        print(f"stampede: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        status = INTERRUPTED
    if done:
        record = os.path.join(place, f"retry-{options.source}.json")
        with open(record, "w") as file:
            json.dump(done, file, indent=1)
        print("record    " + record)
    return status


if __name__ == "__main__":
    sys.exit(main())
