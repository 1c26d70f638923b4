# SPDX-License-Identifier: MIT
"""The programs that are traced, and what they are given to do."""
import copy
import itertools
import os
import shlex
import shutil
import signal
import socket
import subprocess
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
JUDGED_WORK = 0.1  # of what is timed

SQL = """CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {rows})
INSERT INTO t SELECT x, printf('name %d', x * 7919 % {rows}), x * 0.5 FROM n;
CREATE INDEX i ON t (b);
SELECT count(*), sum(c) FROM t WHERE b LIKE '%99%';
SELECT b, count(*), group_concat(a) FROM t GROUP BY substr(b, 1, 8) ORDER BY 2 DESC LIMIT 10;
UPDATE t SET b = b || 'x' WHERE a % 3 = 0;
SELECT count(*) FROM t x JOIN t y ON x.b = y.b || 'x';
PRAGMA synchronous = OFF;
""" + "INSERT INTO t (b, c) VALUES ('one more', 1);\n" * 500
PYTHON = """import json, re
for i in range({rounds}):
    rows = [dict(number=n, name=f"name {{n}}", parts=[n, n / 2, str(n)]) for n in range(2000)]
    text = json.dumps(rows)
    again = json.loads(text)
    words = re.findall(r"name (\\d+)", text)
    assert sorted(words, key=int) == [str(one["number"]) for one in again]
"""


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        its = dict(line.strip().replace("\t", "").split(":", 1) for line in file if ":" in line)
    return " ".join([its.get("model name", "unknown").strip(), "family", its.get("cpu family", "?").strip()])


ALLOWED = os.sched_getaffinity(0)
CPU = max(ALLOWED)
TURN_S = 0.02  # cold caches at the beginning of a turn are less than 1 % of it
ending = threading.Event()  # programs that still run are killed
addresses = itertools.count()


def keep_off():
    """This thread, and clients that it starts, leave the programs' CPU to them."""
    os.sched_setaffinity(0, ALLOWED - {CPU} or ALLOWED)


class Turns:
    """Programs that are started in the same round run on one CPU, one at a time: all others are stopped."""

    def __init__(self):
        self.lock, self.groups, self.left = threading.Condition(), [], threading.Event()

    def signal(self, group, what):
        try:
            os.killpg(group, what)
        except ProcessLookupError:
            pass

    def join(self, group):
        with self.lock:
            if self.groups:
                self.signal(group, signal.SIGSTOP)
            self.groups.append(group)
            self.lock.notify()

    def leave(self, group):
        with self.lock:
            self.groups.remove(group)
            self.left.set()

    def give(self):
        """For a thread of its own: a turn to each."""
        while True:
            with self.lock:
                while not self.groups:
                    self.lock.wait()
                group = self.groups.pop(0)
                self.groups.append(group)
                self.signal(group, signal.SIGCONT)
            self.left.clear()
            self.left.wait(TURN_S)
            with self.lock:
                if len(self.groups) > 1 and group in self.groups:
                    self.signal(group, signal.SIGSTOP)


turns = Turns()
threading.Thread(target=turns.give, daemon=True).start()


def waited(child, timeout_s):
    """Status and usage; a child that hangs is killed, and so shows as ended by a signal."""
    end = time.monotonic() + timeout_s
    try:
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                child.returncode = status
                return status, usage
            if ending.is_set() or time.monotonic() > end:
                turns.signal(child.pid, signal.SIGKILL)
            time.sleep(0.005)
    finally:
        turns.leave(child.pid)
        if child.returncode is None:
            turns.signal(child.pid, signal.SIGKILL)


class Program:
    kinds = ("malloc", "calls")

    def __init__(self, name, says, package, work, usual, words):
        self.name, self.says, self.package, self.work, self.usual = name, says, package, work, usual
        self.words = words  # of (folder, amount), the command line
        self.folder, self.does_nothing = None, name == "true"

    def prepare(self, bench):
        """Why it cannot run; empty if it can."""
        self.folder = os.path.join(bench.scratch, "work")
        program = self.words(self.folder, 1)[0]
        if not shutil.which(program, path="/usr/bin:/bin"):
            return f"no {program}" + (f" (package {self.package})" if self.package else "")
        return ""

    def small(self):
        its = copy.copy(self)
        its.work *= JUDGED_WORK
        return its

    def amount(self):
        return max(1, round(self.work * self.usual))

    def start(self, words, env, identity, folder, **more):
        os.sched_setaffinity(0, {CPU})  # of this thread, so that the child never runs elsewhere
        child = subprocess.Popen(words, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, start_new_session=True, **identity, **more)
        turns.join(child.pid)
        keep_off()
        return child

    def run(self, env, identity, folder, timeout_s):
        """In `folder`, where it may write."""
        return waited(self.start(self.words(self.folder, self.amount()), env, identity, folder), timeout_s)


class Gcc(Program):
    """A file of this tree, preprocessed, and a smaller one to be judged."""

    def prepare(self, bench):
        why = super().prepare(bench)
        if why:
            return why
        for name, source in (("large.c", "judge/check.c"), ("small.c", "base/stats.c")):
            done = subprocess.run(["gcc", "-E", "-P", "-D_GNU_SOURCE", "-I.", source, "-o", f"{self.folder}/{name}"],
                                  cwd=TOP, check=False)
            if done.returncode:
                return f"gcc -E {source} failed"
        return ""


class Xz(Program):
    def prepare(self, bench):
        why = super().prepare(bench)
        if not why:
            # The headers of this tree: every clone has them.
            names = sorted(os.path.join(at, name) for at, _, names in os.walk(os.path.join(TOP, "schemes"))
                           for name in names if name.endswith(".h"))
            text = b"".join(open(one, "rb").read() for one in names)
            for size in {self.amount(), self.small().amount()}:
                with open(f"{self.folder}/text{size}", "wb") as file:
                    file.write((text * (1 + size * 1024 // len(text)))[:size * 1024])
        return why


class Codec(Program):
    """Built twice, by us: as it is, and with hooks at each function's entry and exit."""
    kinds = ("functions",)

    def prepare(self, bench):
        self.folder = os.path.join(bench.scratch, "work")
        if not os.path.exists("/usr/include/stb/stb_image_write.h"):
            return f"no stb_image_write.h (package {self.package})"
        for name, flags in (("codec", []), ("codec.hooks", ["-finstrument-functions"])):
            done = subprocess.run(["gcc", "-O2", "-w", *flags, f"{HERE}/codec.c", "-o", f"{self.folder}/{name}", "-lm"],
                                  capture_output=True, text=True, check=False)
            if done.returncode:
                return f"gcc: {done.stderr.strip().splitlines()[:1]}"
        return ""

    def run(self, env, identity, folder, timeout_s):
        hooks = ".hooks" if "LD_PRELOAD" in env else ""
        return waited(self.start([f"{self.folder}/codec{hooks}", str(self.amount())], env, identity, folder), timeout_s)


class Redis(Program):
    """The server is traced; its client, redis-benchmark, is not."""

    def run(self, env, identity, folder, timeout_s):
        # An address of its own: servers at the same time cannot meet.
        number, port = next(addresses), 6379
        host = f"127.77.{number // 250 % 250}.{number % 250 + 1}"
        # Debian's redis-check-rdb is the server by another name, and comes without a service that is started.
        server = self.start(["redis-server", "--port", str(port), "--bind", host, "--save", "", "--dir", folder],
                            env, identity, folder, executable="/usr/bin/redis-check-rdb")
        try:
            for _ in range(1000):
                with socket.socket() as client:
                    if client.connect_ex((host, port)) == 0:
                        break
                time.sleep(0.01)
            subprocess.run(["redis-benchmark", "-h", host, "-n", str(self.amount()), "-c", "20", "-t",
                            "set,get,lpush,lrange_100", "-r", "10000", "-q"], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=timeout_s, check=False)
            with socket.create_connection((host, port)) as client:
                client.sendall(b"SHUTDOWN NOSAVE\r\n")
        except (OSError, subprocess.TimeoutExpired):
            turns.signal(server.pid, signal.SIGKILL)
        except BaseException:
            turns.signal(server.pid, signal.SIGKILL)
            raise
        return waited(server, timeout_s)


def all_programs(work, commands, names):
    """Those of `names`, or all, and the caller's."""
    found = [
        Program("true", "does nothing: what starting costs", "coreutils", work, 1, lambda folder, amount: ["true"]),
        Program("sqlite3", "inserts, an index, updates and joins in a file", "sqlite3", work, 40000,
                lambda folder, amount: ["sqlite3", "db", SQL.format(rows=amount)]),
        Gcc("gcc", "gcc -O2 -c of judge/check.c, with cc1 and as", "gcc", work, 10,
            lambda folder, amount: ["gcc", "-O2", "-c", f"{folder}/{'large' if amount > 5 else 'small'}.c", "-o", "out.o"]),
        Program("python3", "JSON, a sort and a regular expression", "python3", work, 40,
                lambda folder, amount: ["/usr/bin/python3", "-c", PYTHON.format(rounds=amount)]),
        Xz("xz", "xz -T1 -3 of text", "xz-utils", work, 5000,
           lambda folder, amount: ["xz", "-T1", "-3", "-k", "-c", f"{folder}/text{amount}"]),
        Redis("redis", "redis-server under redis-benchmark, by loopback", "redis-tools", work, 10000,
              lambda folder, amount: ["redis-benchmark"]),
        Codec("codec", "stb_image: PNG and JPEG, written and read", "libstb-dev", work, 8, None),
    ]
    for one in names or ():
        if one not in [its.name for its in found]:
            raise SystemExit(f"stampede: no program is called '{one}'; choose from "
                             f"{' '.join(its.name for its in found)}")
    found = [one for one in found if names is None or one.name in names]
    for one in commands:
        name, _, line = one.partition("=")
        found.append(Program(name, line, "", work, 1, lambda folder, amount, line=line: shlex.split(line)))
    return found
