# SPDX-License-Identifier: MIT
"""Debian's kernels as files: fetched by apt, taken out of their package, never installed."""
import glob
import os
import re
import subprocess
import tempfile

from machine import Failure

# Debian 12's own series and the newer one that its security archive carries beside it.
SERIES = {"6.12": "linux-image-6.12-cloud-amd64", "6.1": "linux-image-cloud-amd64"}


class Missing(Exception):
    """Something this needs is not to be had; the text says what and what to do."""


def output(*command, directory=None):
    try:
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=600)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"{command[0]}: {error}") from None
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip() or "failed").splitlines()
        raise Missing(f"{' '.join(command)}: {lines[-1]}")
    return done.stdout


def dependency(package):
    """The package with the image that a package without one depends on."""
    for line in output("apt-cache", "depends", package).splitlines():
        found = re.match(r"\s*Depends: (linux-image-\d\S+)", line)
        if found:
            return found.group(1)
    return package


def unpack(package, scratch):
    """A package's files in `scratch`, of which nothing is installed."""
    print(f"fetching  {package}", flush=True)
    output("apt-get", "download", package, directory=scratch)
    packages = glob.glob(os.path.join(scratch, "*.deb"))
    if not packages:
        raise Missing(f"apt-get download {package} left no package")
    output("dpkg-deb", "-x", packages[0], scratch)
    os.remove(packages[0])


def fetch(package, directory):
    """The image of a package, in `directory`."""
    image = os.path.join(directory, "vmlinuz-" + package.removeprefix("linux-image-"))
    if os.path.exists(image):
        return image
    os.makedirs(directory, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        unpack(package, scratch)
        images = glob.glob(os.path.join(scratch, "boot", "vmlinuz-*"))
        if not images:
            raise Missing(f"{package} has no boot/vmlinuz-*: it is no kernel package")
        os.rename(images[0], image)
    return image


def busybox(directory):
    """A shell and its tools in one file, for a guest that has nothing else, in `directory`."""
    path = os.path.join(directory, "busybox")
    if not os.path.exists(path):
        with tempfile.TemporaryDirectory(dir=directory) as scratch:
            unpack("busybox-static", scratch)
            os.rename(os.path.join(scratch, "bin", "busybox"), path)
    return path


def headers(release, directory):
    """What a module for the kernel of that release is built against, in `directory`."""
    root = os.path.join(os.path.abspath(directory), "headers-" + release)
    sources = os.path.join(root, "usr", "src")
    tree = os.path.join(sources, "linux-headers-" + release)
    if os.path.exists(root):
        return tree
    package = "linux-headers-" + release
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        unpack(package, scratch)
        for line in output("apt-cache", "depends", package).splitlines():
            found = re.match(r"\s*Depends: (linux-headers-\S+-common|linux-kbuild-\S+)", line)
            if found:
                unpack(found.group(1), scratch)
        # They name where they would be if they were installed.
        for name in ("Makefile", ".kernelvariables"):
            path = os.path.join(scratch, os.path.relpath(tree, root), name)
            with open(path) as file:
                text = file.read()
            with open(path, "w") as file:
                file.write(text.replace("/usr/src/", sources + "/"))
        os.chmod(scratch, 0o755)
        os.rename(scratch, root)
        os.mkdir(scratch)
    return tree


def release_of(image):
    return os.path.basename(image).removeprefix("vmlinuz-")


def find(wanted, directory):
    """The image of what KERNEL= says: a file, a package, a series, or nothing."""
    if os.path.isfile(wanted):
        return wanted
    if "/" in wanted:
        raise Failure(f"no such kernel image: {wanted}")
    if wanted:
        return fetch(dependency(SERIES.get(wanted, wanted)), directory)
    problem = None
    for package in SERIES.values():
        try:
            return fetch(dependency(package), directory)
        except Missing as error:
            problem = problem or error
    raise Missing(f"{problem}; apt-get update may help, or KERNEL=/path/to/bzImage")
