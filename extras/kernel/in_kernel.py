#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: in_kernel.py RESULTS COMMAND FILE

Makes a record of what build/in-kernel --json appended to FILE: RESULTS/<UTC>-in-kernel/in_kernel.json,
as results/SCHEMA.md says. RESULTS/latest-in_kernel points to the newest; make bench takes it over.
"""
import json
import os
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "results"))
import beside

# An object's first key says what it is of, and where it goes.
LISTS = {"row": "rows", "price": "prices"}


def document(command, lines, begun):
    """The record of lines of JSON: what follows a kernel's line is of that kernel."""
    kernels, its = [], None
    for line in lines:
        one = json.loads(line)
        kind = next(iter(one))
        if kind == "kernel":
            release = one.pop("kernel")
            found = [its for its in kernels if its["release"] == release]
            if not found:
                kernels.append({"release": release, **one, **{key: [] for key in LISTS.values()}})
                found = kernels[-1:]
            its = found[0]
        elif its is None:
            raise ValueError("its first line names no kernel")
        else:
            its[LISTS[kind]].append(one)
    return {"schema": 1, "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", begun), "command": command,
            "kernels": kernels}


def write(results, command, lines, begun):
    """The record's directory, to which RESULTS/latest-in_kernel then points."""
    text = json.dumps(document(command, lines, begun), indent=1) + "\n"
    directory = beside.place(results, begun, "in-kernel")
    beside.put(os.path.join(directory, "in_kernel.json"), text)
    beside.point_to(directory, "in_kernel")
    return directory


def main(words):
    if len(words) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 1
    results, command, path = words
    try:
        with open(path) as file:
            lines = file.read().splitlines()
        if not lines:
            print(f"stampede: {path} is empty: nothing was judged", file=sys.stderr)
            return 1
        print("record    " + write(results, command, lines, time.gmtime(os.stat(path).st_ctime)))
    except (ValueError, LookupError) as error:
        print(f"stampede: {path} is not what in-kernel --json writes: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"stampede: {error.filename}: {error.strerror}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
