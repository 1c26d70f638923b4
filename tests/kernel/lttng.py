# SPDX-License-Identifier: MIT
"""LTTng's kernel tracer beside the rows: Debian's own sources built for a kernel, its daemons in a
guest, a tracepoint that is called in the task, softirqs, hardirqs and NMIs, and its trace judged."""
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile

import images
from machine import Failure

# Debian 12's, unpacked and never installed; a library that is missing is looked for here first.
PACKAGES = ("lttng-modules-dkms", "lttng-tools", "liblttng-ctl0", "liblttng-ust-common1",
            "liblttng-ust-ctl5", "liburcu8", "libpopt0", "kmod", "libkmod2", "libxml2", "libicu72")
LIBRARIES = "usr/lib/x86_64-linux-gnu"
DAEMON = f"{LIBRARIES}/lttng/libexec/lttng-consumerd"
PROGRAMS = ("bin/kmod", "usr/bin/lttng", "usr/bin/lttng-sessiond", DAEMON)
SCHEMA = "usr/share/xml/lttng"
# What its daemon asks for, and what that hangs on; of the probes the one that is called, since not
# all of 2.13.9's build with a 6.1 of today.
MODULES = [f"src/{name}.ko" for name in (
    "lttng-tracer", "lttng-clock", "lttng-wrapper", "lttng-statedump",
    *(f"lttng-ring-buffer-{client}" for client in (
        "client-discard", "client-overwrite", "client-mmap-discard", "client-mmap-overwrite",
        "metadata-client", "metadata-mmap-client", "event-notifier-client")),
    "lttng-counter-client-percpu-64-modular", "lib/lttng-lib-ring-buffer", "lib/lttng-counter",
    "probes/lttng-probe-power", "probes/lttng-kprobes", "probes/lttng-kretprobes",
    "probes/lttng-uprobes")]
# An emulator's HPET would be its clock, and what it costs to read one would be all there is.
WORDS = ["clocksource=tsc", "tsc=reliable"]
MEMORY = 768
SHELL = "/busybox sh /lttng.sh"
CALLS = "/in-kernel --calls /{0}.calls --events {1} --seconds {2} {3}"
JUDGE = "/in-kernel --json --trace {0} --calls {1}"
# Its name, the bytes and number of its sub-buffers, and what is called: in all, or until it is full;
# where sub-buffers end all the time, and most is discarded; with handlers beyond 27 bits of ns.
SESSIONS = (("large", "1M", 4, 500000, 20, ""), ("small", "16K", 4, 500000, 15, ""),
            ("stalled", "1M", 4, 5000000, 25, "--stall-ms 150"))
STALLS_LEAST = 5
# Another reader's count, of a trace that is not too long for an emulator; where it is installed.
COUNTER = "babeltrace2"
COUNTED = SESSIONS[1][0]
PLUGINS = f"{LIBRARIES}/babeltrace2/plugins"


class Unbuilt(Exception):
    """lttng-modules are not of this kernel's time; the text is the compiler's."""


def unpacked(directory):
    """The packages' files, in `directory`."""
    root = os.path.join(os.path.abspath(directory), "lttng")
    if not os.path.exists(root):
        with tempfile.TemporaryDirectory(dir=directory) as scratch:
            for package in PACKAGES:
                images.unpack(package, scratch)
            # make would take an init.d for a list of what something is made of.
            for path in glob.glob(os.path.join(scratch, "**", "*.d"), recursive=True):
                shutil.rmtree(path)
            os.chmod(scratch, 0o755)
            os.rename(scratch, root)
            os.mkdir(scratch)
    return root


def sources(root):
    found = glob.glob(os.path.join(root, "usr", "src", "lttng-modules-*"))
    if not found:
        raise images.Missing("lttng-modules-dkms has no usr/src/lttng-modules-*")
    return found[0]


def version(root):
    return os.path.basename(sources(root)).removeprefix("lttng-modules-")


def build(root, release, directory):
    """lttng-modules for that kernel, of sources as they are; their paths."""
    headers = images.headers(release, directory)
    tree = os.path.join(os.path.abspath(directory), "lttng-modules-" + release)
    if not os.path.exists(tree):
        shutil.copytree(sources(root), tree)
    done = subprocess.run(["make", "-j2", "-C", headers, f"M={tree}", "CONFIG_LTTNG=m",
                           "CONFIG_DEBUG_INFO_BTF_MODULES=", *MODULES],
                          capture_output=True, text=True, timeout=900,
                          env={**os.environ, "MAKEFLAGS": ""})
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "error:" in line]
        if not said:
            raise Failure("lttng-modules: " + (done.stderr.strip() or "make failed").splitlines()[-1])
        raise Unbuilt(f"lttng-modules {version(root)} do not build for {release}: "
                      + re.sub(r"^.*?/src/", "src/", said[0]))
    return [os.path.join(tree, module) for module in MODULES]


def libraries(root, program):
    """What a dynamic program is linked with, by ldd; Missing if something is not there."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True, env={
        **os.environ, "LD_LIBRARY_PATH": os.path.join(root, LIBRARIES)})
    missing = re.findall(r"(\S+) => not found", done.stdout)
    if missing:
        raise images.Missing(f"{os.path.basename(program)} needs {' '.join(missing)}")
    return re.findall(r"(/\S+) \(0x", done.stdout)


def plant(root, release, modules, tree):
    """The guest's files, in `tree`: programs, what they are linked with, modules."""
    def put(path, inside):
        os.makedirs(os.path.dirname(os.path.join(tree, inside)), exist_ok=True)
        shutil.copy(path, os.path.join(tree, inside))

    def put_linked(program, inside):
        put(program, inside)
        for path in libraries(root, program):
            put(path, path[1:] if "/ld-linux" in path else
                "lib/x86_64-linux-gnu/" + os.path.basename(path))

    for name in PROGRAMS:
        put_linked(os.path.join(root, name), name)
    if shutil.which(COUNTER):
        put_linked(shutil.which(COUNTER), f"usr/bin/{COUNTER}")
        for path in glob.glob(f"/{PLUGINS}/*.so"):
            put_linked(path, f"{PLUGINS}/{os.path.basename(path)}")
    for path in glob.glob(os.path.join(root, SCHEMA, "*")):
        put(path, f"{SCHEMA}/{os.path.basename(path)}")
    for module in modules:
        inside = f"lib/modules/{release}/extra/{os.path.basename(module)}"
        os.makedirs(os.path.dirname(os.path.join(tree, inside)), exist_ok=True)
        subprocess.run(["strip", "-g", "-o", os.path.join(tree, inside), module], check=True)
    os.mkdir(os.path.join(tree, "etc"))
    for name, line in (("passwd", "root:x:0:0:root:/:/bin/sh"), ("group", "root:x:0:")):
        with open(os.path.join(tree, "etc", name), "w") as file:
            file.write(line + "\n")


def commands():
    """Each session, judged; and two faults that are planted into what the last one left."""
    lines = [f"{SHELL} begin", "load"]
    for name, size, count, events, seconds, more in SESSIONS:
        trace, calls = f"/{name}.trace/kernel", f"/{name}.calls"
        lines += [f"{SHELL} start {name} {size} {count}",
                  CALLS.format(name, events, seconds, more).strip(),
                  f"{SHELL} stop {name}", JUDGE.format(trace, calls),
                  *([f"{SHELL} count {name}"] if name == COUNTED else []), f"{SHELL} clear {name}"]
    lines.pop()
    return lines + [f"{SHELL} alter {name} 5000", JUDGE.format(trace, "/altered.calls"),
                    f"{SHELL} drop {name}", JUDGE.format("/dropped.trace", calls),
                    "unload"]


def status(said):
    return next((line.removeprefix("status ") for line in said if line.startswith("status ")), None)


def traced(said):
    return next((json.loads(line) for line in said if line.startswith('{"traced"')), None)


def judged(found):
    """What the judge said of each session, and of the planted faults, in their order."""
    return [(status(said), traced(said)) for command, *said in found
            if command.startswith("/in-kernel --json --trace")]


def counted(found):
    """How many events another reader found; None: it is not there."""
    said = [" ".join(said) for command, *said in found if command.startswith(f"{SHELL} count")]
    count = re.search(r"(\d+) Event message", said[0]) if said else None
    return int(count.group(1)) if count else None


def wrong(found):
    bad = [f"lttng: {command}: {' '.join(said)}" for command, *said in found
           if not command.startswith("/in-kernel --json") and status(said) not in (None, "0")]
    all_judged = judged(found)
    if len(all_judged) != len(SESSIONS) + 2 or not all(one for _, one in all_judged):
        return bad + [f"lttng: {len(all_judged)} traces were judged"]
    for (name, *_), (code, one) in zip(SESSIONS, all_judged):
        if code != "0" or one["verdict"] != "kept":
            bad.append(f"lttng: {name}: {one}")
        if not one["events"] or not sum(one["hits"].values()):
            bad.append(f"lttng: {name}: nothing came into it")
    if not any(one["depth"]["four"] for _, one in all_judged):
        bad.append("lttng: no NMI came into a hardirq in a softirq in the task")
    (_, small), (_, stalled) = all_judged[1:3]
    if not small["discarded"]:
        bad.append("lttng: small: nothing was discarded")
    if counted(found) not in (None, small["events"]):
        bad.append(f"lttng: {COUNTER} counts {counted(found)} events of {small['events']}")
    if stalled["stalls"] < STALLS_LEAST:
        bad.append(f"lttng: {stalled['stalls']} hardirqs lasted 150 ms in its reserve")
    for what, (code, one), seen in zip(("altered", "dropped"), all_judged[3:], ("late", "unaccounted")):
        if code != "2" or one["verdict"] != "broken" or not one[seen]:
            bad.append(f"lttng: a trace that was {what} was not caught: {one}")
    return bad


def lines(found):
    for (name, size, count, *_), (_, one) in zip(SESSIONS, judged(found)):
        hits = "/".join(str(one["hits"][context]) for context in ("softirq", "hardirq", "nmi"))
        yield (f"lttng, {count} sub-buffers of {size}: {one['events']} of {one['calls']} events, "
               f"{one['discarded']} discarded, {one['interrupting']} nested, hits {hits}, depth 4 "
               f"{one['depth']['four']} times; {one['extended']} whole stamps, {one['equal']} times of "
               f"the event before; {one['early']} before their entry, {one['late']} behind their "
               f"exit, {one['whole_wraps']} off by whole wraps, {one['back']} back, {one['disorder']} out of "
               f"order, {one['unaccounted']} not accounted for"
               + (f", {counted(found)} by {COUNTER}" if name == COUNTED and counted(found) else "")
               + (f"; {one['in_stall']} wrong times of {one['stalls']} tries with a hardirq of 150 ms "
                  "in its reserve" if one["stalls"] else ""))
