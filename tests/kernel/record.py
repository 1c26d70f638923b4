# SPDX-License-Identifier: MIT
"""The record of a kernel run: results/<UTC>-kernel-<release>/, as results/SCHEMA.md says."""
import json
import os
import time


def place(options, begun, done):
    release = next((run["verdict"]["release"] for run in done if "verdict" in run), "unknown")
    base = os.path.join(options.results, time.strftime("%Y%m%dT%H%M%SZ", begun)
                        + "-kernel-" + release.replace("+", "."))
    for number in range(1, 100):
        path = base if number == 1 else f"{base}-{number}"
        try:
            os.makedirs(path)
            return path
        except FileExistsError:
            continue
    raise OSError(f"{base}: too many runs of this second")


def put(path, text):
    """Whole or not at all."""
    with open(path + ".tmp", "w") as file:
        file.write(text)
    os.rename(path + ".tmp", path)


def write(options, begun, kernel, done):
    """Writes the record; returns its directory. The first capture of each mode and outcome stays."""
    directory = place(options, begun, done)
    kept = set()
    for run in done:
        capture = run.pop("capture", None)
        name = f"{run['mode']}-{run['outcome'].replace(' ', '-')}.capture"
        if capture and name not in kept:
            kept.add(name)
            put(os.path.join(directory, name), capture)
            run["capture_file"] = name
    document = {
        "schema": 1,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", begun),
        "mode": options.mode,
        "image": os.path.basename(kernel),
        "runs": done,
    }
    put(os.path.join(directory, "kernel.json"), json.dumps(document, indent=1) + "\n")
    return directory
