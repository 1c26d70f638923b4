#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: prepare.sh OUT   barectf writes its tracer, as for any user of it (package python3-barectf);
# with REPAIRED=1 as repair.sed repairs it.
set -e
command -v barectf >/dev/null || {
	echo "stampede: no barectf (package python3-barectf)" >&2
	exit 69
}
here=$(dirname "$(readlink -f "$0")")
cd "$1"
barectf generate "$here/config.yaml" >&2
[ -z "${REPAIRED:-}" ] || sh "$here/../repair.sh" "$here/repair.sed" barectf.c
