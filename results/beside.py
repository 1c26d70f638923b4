# SPDX-License-Identifier: MIT
"""Records beside those of bench: RESULTS/<UTC>-NAME/, and RESULTS/latest-KEY, which make bench takes over."""
import contextlib
import itertools
import os
import time


def put(path, text):
    """Whole or not at all."""
    with open(path + ".tmp", "w") as file:
        file.write(text)
    os.replace(path + ".tmp", path)


def place(results, begun, name):
    """A new directory for what began then."""
    base = os.path.join(results, time.strftime("%Y%m%dT%H%M%SZ", begun) + "-" + name)
    for number in itertools.count(1):
        path = base if number == 1 else f"{base}-{number}"
        try:
            os.makedirs(path)
            return path
        except FileExistsError:
            continue


def point_to(directory, key):
    """latest-KEY beside it is that directory from now on."""
    results, name = os.path.split(directory)
    link = os.path.join(results, f".latest-{key}.tmp")
    with contextlib.suppress(FileNotFoundError):  # a run that was killed may have left one
        os.unlink(link)
    os.symlink(name, link)
    os.replace(link, os.path.join(results, "latest-" + key))
