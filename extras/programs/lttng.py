# SPDX-License-Identifier: MIT
"""LTTng-UST with a session daemon of our own: one that keeps the newest events, and one that writes all."""
import os
import shutil
import subprocess
import tempfile
import time


class Lttng:
    """self.env is what a program needs in its environment."""

    def __init__(self, scratch, identity, say):
        self.home, self.identity, self.say = os.path.join(scratch, "lttng"), identity, say
        self.env = {"HOME": self.home, "LTTNG_HOME": self.home, "LTTNG_UST_REGISTER_TIMEOUT": "5000"}
        self.started = None

    def call(self, *words):
        # To files: a daemon would keep a pipe open.
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            done = subprocess.run(words, env={"PATH": "/usr/bin:/bin", **self.env}, stdout=out, stderr=err,
                                  stdin=subprocess.DEVNULL, check=False, cwd=self.home, **self.identity)
            for file in (out, err):
                file.seek(0)
            done.stdout, done.stderr = out.read(), err.read()
        return done

    def start(self):
        """Whether it runs; why not is said once. From then on it overwrites, as the rings do that are timed."""
        if self.started is not None:
            return self.started
        self.started = False
        if not shutil.which("lttng-sessiond") or not shutil.which("babeltrace2"):
            self.say("lttng is left out: no lttng-sessiond or babeltrace2 (packages lttng-tools babeltrace2)")
            return False
        os.makedirs(self.home)
        if self.identity:
            shutil.chown(self.home, "nobody", "nogroup")
        done = self.call("lttng-sessiond", "--no-kernel", "--background", f"--pidfile={self.home}/pid")
        if done.returncode == 0:
            done = self.create("--snapshot")
        self.started = done.returncode == 0
        if not self.started:
            self.say(f"lttng is left out: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
        return self.started

    def create(self, how):
        for words in (["create", "stampede", how],
                      ["enable-channel", "--userspace", "--subbuf-size=256K", "--num-subbuf=4", "c"],
                      ["enable-event", "--userspace", "--channel=c", "stampede_programs:call"], ["start"]):
            done = self.call("lttng", "--no-sessiond", *words)
            if done.returncode:
                break
        return done

    def judge(self, bench, program, kind):
        """What is read and what is discarded are all events that were counted. The session writes meanwhile."""
        self.call("lttng", "--no-sessiond", "destroy", "stampede")
        trace = os.path.join(self.home, "trace")
        self.create(f"--output={trace}")
        try:
            _, folder = bench.run(program.small(), kind, "lttng", more=self.env)
        finally:
            self.call("lttng", "--no-sessiond", "destroy", "stampede")
            self.create("--snapshot")
        counted = bench.counts(folder)[0]
        done = self.call("babeltrace2", "--clock-cycles", "--no-delta", "--names=none", trace)
        lines = [line for line in done.stdout.splitlines() if line.startswith("[")]
        lost = sum(int(line.split("discarded ")[1].split()[0]) for line in done.stderr.splitlines()
                   if "discarded " in line and line.split("discarded ")[1].split()[0].isdigit())
        size = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(trace) for name in names
                   if name.startswith("c_"))
        shutil.rmtree(folder)
        shutil.rmtree(trace, ignore_errors=True)
        # Times of one order cannot go back: only the count is judged here, and the times by judge-tracer.
        wrong = [] if len(lines) + lost == counted else [f"{counted} counted, {len(lines)} read, {lost} discarded"]
        return {"judged": [f"{counted} events: {len(lines)} read, {lost} discarded; times are judged by judge-tracer"],
                "wrong": wrong, "bytes": size / len(lines) if len(lines) > 500 else None}

    def stop(self):
        if not self.started:
            return
        self.call("lttng", "--no-sessiond", "destroy", "--all")
        try:
            with open(f"{self.home}/pid", encoding="ascii") as file:
                os.kill(int(file.read()), 15)
        except (OSError, ValueError):
            return
        for _ in range(50):
            if not os.path.exists(f"{self.home}/pid"):
                break
            time.sleep(0.1)
