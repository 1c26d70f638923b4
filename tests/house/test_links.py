# SPDX-License-Identifier: MIT
"""usage: test_links.py   No document leads nowhere: each link's file and heading are there, and what
"Three ways in" promises of a link stands behind it. TAP."""
import glob
import os
import re
import sys

WAYS = "docs/choosing.md"
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "results/SCHEMA.md", *sorted(glob.glob("docs/*.md"))]


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"^```.*?^```", "", file.read(), flags=re.S | re.M)


def place(path, target):
    name, _, anchor = target.partition("#")
    return os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path, anchor


def anchors(text):
    """As GitHub makes them of headings."""
    return {re.sub(r"[^\w\- ]", "", line.lower()).strip().replace(" ", "-")
            for line in re.findall(r"^#+ +(.*)$", text, re.M)}


def dead(path, text):
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        where, anchor = place(path, target)
        if "://" not in target and not os.path.exists(where):
            found.append(f"{path}: no {where}")
        elif anchor and where.endswith(".md") and anchor not in anchors(
                text if where == path else text_of(where)):
            found.append(f"{path}: {where} has no heading #{anchor}")
    return found


def unkept(text):
    """In lines | question? | link | words |: each "word" or `word` that is not behind the link."""
    found = []
    for target, words in re.findall(r"^\| .*\? \| \[.*\]\((\S+)\) \| (.+) \|$", text, re.M):
        where, anchor = place(WAYS, target)
        parts = re.split(r"^(?=#+ )", text_of(where).replace("\n * ", "\n"), flags=re.M)
        there = " ".join(" ".join(one for one in parts if not anchor or anchor in anchors(one)).split())
        found += [f"{target} does not say {one}" for one in words.split(", ") if one.strip('"') not in there]
    return found


def main():
    links = sum(len(re.findall(r"\]\([^)\s]+\)", text_of(path))) for path in DOCUMENTS)
    lies = '| Where? | [a](../README.md#eight-rows) | "**cheap**", "none such", `packed_word`, `none` |'
    tests = [(f"{links} links of {len(DOCUMENTS)} documents lead somewhere", 0,
              [line for path in DOCUMENTS for line in dead(path, text_of(path))]),
             ("a dead link and a dead anchor are seen", 2,
              dead("README.md", "[a](docs/none.md) [b](docs/take.md#none) [c](docs/take.md#which-rows)")),
             ("three ways in: what is promised of a link stands behind it", 0, unkept(text_of(WAYS))),
             ("what does not stand behind a link is seen", 2, unkept(lies))]
    for what, wanted, lines in tests:
        print("ok -" if len(lines) == wanted else "not ok -", what)
        print(*(f"# {line}\n" for line in lines if len(lines) != wanted), sep="", end="")
    print(f"1..{len(tests)}")
    return any(len(lines) != wanted for _, wanted, lines in tests)


if __name__ == "__main__":
    sys.exit(main())
