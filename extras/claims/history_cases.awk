# SPDX-License-Identifier: MIT
# X(name, row, budget) of each case of schemes/history, from its head (explore/cases/cases.py).
FNR == 1 { written = 0 }
/^[ #*]*row: / { row = $NF }
/^[ #*]*breaks: / { budget = $0; sub(/.*breaks: /, "", budget) }
/^X\(/ { name = $0; sub(/X\(/, "", name); sub(/,.*/, "", name); print_case(name, name) }
/^--- / && !written {
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.patch$/, "", name)
	print_case(name, row)
	written = 1
}
function print_case(name, row) { printf "X(%s, %s, \"%s\")\n", name, row, budget }
