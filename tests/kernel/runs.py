# SPDX-License-Identifier: MIT
"""The runs: what the host does to one guest, by mode."""
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from machine import Failure, Machine, die_with_parent

HERE = os.path.dirname(os.path.abspath(__file__))

# nokaslr and noapic change no code: the first lets addresses be compared between runs, the second
# keeps this qemu's IOAPIC from following each serial interrupt with a spurious one, whose own event
# would stamp again at the end of the stall and so hide the fault. quiet: boot without a log.
WORDS = ["console=ttyS0", "quiet", "nokaslr", "noapic", "sysrq_always_enabled=1", "panic=-1"]

LONG_KEY, SHORT_KEY, TIMERS_KEY = b"t", b"m", b"q"
HANDLER_MS = 300 # over two wraps of 2^27 ns; the tasks' listing is made as long as this
PAUSE_S = 0.3
WRAP_NS = 1 << 27

# What a crossing has to meet: the data of a sub-buffer, and the event of a nested interrupt with
# its absolute stamp. Both are checked against the guest.
PAGE_DATA, NESTED_BYTES = 4080, 36
MARKER_OVERHEAD = 8 + 16 + 2 # header with length; common fields and ip; newline and NUL


def marker_bytes():
    """
    A length of text with which the last marker of each page is the one to interrupt: n whole
    records, the nested event and that marker end at the page's end or 4 bytes before it.
    """
    for record in range(400, 1000, 4):
        if (PAGE_DATA - NESTED_BYTES) % record in (0, 4):
            return record - MARKER_OVERHEAD
    raise AssertionError("no such length")


def guest_words(mode, clock):
    words = {"clock": clock}
    if mode == "forced":
        words["handler_ms"] = HANDLER_MS
    elif mode == "crossing":
        words.update(marker_bytes=marker_bytes(), keys=2)
    elif mode == "unforced":
        words.update(run="random", buffer_kb=8)
    return WORDS + [f"stampede_{name}={value}" for name, value in words.items()]


class Debugger:
    """gdb with boundary.py; one JSON object per line in each direction."""

    def __init__(self, machine, plan):
        self.log = open(os.path.join(machine.directory, "gdb.log"), "w+")
        self.machine = machine
        self.process = subprocess.Popen(
            ["gdb", "-nx", "-q", "-batch", "-x", os.path.join(HERE, "boundary.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
            preexec_fn=die_with_parent, start_new_session=True)
        self.tell(plan)

    def tell(self, words):
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()

    def hear(self, where):
        """What gdb says next; it has to be at `where`."""
        self.where = where
        signal.signal(signal.SIGALRM, self.too_late)
        signal.alarm(int(self.machine.left()) + 1)
        try:
            for line in self.process.stdout:
                if not line.startswith("@"):
                    continue
                words = json.loads(line[1:])
                if words.get("at") != where:
                    raise Failure("gdb: " + words.get("failed", f"at {words.get('at')}"))
                return words
        finally:
            signal.alarm(0)
        raise Failure("gdb ended")

    def too_late(self, number, frame):
        raise Failure(f"gdb did not come to \"{self.where}\" within the time limit")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.log.close()


def make_initrd(directory, build, more=()):
    """An archive of files."""
    root = os.path.join(directory, "root")
    os.mkdir(root)
    for path in [os.path.join(build, "kernel", "init"), *more]:
        shutil.copy(path, root)
    path = os.path.join(directory, "initrd")
    with open(path, "wb") as initrd:
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=root, stdout=initrd,
                       input="\n".join(os.listdir(root)).encode(), check=True)
    return path


def data_bytes(machine):
    """How much a sub-buffer of this kernel holds, by its own description."""
    found = re.search(rb"char data;\s*offset:\d+;\s*size:(\d+)", machine.text())
    if not found:
        raise Failure("the guest does not say how large a sub-buffer is")
    return int(found.group(1))


def at_boundary(machine, mode, symbol):
    """Stops the guest at the boundary and lets the interrupt come there. What gdb saw."""
    function, begin, end = symbol.split()[1:]
    if not int(begin, 16):
        raise Failure(f"no {function} in the guest's /proc/kallsyms")
    crossing = mode == "crossing"
    if not crossing:
        machine.send_break()
        time.sleep(0.3)
    debugger = Debugger(machine, {
        "socket": os.path.join(machine.directory, "gdb"), "function": function,
        "begin": int(begin, 16), "end": int(end, 16), "crossing": crossing,
        "page_data": PAGE_DATA})
    try:
        if crossing:
            if data_bytes(machine) != PAGE_DATA:
                raise Failure(f"a sub-buffer does not hold {PAGE_DATA} bytes here")
            debugger.hear("rehearsal")
            machine.send_key(b"x")
            machine.await_pending()
            debugger.tell({})
            nested = debugger.hear("rehearsed")["nested_bytes"]
            if nested != NESTED_BYTES:
                raise Failure(f"an interrupt's event takes {nested} bytes here, and not "
                              f"{NESTED_BYTES}: markers do not come to lie as they must")
            debugger.tell({})
        seen = debugger.hear("claim")
        if crossing:
            machine.send_break()
        else:
            machine.send_key(LONG_KEY if mode == "forced" else SHORT_KEY)
        machine.await_pending()
        if mode == "paused":
            # What it prints shows that it has recorded its event, and is still in the handler.
            machine.pause_at_output(PAUSE_S)
        debugger.tell({})
        if crossing:
            seen.update(debugger.hear("behind"))
            machine.send_key(SHORT_KEY)
            machine.await_pending()
            debugger.tell({})
        seen.update(debugger.hear("returned"))
        debugger.tell({})
        debugger.hear("gone")
    finally:
        debugger.close()
    return seen


def at_random(machine):
    """Long interrupts at any moment until one hits; how many it took."""
    machine.single_steps()
    requests = 0
    while True:
        machine.await_line(b"ready")
        machine.send_break()
        time.sleep(random.uniform(0.05, 0.07))
        machine.send_key(TIMERS_KEY)
        try:
            answer = machine.await_line(b"request ")
        except Failure as error:
            if "time limit" not in str(error):
                raise
            return {"requests": requests, "hit": False}
        requests += 1
        if answer.endswith(" hit"):
            return {"requests": requests, "hit": True}


def judge(options, directory, seen):
    """What build/kernel-verdict says of the capture."""
    capture, verdict = os.path.join(directory, "data"), os.path.join(directory, "verdict.json")
    command = [os.path.join(options.build, "kernel-verdict"), "--json", verdict]
    if "info_ts" in seen:
        command += ["--witness", f"{seen['info_ts']},{seen['info_delta']},{seen['header']}"]
    done = subprocess.run(command + [capture], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise Failure((done.stderr.strip() or "kernel-verdict failed").splitlines()[-1])
    with open(verdict) as file:
        return json.load(file), done.stdout


def follow(machine, mode):
    symbol = machine.await_line(b"symbol ")
    if mode == "unforced":
        seen = at_random(machine)
        if not seen["hit"]:
            return seen
    else:
        machine.await_line(b"ready")
        seen = at_boundary(machine, mode, symbol)
    machine.await_line(b"end")
    return seen


def attempt(mode, kernel, options, directory, run):
    initrd = make_initrd(directory, options.build)
    machine = Machine(directory, kernel, initrd, guest_words(mode, options.clock),
                      options.seconds)
    try:
        run["boundary"] = seen = follow(machine, mode)
    finally:
        machine.close()
    if seen.get("hit") is False:
        run["outcome"] = "not shown"
        return
    run["verdict"], run["timeline"] = judge(options, directory, seen)
    with open(os.path.join(directory, "data"), errors="replace") as data:
        run["capture"] = data.read()
    run["outcome"] = "shown" if run["verdict"]["wrong_time"] else "not shown"
    lasted = handler_ns(run["verdict"])
    if mode == "control" and lasted >= WRAP_NS:
        run["outcome"] = "no verdict"
        run["why"] = f"the short handler lasted {lasted / 1e6:.0f} ms here: no control"


def handler_ns(verdict):
    """How long the interrupt lasted that a task's event was found in."""
    interrupt = verdict.get("wrong", {}).get("interrupt")
    return interrupt["exit_ns"] - interrupt["entry_ns"] if interrupt else 0


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(mode, kernel, options):
    """One guest from boot to verdict; a failure of the run itself is an outcome, too."""
    directory = tempfile.mkdtemp(prefix="stampede-kernel-")
    begin, used = time.monotonic(), cpu_seconds()
    result = {"mode": mode, "outcome": "no verdict"}
    try:
        attempt(mode, kernel, options, directory, result)
    except (Failure, OSError, subprocess.SubprocessError) as error:
        result["why"] = str(error)
    finally:
        result["seconds"] = time.monotonic() - begin
        result["cpu_seconds"] = cpu_seconds() - used
        if options.keep:
            shutil.copytree(directory, os.path.join(options.keep, os.path.basename(directory)),
                            ignore=lambda where, names: [
                                name for name in names
                                if not os.path.isfile(os.path.join(where, name))])
        shutil.rmtree(directory, ignore_errors=True)
    return result
