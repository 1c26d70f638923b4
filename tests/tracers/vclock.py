# SPDX-License-Identifier: MIT
"""Reads clocks and sets masks below extras/tracers/vclock.c, which is preloaded. usage: vclock.py VCLOCK.SO"""
import ctypes
import errno
import mmap
import os
import signal
import struct
import subprocess
import sys
import threading
import time

CLOCK, REALTIME, OWNER, MASKED = (0, "Q"), (8, "Q"), (52, "i"), (56, "I")
S, TAI, COARSE, MONOTONIC_COARSE = 10 ** 9, 11, 5, 6
libc = ctypes.PyDLL(None, use_errno=True)  # which keeps the lock of Python, whose waits read clocks
page = mmap.mmap(os.open(os.environ["EVERY_PAGE"], os.O_RDWR), 4096)
libc.time.restype = ctypes.c_long


def put(at, value):
    struct.pack_into(at[1], page, at[0], value)


def got(at):
    return struct.unpack_from(at[1], page, at[0])[0]


def reads(read):
    """What it says when the word is 3.123456782 s, and by how much it moves it."""
    put(CLOCK, 3 * S + 123456782)
    return read(), got(CLOCK) - 3 * S - 123456782


def of_day():
    two = (ctypes.c_long * 2)()
    assert libc.gettimeofday(two, None) == 0
    return tuple(two)


def both():
    into = ctypes.c_long()
    return libc.time(ctypes.byref(into)), into.value, libc.time(None)


put(REALTIME, 5 * S)
of_day(), both()  # the first look at a function reads clocks, too
for clock, seconds in ((time.CLOCK_MONOTONIC, 3), (time.CLOCK_BOOTTIME, 3), (MONOTONIC_COARSE, 3), (time.CLOCK_REALTIME, 8), (COARSE, 8), (TAI, 8)):
    assert reads(lambda: time.clock_gettime_ns(clock)) == (seconds * S + 123456789, 7), clock
assert reads(of_day) == ((8, 123456), 7) and reads(both) == ((8, 8, 8), 14)
for clock in time.CLOCK_PROCESS_CPUTIME_ID, time.CLOCK_THREAD_CPUTIME_ID:
    said, moved = reads(lambda: time.clock_gettime_ns(clock))
    assert 0 < said < 3 * S and not moved, (clock, said)
put(CLOCK, 0)
assert time.time() > 1e9 and not got(CLOCK)

TRAP, ALARM, USER, OTHER = signal.SIGTRAP, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2
mask = signal.pthread_sigmask
for owner, steps in ((0, {TRAP, ALARM}), (threading.get_native_id(), set())):
    put(OWNER, owner)
    for how, some, now in ((signal.SIG_BLOCK, {TRAP, ALARM, OTHER}, steps | {OTHER}), (signal.SIG_BLOCK, {USER}, steps | {OTHER, USER}),
                           (signal.SIG_UNBLOCK, {OTHER}, steps | {USER}), (signal.SIG_UNBLOCK, {TRAP, ALARM, USER}, set()),
                           (signal.SIG_SETMASK, {TRAP, ALARM, USER}, steps | {USER}), (signal.SIG_SETMASK, {TRAP, ALARM}, steps)):
        before = mask(signal.SIG_BLOCK, ())
        assert mask(how, some) == before and mask(signal.SIG_BLOCK, ()) == now, (owner, how, some)
        assert got(MASKED) == (USER in now and bool(owner)), (owner, how, some)
    old = (ctypes.c_uint64 * 16)(*[~0] * 16)
    some = (ctypes.c_uint64 * 16)(1 << USER - 1)
    assert libc.sigprocmask(signal.SIG_BLOCK, some, old) == 0 and old[0] == sum(1 << one - 1 for one in steps)
    assert libc.pthread_sigmask(77, None, old) == 0 and old[0] == sum(1 << one - 1 for one in steps | {USER})
    assert libc.pthread_sigmask(77, some, None) == errno.EINVAL
    assert libc.sigprocmask(77, some, None) == -1 and ctypes.get_errno() == errno.EINVAL
    mask(signal.SIG_SETMASK, ())

# Without the page, or of a tracer that reads the TSC, the clocks are the machine's.
for environment in {"EVERY_CLOCK": "tsc"}, {"EVERY_PAGE": "/none"}, {"EVERY_PAGE": None}:
    put(CLOCK, 1)
    own = {key: value for key, value in {**os.environ, **environment}.items() if value}
    said = subprocess.run([sys.executable, "-c", "import time; print(time.time() > 1e9)"], env=own, capture_output=True, check=True).stdout
    assert said == b"True\n", environment
