# SPDX-License-Identifier: MIT
"""usage: hooks.py   A misspelt hook would silently be none: every SCHEME_... and EXTEND_... that a
scheme defines has to be in the table of parts/defaults.h. Exit code 1: a line for each that is not."""
import difflib
import glob
import re
import sys

TABLE = "schemes/parts/defaults.h"


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


known = set(re.findall(r"^ \*   ((?:SCHEME|EXTEND)_[A-Z_]+)", text_of(TABLE), re.M)) | set(
    re.findall(r"^#\s*define (SCHEME_[A-Z_]+)", text_of("schemes/core/scheme.h"), re.M))
wrong = [(path, name) for path in sorted(glob.glob("schemes/*.h") + glob.glob("schemes/parts/*.h"))
         for name in re.findall(r"^\s*#\s*define ((?:SCHEME|EXTEND)_[A-Z_]+)", text_of(path), re.M)
         if name not in known]
for path, name in wrong:
    nearest = "".join(difflib.get_close_matches(name, known, 1)) or "none"
    print(f"stampede: {path}: {name} is no hook (nearest: {nearest}); {TABLE} has the table",
          file=sys.stderr)
sys.exit(bool(wrong))
