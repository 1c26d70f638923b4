# SPDX-License-Identifier: MIT
"""The record of a kernel run: results/<UTC>-kernel-<release>/, as results/SCHEMA.md says."""
import json
import os
import shutil
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "results"))
import beside


def count(done):
    counts = {}
    for run in done:
        mode = counts.setdefault(run["mode"], {
            "runs": 0, "shown": 0, "not_shown": 0, "no_verdict": 0, "seconds_max": 0.0,
            "cpu_seconds_max": 0.0})
        mode["runs"] += 1
        mode[run["outcome"].replace(" ", "_")] += 1
        for key in ("seconds", "cpu_seconds"):
            mode[key + "_max"] = max(mode[key + "_max"], run[key])
    return counts


def brief(run):
    """A run in a line; the whole of it only where it is an exhibit."""
    verdict, boundary = run.get("verdict", {}), run.get("boundary", {})
    wrong = verdict.get("wrong", {})
    return {"mode": run["mode"], "outcome": run["outcome"], "why": run.get("why"),
            "seconds": run["seconds"], "cpu_seconds": run["cpu_seconds"],
            "backwards": verdict.get("backwards"), "kind": wrong.get("kind"),
            "decoded_ns": wrong.get("decoded_ns"), "fits_ns": wrong.get("fits_ns"),
            "witness_agrees": verdict.get("witness", {}).get("agrees"),
            "info_ts_ns": boundary.get("info_ts"), "info_delta_ns": boundary.get("info_delta"),
            "requests": boundary.get("requests"),
            "reader_differences": verdict.get("reader_differences")}


def write(options, begun, kernel, done, explorer):
    """Writes the record and its page; returns its directory."""
    judged = next((run["verdict"] for run in done if "verdict" in run), {})
    directory = beside.place(options.results, begun,
                             "kernel-" + (judged.get("release") or "unknown").replace("+", "."))
    try:
        fill(options, begun, kernel, done, explorer, judged, directory)
    except (OSError, subprocess.SubprocessError) as error:
        shutil.rmtree(directory, ignore_errors=True)
        raise OSError(f"cannot write the record in {options.results}: {error}; free some space, "
                      "or take another place by --results; earlier records are intact") from None
    # The newest run that came to a verdict; make bench takes it over.
    if judged:
        beside.point_to(directory, "kernel")
    return directory


def fill(options, begun, kernel, done, explorer, judged, directory):
    exhibits = {}
    for run in done:
        name = f"{run['mode']}-{run['outcome'].replace(' ', '-')}"
        if "capture" in run and name not in exhibits:
            beside.put(os.path.join(directory, name + ".capture"), run["capture"])
            exhibits[name] = {"mode": run["mode"], "outcome": run["outcome"],
                              "verdict": run["verdict"], "boundary": run["boundary"],
                              "capture_file": name + ".capture"}
    document = {
        "schema": 1,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", begun),
        "mode": options.mode,
        "image": os.path.basename(kernel),
        "release": judged.get("release"),
        "version": judged.get("version"),
        "clock": options.clock,
        "counts": count(done),
        "exhibits": list(exhibits.values()),
        "explorer": explorer,
        "runs": [brief(run) for run in done],
    }
    beside.put(os.path.join(directory, "kernel.json"), json.dumps(document, indent=1) + "\n")
    subprocess.run([os.path.join(options.build, "kernel-page"), directory], check=True)
