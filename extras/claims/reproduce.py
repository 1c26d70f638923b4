#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does this machine give the figures that README and docs publish?

usage: reproduce.py [--list] [--only WORDS] [--minutes N] [TABLE]

TABLE (extras/claims/published) has a block of lines "key: value" for each claim:
  claim   the claim; {row} in any line: a block for each of `rows`
  said    FILE PATTERN: it is published there; the pattern's group is the figure
  run     the command, run once for all that have the same
  takes   its minutes on two CPUs: what exceeds --minutes (60) is left out
  read    where its figure is: table[row=x,workload=steady].ns in JSON, or /PATTERN/ in text
  within  how far it may be from the published one: 2 % or 0.5; at most; else: it is the same text

--list prints the claims with their intervals and runs nothing.
exit: 0 all that was run is reproduced, 1 usage, 2 a figure is not, 3 a command failed
"""
import argparse
import json
import os
import re
import subprocess
import sys

KEYS = ("claim", "said", "run", "takes", "read", "within")


class Bad(Exception):
    pass


def blocks(name):
    """Each claim of the table, as a dictionary."""
    with open(name, encoding="utf-8") as table:
        text = re.sub(r"^#.*\n", "", table.read(), flags=re.M)
    for block in re.split(r"\n\n+", text.strip()):
        one = dict(re.split(r":\s*", line, maxsplit=1) for line in block.split("\n"))
        missing = set(KEYS) - set(one)
        if missing:
            raise Bad("%s: a claim has no '%s:' line: %s" % (name, min(missing), block.split("\n")[0]))
        for row in one.pop("rows", "-").split():
            yield {key: value.replace("{row}", row) for key, value in one.items()}


def published(claim):
    """The figure that the text has."""
    name, pattern = claim["said"].split(maxsplit=1)
    with open(name, encoding="utf-8") as text:
        found = re.search(pattern, re.sub(r"\s+", " ", text.read()))
    if not found:
        raise Bad("%s does not say '%s' any more: mend the claim's 'said:'" % (name, pattern))
    return found.group(1)


def number(text):
    return float(str(text).replace(",", ""))


def interval(claim):
    """What the figure may be: two numbers, or a text."""
    figure, within = published(claim), claim["within"]
    if not re.match(r"[\d.]|at most", within):
        return figure
    middle = number(figure)
    if within == "at most":
        return 0, middle
    apart = number(within.rstrip(" %")) * (middle / 100 if "%" in within else 1)
    return middle - apart, middle + apart


def read(path, text):
    """The figure in what a command wrote."""
    if path.startswith("/"):
        found = re.search(path.strip("/"), text)
        if not found:
            raise Bad("no %s in its output" % path)
        return found.group(1)
    value = json.loads(text)
    for key, wanted in re.findall(r"(\w+)?(?:\[([^\]]*)\])?\.?", path):
        value = value[key] if key else value
        for pair in filter(None, wanted.split(",")):
            name, _, is_ = pair.partition("=")
            value = [one for one in value if str(one[name]) == is_]
        if wanted and not value:
            raise Bad("nothing with %s in its JSON" % wanted)
        value = value[0] if wanted else value
    return value


def ran(command, done):
    """What the command writes to its standard output; once."""
    if command not in done:
        print("# %s" % command, file=sys.stderr, flush=True)
        done[command] = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, text=True, check=False)
    # 2: a promise is broken, as some claims say; 7: too noisy to rank.
    if done[command].returncode not in (0, 2, 7):
        raise Bad("exit code %d of %s" % (done[command].returncode, command))
    return done[command].stdout


def judged(claim, done):
    """Is it reproduced, and the figure in words."""
    span, got = interval(claim), read(claim["read"], ran(claim["run"], done))
    if isinstance(span, str):
        return str(got) == span, "%s, published %s" % (got, span)
    return span[0] <= round(number(got), 6) <= span[1], "%s, expected %.9g to %.9g" % (got, *span)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("table", nargs="?", default="extras/claims/published")
    args = parser.parse_args()
    left, done, counts = args.minutes, {}, {"reproduced": 0, "NOT REPRODUCED": 0, "left out": 0, "FAILED": 0}
    for claim in blocks(args.table):
        where = "%s (%s)" % (claim["claim"], claim["said"].split()[0])
        if args.only not in where:
            continue
        if args.list:
            span = interval(claim)
            print("%s\n  expected: %s\n  run: %s\n  read: %s\n" % (
                where, span if isinstance(span, str) else "%.9g to %.9g" % span, claim["run"], claim["read"]))
            continue
        cost = 0 if claim["run"] in done else number(claim["takes"])
        if cost > left:
            outcome, said = "left out", "it takes %s minutes more" % claim["takes"]
        else:
            left -= cost
            try:
                good, said = judged(claim, done)
                outcome = "reproduced" if good else "NOT REPRODUCED"
            except (Bad, KeyError, TypeError, ValueError) as error:
                outcome, said = "FAILED", str(error)
        counts[outcome] += 1
        print("%-14s %s: %s" % (outcome, where, said), flush=True)
    if not args.list:
        print("\n" + ", ".join("%d %s" % (count, name.lower()) for name, count in counts.items()))
    if not args.list and not counts["reproduced"] + counts["NOT REPRODUCED"]:
        return 3
    return 2 if counts["NOT REPRODUCED"] else 3 if counts["FAILED"] else 0


if __name__ == "__main__":
    try:
        os.chdir(os.path.dirname(os.path.abspath(__file__)) + "/../..")
        sys.exit(main())
    except (Bad, OSError) as error:
        print("stampede: %s" % error, file=sys.stderr)
        sys.exit(1)
