# SPDX-License-Identifier: MIT
"""The machines that results/reference keeps a record of."""
import os

import record
from files import Failed, complain

SOURCES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def folder():
    return os.environ.get("STAMPEDE_REFERENCES") or os.path.join(SOURCES, "results", "reference")


def text(obj, key):
    value = obj.get(key) if isinstance(obj, dict) else None
    return value if isinstance(value, str) else ""


def is_reference(found):
    return (isinstance(found, dict) and found.get("reference") == 1 and
            isinstance(found.get("machine"), dict) and isinstance(found.get("of"), dict) and
            isinstance(found.get("rows"), list) and found["rows"] and
            isinstance(found.get("needs"), list))


def load(where=None):
    """All references, by name; what is none is left out, with a line."""
    where, found = where or folder(), []
    for name in sorted(os.listdir(where)) if os.path.isdir(where) else []:
        if name.startswith("."):
            continue
        path = os.path.join(where, name, "reference.json")
        try:
            one = record.parse(path, record.read_bytes(path) or b"")
            why = "not of form 1"
        except Failed:
            one, why = None, "no JSON, or cut off"
        if is_reference(one):
            found.append(one)
        else:
            complain(f"{path} is no reference ({why}): left out; build/compare --contribute RUN "
                     "makes one")
    return found


def model(reference):
    """The CPU, with family and model number where one name stands for many."""
    machine = reference["machine"]
    numbers = [machine.get("family"), machine.get("model_number")]
    named = all(isinstance(one, int) and not isinstance(one, bool) for one in numbers)
    return text(machine, "model")[:48] + (" {}-{}".format(*numbers) if named else "")


def title(reference):
    changed = " with changes" if reference["of"].get("dirty") is True else ""
    return f"{model(reference)} (commit {text(reference['of'], 'revision')[:12]}{changed})"
