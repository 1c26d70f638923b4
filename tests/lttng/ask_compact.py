#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: ask_compact.py SESSIOND COPY   A copy of lttng-sessiond that asks applications for compact
event headers (1) where it asks for large ones (2): see record.sh."""
import re
import sys

# x86-64: mov $2,%r15d; movl $2,0x14(%rbx): the reply's header type, and the registry's.
LARGE = re.compile(rb"(\x41\xbf)\x02(\0\0\0\xc7\x43\x14)\x02(\0\0\0)")

with open(sys.argv[1], "rb") as file:
    code, count = LARGE.subn(lambda found: found.group(1) + b"\x01" + found.group(2) +
                             b"\x01" + found.group(3), file.read())
if count != 1:
    sys.exit("ask_compact.py: %s: the constant was found %d times, not once: another version than "
             "2.13.9 of Debian 12?" % (sys.argv[1], count))
with open(sys.argv[2], "wb") as file:
    file.write(code)
