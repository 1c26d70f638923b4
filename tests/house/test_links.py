# SPDX-License-Identifier: MIT
"""usage: test_links.py   No document leads nowhere: each link's file and heading are there. TAP."""
import glob
import os
import re
import sys

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "results/SCHEMA.md", *sorted(glob.glob("docs/*.md"))]


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"^```.*?^```", "", file.read(), flags=re.S | re.M)


def anchors(text):
    """As GitHub makes them of headings."""
    return {re.sub(r"[^\w\- ]", "", line.lower()).strip().replace(" ", "-")
            for line in re.findall(r"^#+ +(.*)$", text, re.M)}


def dead(path, text):
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        if "://" in name:
            continue
        where = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not os.path.exists(where):
            found.append(f"{path}: no {where}")
        elif anchor and where.endswith(".md") and anchor not in anchors(
                text if where == path else text_of(where)):
            found.append(f"{path}: {where} has no heading #{anchor}")
    return found


def main():
    links = sum(len(re.findall(r"\]\([^)\s]+\)", text_of(path))) for path in DOCUMENTS)
    bad = [line for path in DOCUMENTS for line in dead(path, text_of(path))]
    print(f"{'not ok' if bad else 'ok'} - {links} links of {len(DOCUMENTS)} documents lead somewhere")
    for line in bad:
        print("# " + line)
    planted = dead("README.md", "[a](docs/none.md) [b](docs/take.md#none) [c](docs/take.md#which-rows)")
    print(f"{'ok' if len(planted) == 2 else 'not ok'} - a dead link and a dead anchor are seen")
    print("1..2")
    return bool(bad) or len(planted) != 2


if __name__ == "__main__":
    sys.exit(main())
