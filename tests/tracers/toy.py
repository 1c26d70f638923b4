# SPDX-License-Identifier: MIT
"""A tracer that is right, and what $FAULT plants. usage: toy.py FOLDER WORKLOAD EVENTS EVERY"""
import os
import sys

folder, fault = sys.argv[1], os.environ.get("FAULT", "")
truth, decoded = [], []
for stream in (0, 1):
    for seq in range(500):
        at = 10 ** 12 + 1000 * seq + 300 * stream
        truth.append(f"event {stream} {seq} {at} {at + 100}")
        decoded.append(["event", stream, seq, at + 50])
for seq in range(500, 600):
    at = 2 * 10 ** 12 + 10000 * seq
    truth.append(f"span 0 {2 * seq} - {at} {at + 10} {at + 5000} {at + 5010}")
    truth.append(f"span 0 {2 * seq + 1} {2 * seq} {at + 20} {at + 30} {at + 4000} {at + 4010}")
    decoded.append(["span", 0, 2 * seq + 1, at + 25, at + 4005])
    decoded.append(["span", 0, 2 * seq, at + 5, at + 5005])
truth += [f"after 0 {seq} 1 {seq}" for seq in range(0, 500, 16)]
event = decoded[200]
span = decoded[1001]  # a parent; the child is before it


def shift(line, by, of=3):
    line[of] += by


def widen(by):
    """Streams of numbers above 32 bits."""
    for line in decoded:
        line[1] += by
    for i, line in enumerate(truth):
        words = line.split()
        words[1] = str(int(words[1]) + by)
        if words[0] == "after":
            words[3] = str(int(words[3]) + by)
        truth[i] = " ".join(words)


faults = {
    "": lambda: None,
    "back": lambda: shift(event, -1050),
    "equal": lambda: shift(event, -1000),
    "early": lambda: shift(event, -51),
    "late": lambda: shift(event, 51),
    "edge": lambda: (shift(event, 50), shift(decoded[300], -50)),
    "wrap": lambda: shift(event, 2 ** 27),
    "unit": lambda: event.__setitem__(3, event[3] // 1000),
    "zero": lambda: event.__setitem__(3, 0),
    "swapped": lambda: decoded.__setitem__(slice(200, 202), decoded[201:199:-1]),
    "lost": lambda: decoded.remove(event),
    "counted": lambda: (decoded.remove(event), decoded.append(["lost", 0, 1])),
    "overcounted": lambda: decoded.append(["lost", 0, 1]),
    "twice": lambda: decoded.insert(701, list(decoded[700])),
    "never": lambda: decoded.insert(201, ["event", 0, 77777, event[3]]),
    "stream": lambda: event.__setitem__(1, 7),
    "kind": lambda: decoded.__setitem__(1000, ["event", 0, decoded[1000][2], decoded[1000][3]]),
    "two_late": lambda: (shift(event, 51), shift(decoded[300], 61)),
    "lost3": lambda: (decoded.__delitem__(slice(200, 203)), decoded.append(["lost", 0, 1])),
    "over3": lambda: decoded.append(["lost", 0, 3]),
    "over_all": lambda: decoded.append(["lost", 0, 700]),
    "over_more": lambda: decoded.append(["lost", 0, 701]),
    "over_any": lambda: decoded.append(["lost", "-", 1200]),
    "over_any_more": lambda: decoded.append(["lost", "-", 1201]),
    # Lost in one stream, and counted: in another, in any, in one that does not exist; by stream in parts.
    "lost_elsewhere": lambda: (decoded.remove(event), decoded.append(["lost", 1, 1])),
    "lost_anywhere": lambda: (decoded.remove(event), decoded.remove(decoded[700]), decoded.append(["lost", "-", 2])),
    "lost_nowhere": lambda: (decoded.remove(event), decoded.append(["lost", 7, 1])),
    "lost_two": lambda: (decoded.__delitem__(slice(200, 203)), decoded.remove(decoded[700]),
                         decoded.insert(9, ["lost", 0, 1]), decoded.append(["lost", 0, 2]), decoded.append(["lost", 1, 1])),
    "lost_first": lambda: (decoded.remove(decoded[507]), decoded.append(["lost", "-", 2])),
    "no_truth": lambda: truth.clear(),
    "over_and_lost": lambda: (decoded.remove(event), decoded.append(["lost", 0, 3])),
    "child_edges": lambda: (shift(decoded[1000], -20), shift(decoded[1000], 1000, 4)),
    "first_effect": lambda: shift(decoded[500], -301),
    "two_effects": lambda: (shift(decoded[660], -301), shift(decoded[676], -311), shift(decoded[692], -305)),
    "cause_lost": lambda: (shift(decoded[660], -301), decoded.pop(160), decoded.append(["lost", 0, 1])),
    "effect_lost": lambda: (shift(decoded[160], 351), decoded.pop(660), decoded.append(["lost", 1, 1])),
    "other": lambda: decoded.insert(201, ["other", 0, event[3] - 100]),
    "torn": lambda: decoded.append(["torn", 1, "record of no kind"]),
    "torn_bytes": lambda: decoded.append(["torn", 0, "caf\udce9 " + "\u00fc" * 60]),
    "wide": lambda: widen(2**32),
    "wide_back": lambda: (shift(event, -1050), widen(2**32 + 5000)),
    "unstable": lambda: decoded.__setitem__(slice(200, 202), [["event", 0, 201, event[3]], ["event", 0, 200, event[3]]]),
    "backwards": lambda: (shift(span, -6000, 4)),
    "child_early": lambda: shift(decoded[1000], -21),
    "child_late": lambda: shift(decoded[1000], 1001, 4),
    "effect": lambda: shift(decoded[500 + 160], -301),
    "effect_ok": lambda: shift(decoded[500 + 160], -300),
}
if fault == "crash":
    os.abort()
if fault == "hang":
    while True:
        pass
if fault == "away":
    print("stampede: toy is not judged: no toys", file=sys.stderr)
    sys.exit(4)
if fault == "fewer":  # three are lost in the first round, one in the next
    first = not os.path.exists(os.environ["STATE"])
    open(os.environ["STATE"], "w").close()
    del decoded[200:203 if first else 201]
if fault == "crash2":  # in the second round; in the first a time is wrong
    if os.path.exists(os.environ["STATE"]):
        os.abort()
    open(os.environ["STATE"], "w").close()
    faults["early"]()
if fault == "rare" and int(sys.argv[3]) >= 300:
    faults["late"]()
if fault in faults:
    faults[fault]()
if ":" in fault:  # one more line, of one of the two files
    where, words = fault.replace("_", " ").split(":")
    truth.append(words) if where == "truth" else decoded.append([words])
text = "".join(" ".join(map(str, line)) + "\n" for line in decoded)
with open(f"{folder}/truth", "w") as out:
    out.write("".join(line + "\n" for line in (truth + truth[:1] if fault == "two" else truth)))
if fault != "missing":
    with open(f"{folder}/decoded", "w", errors="surrogateescape") as out:
        out.write(text[:-3] if fault == "half" else text)
