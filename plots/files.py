# SPDX-License-Identifier: MIT
"""Exit codes, the one line that says why, and files that appear whole or not at all."""
import errno
import os
import signal
import sys

FINE = 0
HARNESS = 1  # usage, or a file that is not what it should be
BROKEN = 2  # a promise
RESOURCE = 3  # disk full, not writable, out of memory
UNSUPPORTED = 4  # no gnuplot here, or no Jinja2
INTERRUPTED = 5  # something is missing
NOISY = 7  # what was asked for cannot be told apart

DEBIANS_PYTHON = "/usr/bin/python3"


class Failed(Exception):
    """Ends the program with `status` after `line` on stderr."""

    def __init__(self, status, line):
        super().__init__(line)
        self.status = status
        self.line = line


def complain(line):
    # Names that come from files may hold control characters: one line stays one line.
    line = "".join(" " if char < " " else char for char in line)
    print(f"stampede: {line}", file=sys.stderr)


def has_colour():
    """On terminals, unless NO_COLOR (https://no-color.org) is set or TERM is dumb."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def status_of(main):
    """The exit code that main() returns, or that of what failed, after one line."""
    # An interrupt, or a closed pipe, ends the program without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    no_stdout = sys.stdout is None  # descriptor 1 was closed before Python began
    if no_stdout:
        sys.stdout = open(os.devnull, "w")
    try:
        status = main()
        sys.stdout.flush()
        if no_stdout:
            complain("standard output is closed; what was written to files is complete")
        return status or RESOURCE * no_stdout
    except Failed as failure:
        complain(failure.line)
        return failure.status
    except RuntimeError as error:  # a thread, or a process of gnuplot
        complain(f"{error}; allow more processes (ulimit -u)")
    except MemoryError:
        complain("out of memory; free some, nothing was overwritten")
    except OSError as error:
        complain(f"{error.filename or 'cannot write standard output'}: {error.strerror}; earlier results are intact")
        sys.stdout = open(os.devnull, "w")  # nothing more to flush
    return RESOURCE


def run(main):
    """Ends the program as main() says."""
    sys.exit(status_of(main))


def need_jinja2():
    """Another python3 may come before Debian's in PATH, and lack Debian's packages."""
    try:
        import jinja2  # noqa: F401
    except ImportError:
        if os.path.exists(DEBIANS_PYTHON) and not os.environ.get("STAMPEDE_PYTHON"):
            os.environ["STAMPEDE_PYTHON"] = DEBIANS_PYTHON
            os.execv(DEBIANS_PYTHON, [DEBIANS_PYTHON, *sys.orig_argv[1:]])
        raise Failed(UNSUPPORTED, "python3 has no Jinja2 (Debian: apt install python3-jinja2)")


def remedy(number):
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "free some space; earlier results are intact"
    if number in (errno.EACCES, errno.EPERM):
        return "make the directory writable, or copy the run to one that is"
    if number == errno.EROFS:
        return "the file system is read-only: copy the run elsewhere"
    if number in (errno.ENOTDIR, errno.EEXIST):
        return "move away what is there instead of a directory"
    return "earlier results are intact"


def _fail(what, path, error):
    return Failed(RESOURCE, f"cannot {what} {path}: {os.strerror(error.errno)}; "
                            f"{remedy(error.errno)}")


def directory(path):
    """Makes the directory unless it is there."""
    try:
        os.mkdir(path)
    except FileExistsError as error:
        if not os.path.isdir(path):
            raise _fail("create", path, error) from None
    except OSError as error:
        raise _fail("create", path, error) from None


def put(path, data):
    """Writes text or bytes beside `path`, flushes them, and renames."""
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    # The pid: two of us may draw the same run.
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.tmp.{os.getpid()}")
    try:
        try:
            with open(temporary, "wb") as out:
                out.write(data)
                out.flush()
                # Before the rename: a crash would else leave the new name with nothing behind it.
                os.fsync(out.fileno())
            os.rename(temporary, path)
        except BaseException:
            if os.path.exists(temporary):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise _fail("write", path, error) from None
