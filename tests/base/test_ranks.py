#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scipy's answers of rank tests and intervals, which base/stats.c and plots/compare.py are held against.

usage: test_ranks.py BUILD    checks that tests/data/ranks.json is what scipy says
       test_ranks.py --make   writes it
"""
import json
import os
import sys

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/ranks.json")
DEBIAN = "/usr/bin/python3"  # who python3 is may have no packages of Debian's
MOST_EXACT = 64  # values of each sample, as plots/compare.py has it
# How many values there are of a and b, and how many different ones there can be at most.
SIZES = [(1, 1, 1000), (1, 3, 1000), (3, 1, 1000), (4, 4, 1000), (5, 9, 1000), (9, 5, 1000),
         (12, 12, 1000), (20, 7, 1000), (63, 64, 1 << 30), (64, 64, 1 << 30), (64, 65, 1 << 30),
         (65, 64, 1 << 30), (70, 66, 1 << 30), (5, 130, 1 << 30), (65, 1, 1 << 30), (8, 10, 6), (10, 8, 3), (6, 6, 2),
         (80, 90, 12), (7, 7, 1)]


def series(count, most, seed):
    """Of a generator that everybody can write: xorshift, 32 bits."""
    values, state = [], seed
    for _ in range(count):
        state ^= state << 13 & 0xffffffff
        state ^= state >> 17
        state ^= state << 5 & 0xffffffff
        values.append(float(state % most))
    return values


def rank_of_shift(n, m, stats):
    """Of all differences, how many are outside of a 95 % interval on each side."""
    if max(n, m) > MOST_EXACT:
        spread = (n * m * (n + m + 1) / 12) ** 0.5
        return max(0, int(n * m / 2 + stats.norm.ppf(0.025) * spread))
    k = 0
    while k < n * m // 2:
        # a that beats k of b's, all in all: P(U <= k) is its p of one side.
        a = [k // n + (i < k % n) + 0.25 + 0.5 * i / n for i in range(n)]
        b = [i + 1 for i in range(m)]
        if stats.mannwhitneyu(a, b, alternative="less", method="exact").pvalue > 0.025:
            break
        k += 1
    return k


def answers():
    import numpy
    from scipy import stats

    cases = []
    for seed, (n, m, most) in enumerate(SIZES, 1):
        a, b = series(n, most, seed), series(m, most, seed + 1000)
        exact = len(set(a + b)) == n + m and max(n, m) <= MOST_EXACT
        p = stats.mannwhitneyu(a, b, method="exact" if exact else "asymptotic").pvalue
        between = sorted(y - x for x in a for y in b)
        rank = rank_of_shift(n, m, stats)
        cases.append({
            "a": a, "b": b, "p": 1.0 if len(set(a + b)) == 1 else float(p),
            "middle": float(numpy.median(between)),
            "low": between[rank - 1] if rank else None, "high": between[-rank] if rank else None})
    medians = {str(count): int(stats.binom.ppf(0.025, count, 0.5)) for count in range(1, 200)}
    return {"cases": cases, "median_ranks": medians}


def main():
    if sys.argv[1:] == ["--make"]:
        with open(PATH, "w", encoding="utf-8") as file:
            json.dump(answers(), file)
            file.write("\n")
        return 0
    try:
        now = answers()
    except ImportError:
        if os.path.realpath(sys.executable) != os.path.realpath(DEBIAN):
            os.execv(DEBIAN, [DEBIAN, "-B", __file__] + sys.argv[1:])
        print("ok 1 - ranks # SKIP needs python3-scipy")
        return 0
    print("1..1")
    with open(PATH, encoding="utf-8") as file:
        kept = json.load(file)
    same = len(kept["cases"]) == len(now["cases"]) and kept["median_ranks"] == now["median_ranks"]
    for one, other in zip(kept["cases"], now["cases"]):
        same &= all(one[key] == other[key] for key in ("a", "b", "low", "high"))
        same &= all(abs(one[key] - other[key]) <= 1e-9 * abs(other[key]) for key in ("p", "middle"))
    print(("ok" if same else "not ok") + " 1 - the file has what scipy says")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
