#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_commands_more.sh BUILD   As test_commands.sh, beside it: taken headers in programs of their own, and pages. TAP.
. tests/runner/test_commands.sh
