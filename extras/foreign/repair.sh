#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: repair.sh EDIT FILE   Our repair of a fault in another project's file, as an edit that sed applies to a copy
# of it: its own text is not in this tree. Ends with 1 if the file is not as the edit expects it.
set -e
trap 'rm -f "$2.repaired"' EXIT
sed -E -f "$1" "$2" >"$2.repaired"
if cmp -s "$2" "$2.repaired"; then
	echo "stampede: $1 changes nothing in $2: is it another version?" >&2
	exit 1
fi
mv "$2.repaired" "$2"
