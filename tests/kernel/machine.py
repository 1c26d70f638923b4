# SPDX-License-Identifier: MIT
"""One guest under qemu: started, spoken to, and ended, whatever happens."""
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

PR_SET_PDEATHSIG = 1


def die_with_parent():
    """In a child: it does not outlive the driver, however that ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Failure(Exception):
    """The run gave no verdict; the text says why."""


class Machine:
    """The processes of one run and the sockets to them, in a directory of its own."""

    def __init__(self, directory, kernel, initrd, words, seconds, processors=1,
                 accelerator="tcg,thread=single", more=()):
        self.directory = directory
        self.deadline = time.monotonic() + seconds
        self.data_path = os.path.join(directory, "data")
        self.seen = 0
        self.log = open(os.path.join(directory, "qemu.log"), "wb")
        def line(name):
            return f"socket,id={name},path={os.path.join(directory, name)},server=on,wait=off"
        self.qemu = subprocess.Popen(
            ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-machine", "pc",
             "-accel", accelerator, "-m", "256", "-smp", str(processors),
             "-nic", "none",
             "-display", "none", "-no-reboot", "-kernel", kernel, "-initrd", initrd,
             "-append", " ".join(words),
             *more, "-chardev", line("console"), "-serial", "chardev:console",
             "-chardev", f"file,id=data,path={self.data_path}", "-serial", "chardev:data",
             "-chardev", line("qmp"), "-mon", "chardev=qmp,mode=control"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            preexec_fn=die_with_parent, start_new_session=True)
        self.console = None
        try:
            self.console = self.connect("console")
            threading.Thread(target=self.drain, daemon=True).start()
            self.qmp = self.connect("qmp").makefile("rw")
            self.qmp.readline()
            self.command("qmp_capabilities")
        except OSError:
            self.close()
            raise self.ended() from None
        except BaseException:
            self.close()
            raise

    def left(self):
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Failure("it took longer than its time limit")
        return left

    def alive(self):
        return self.qemu.poll() is None

    def ended(self):
        """What qemu said before it ended on its own."""
        with open(self.log.name, errors="replace") as log:
            return Failure("qemu ended: " + (log.read().strip()[-200:] or "without a word"))

    def connect(self, name):
        while True:
            try:
                there = socket.socket(socket.AF_UNIX)
                there.connect(os.path.join(self.directory, name))
                return there
            except OSError:
                there.close()
                if not self.alive():
                    raise self.ended() from None
                self.left()
                time.sleep(0.05)

    def drain(self):
        """Reads the console: an unread one would make the guest's printing wait for us."""
        with open(os.path.join(self.directory, "console.log"), "wb") as log:
            try:
                while True:
                    text = self.console.recv(65536)
                    if not text:
                        break
                    log.write(text)
                    log.flush()
            except OSError:
                pass

    def command(self, name, **arguments):
        self.qmp.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.qmp.flush()
        while True:
            line = self.qmp.readline()
            if not line:
                raise Failure(f"qemu ended at {name}")
            answer = json.loads(line)
            if "error" in answer:
                raise Failure(f"qemu: {name}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def monitor(self, text):
        return self.command("human-monitor-command", **{"command-line": text})

    def single_steps(self):
        """From now on an interrupt can come at any instruction, not only behind jumps."""
        # The one instruction per translation block has had two names.
        if "unknown command" in self.monitor("one-insn-per-tb on"):
            if "unknown command" in self.monitor("singlestep on"):
                raise Failure("this qemu cannot take one instruction at a time")

    def text(self):
        try:
            with open(self.data_path, "rb") as data:
                return data.read()
        except FileNotFoundError:
            return b""

    def await_line(self, start):
        """Waits for the guest to write a further line that begins so; returns it."""
        while True:
            text = self.text()
            for at in range(2):
                found = text.find(b"\n" + start if not at else start, self.seen)
                if found < 0 or (at and found):
                    continue
                end = text.find(b"\n", found + 1)
                if end >= 0:
                    self.seen = end
                    return text[found:end].strip().decode("ascii", "replace")
            failed = text.find(b"\nfailed ")
            if failed >= 0:
                raise Failure("the guest: " + text[failed:].split(b"\n")[1].decode())
            if not self.alive():
                raise Failure(f"the guest ended before it said \"{start.decode().strip()}\"")
            self.left()
            time.sleep(0.02)

    def close(self):
        if self.alive():
            self.qemu.kill()
        self.qemu.wait()
        if self.console:
            self.console.close()
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
