# SPDX-License-Identifier: MIT
"""A kernel of Debian's source with ftrace's claim as one loop: unpacked, edited, configured, built."""
import os
import re
import shutil
import subprocess

from machine import Failure, die_with_parent

HERE = os.path.dirname(os.path.abspath(__file__))
RING_BUFFER = "kernel/trace/ring_buffer.c"

# On top of tinyconfig. No more than a shell-less guest with two serial lines and the function
# tracers needs: it is compiled in minutes.
ON = """64BIT SMP PRINTK TTY SERIAL_8250 SERIAL_8250_CONSOLE BLK_DEV_INITRD BINFMT_ELF DEVTMPFS
PROC_FS PROC_SYSCTL SYSFS DEBUG_FS FTRACE FUNCTION_TRACER FUNCTION_GRAPH_TRACER DYNAMIC_FTRACE
FTRACE_SYSCALLS HIGH_RES_TIMERS NO_HZ_IDLE KALLSYMS KALLSYMS_ALL MULTIUSER FUTEX POSIX_TIMERS BUG
CC_OPTIMIZE_FOR_PERFORMANCE UNWINDER_ORC PROCESSOR_SELECT CPU_SUP_INTEL""".split()
OFF = """PCI ACPI PM SUSPEND CPU_FREQ CPU_SUP_AMD CPU_SUP_HYGON CPU_SUP_CENTAUR CPU_SUP_ZHAOXIN
CPU_MITIGATIONS SPECULATION_MITIGATIONS MICROCODE SERIO INPUT VT UNIX98_PTYS LEGACY_PTYS HID_SUPPORT
HWMON THERMAL CC_OPTIMIZE_FOR_SIZE""".split()


def replaced(text, old, new):
    """Exactly once, or this source is not one that this was written for."""
    if text.count(old) != 1:
        raise Failure(f"{RING_BUFFER}: {text.count(old)} times, not once: {old.strip()!r}")
    return text.replace(old, new)


def edited(text):
    with open(os.path.join(HERE, "retry_reserve.inc")) as file:
        ours = file.read()
    text = replaced(text, "\n__rb_reserve_next(struct", "\nstampede_stock(struct")
    text = replaced(text, "static __always_inline struct ring_buffer_event *\n"
                    "rb_reserve_next_event(",
                    ours + "\nstatic __always_inline struct ring_buffer_event *\n"
                    "rb_reserve_next_event(")
    text = replaced(text, "struct rb_event_info {\n",
                    "struct rb_event_info {\n\tunsigned long stampede_attempts, stampede_pages;\n")
    begin = text.index("\nrb_reserve_next_event(")
    rest = replaced(text[begin:text.index("\n}\n", begin)], "\n again:\n",
                    "\n\tinfo.stampede_attempts = info.stampede_pages = 0;\n again:\n")
    return text[:begin] + rest + text[text.index("\n}\n", begin):]


def run(tree, seconds, *command):
    """In the tree; what it says goes into a file beside it, whose end is told if it fails."""
    log = tree + ".log"
    with open(log, "w") as output:
        process = subprocess.Popen(command, cwd=tree, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=output, preexec_fn=die_with_parent)
        try:
            status = process.wait(timeout=seconds)
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if status:
        with open(log, errors="replace") as output:
            last = (output.read().strip() or "no word").splitlines()[-1]
        raise Failure(f"{' '.join(command)}: {last}; see {log}")


def unpack(version, tree):
    archive = f"/usr/src/linux-source-{version}.tar.xz"
    if not os.path.exists(archive):
        raise Failure(f"no {archive}; as root: apt-get install linux-source-{version}")
    print(f"unpacking {archive}", flush=True)
    scratch = tree + ".part"
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    run(scratch, 600, "tar", "-xf", archive, "--strip-components=1")
    shutil.copy(os.path.join(scratch, RING_BUFFER), os.path.join(scratch, RING_BUFFER + ".debian"))
    os.rename(scratch, tree)


def edit(tree):
    """Today's text of ours; make sees a change only where there is one."""
    path = os.path.join(tree, RING_BUFFER)
    with open(path + ".debian") as file:
        text = edited(file.read())
    with open(path) as file:
        if file.read() == text:
            return
    with open(path, "w") as file:
        file.write(text)


def configure(tree, jobs):
    run(tree, 600, "make", jobs, "tinyconfig")
    config = os.path.join(tree, ".config")
    with open(config) as file:
        text = file.read()
    text = "".join(line + "\n" for line in text.splitlines()
                   if not re.match(r"(# )?CONFIG_(%s)[ =]" % "|".join(ON + OFF), line))
    text += "".join(f"CONFIG_{name}=y\n" for name in ON)
    text += "CONFIG_NR_CPUS=2\n" + "".join(f"# CONFIG_{name} is not set\n" for name in OFF)
    with open(config, "w") as file:
        file.write(text)
    run(tree, 600, "make", jobs, "olddefconfig")
    with open(config) as file:
        lines = set(file.read().splitlines())
    lost = [name for name in ON if f"CONFIG_{name}=y" not in lines]
    if lost:
        raise Failure("this kernel's configuration refused " + " ".join(lost))


def build(version, directory, jobs, seconds):
    """The image of that version's source, edited; what is built stays."""
    tree = os.path.abspath(os.path.join(directory, f"linux-{version}-retry"))
    image = os.path.join(tree, "arch/x86/boot/bzImage")
    if not os.path.isdir(tree):
        os.makedirs(directory, exist_ok=True)
        unpack(version, tree)
    if not os.path.exists(os.path.join(tree, ".config")):
        configure(tree, jobs)
    edit(tree)
    print(f"building  {tree}: the first time some minutes to half an hour", flush=True)
    run(tree, seconds, "nice", "make", jobs, "bzImage")
    return image
