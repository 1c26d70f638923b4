#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_own.sh BUILD   What is known of a writer's own stack (explore/stops/own.py): by the
# registers that point there before each `nop` of a few instructions, tests/data/own_pointers.txt. TAP.
. tests/support/tap.sh
python3 -B - >"$scratch/out" 2>"$scratch/err" <<'END'
import sys
sys.path.insert(0, "explore/stops")
import own


def parse(text):
    mnemonic, _, rest = text.partition(" ")
    return mnemonic, rest.split(", ") if rest else []


for case in open("tests/data/own_pointers.txt").read().split("\n= ")[1:]:
    head, *lines = case.splitlines()
    wanted, name = head.split(": ")
    code = [("label" if text[-1] == ":" else "directive" if text[0] == "." else "code", text.rstrip(":")) for text in lines]
    got = [",".join(n for n in own.BIT if own.BIT[n] & mask) or "-"
           for mask, (_, text) in zip(own.own_pointers(code, parse, {"outside"}), code) if text == "nop"]
    print("1 0"[2 * (got == wanted.split())], name, "" if got == wanted.split() else "(%s)" % got)
END
while read -r code name; do
	report "$code" "$name"
done <"$scratch/out"
[ $number -eq 13 ]
told $? "no more and no less"
plan
