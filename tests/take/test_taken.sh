#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_taken.sh BUILD   What programs do with a taken header, of one row: tables as test_commands.sh runs them. TAP.
of=_take
. tests/runner/test_commands.sh
