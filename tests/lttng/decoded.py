#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: decoded.py TRACE   What babeltrace2 prints of a CTF trace, as CSV on stdout: cpu, the clock
(in its cycles: ns in LTTng's traces), and the integers of the payloads by their names."""
import re
import subprocess
import sys

EVENT = re.compile(r"^\[(\d+)\] .*\{ cpu_id = (\d+) \}, \{ (.*) \}$")
INTEGER = re.compile(r'(?:^|, )(\w+) = (-?\d+)(?=,|$)')
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')

printed = subprocess.run(["babeltrace2", "--clock-cycles", "--no-delta", sys.argv[1]], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
events, names = [], []
for line in printed.splitlines():
    found = EVENT.match(line)
    if not found:
        sys.exit("decoded.py: not understood: " + line)
    fields = dict(INTEGER.findall(TEXT.sub('""', found.group(3))))
    events.append((found.group(2), found.group(1), fields))
    names += [name for name in fields if name not in names]
print(",".join(["cpu", "stamp_ns"] + ["payload_" + name for name in names]))
for cpu, stamp, fields in events:
    print(",".join([cpu, str(int(stamp))] + [fields.get(name, "") for name in names]))
