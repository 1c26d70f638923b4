#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_history.sh BUILD   Are the published faults rediscovered at their pinned budgets? TAP.
python3 tests/cases/cases.py --build "$1" schemes/history/history.def "$1"/history/*.patch |
	sed -n 's/^  \([a-z][a-z0-9_]*\) .*\.[a-z0-9]* .*/ok - \1/p
		s/^! \([a-z][a-z0-9_]*\) \(.*\)/not ok - \1: \2/p
		s/^cases.py: /not ok - /p' | grep -v '^ok - case$'
