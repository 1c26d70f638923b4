#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_seam.sh BUILD   Which builds there are (schemes/core/seam.h): all combinations of
# their macros are tried, and table refused_builds says which of them are refused, and with what
# words. TAP.
. tests/support/tap.sh
cc=${CC:-gcc}

compile() { # macros...
	# shellcheck disable=SC2046
	"$cc" -std=gnu11 -fsyntax-only -I. $(printf ' -D%s' "$@") -x c - 2>&1 <<'END'
#include "schemes/core/seam.h"
END
}

# What seam.h names as builds, a line each; "shape" is the three macros of a shape.
shape="SHAPE_SUBBUF_SHIFT=9 SHAPE_COUNT_SHIFT=1 SHAPE_BITS=0"
legal() { cat "$(table builds)"; }

# Every combination, in the order of the words above: 512 of them.
macros="EXPLORED TIMED CHEAP INJECTED CHECKED COUNTING POINTS IDENTIFIES shape"
all() {
	awk -v "names=$macros" 'BEGIN {
		count = split(names, name, " ")
		for (i = 1; i < 2 ^ count; i++) {
			text = ""
			for (j = 1; j <= count; j++)
				if (int(i / 2 ^ (j - 1)) % 2)
					text = text " " name[j]
			print substr(text, 2)
		}
	}'
}

# Their names on the command line.
spelled() {
	for word in "$@"; do
		case $word in
		shape) echo "$shape" ;;
		POINTS | IDENTIFIES) echo "EXPLORE_$word" ;;
		*) echo "STAMPEDE_$word" ;;
		esac
	done
}

# The preprocessor refuses in one run: each combination is a place that includes seam.h, and one of
# which it says no error is compiled by itself.
all >"$scratch/all"
awk -v "shape=$shape" '
	FILENAME ~ /seam.h$/ {
		if ($1 == "#define")
			forgotten = forgotten "#undef " $2 "\n"
		next
	}
	function defined(macro) {
		sub("=", " ", macro)
		text = text "#define " macro (macro ~ / / ? "" : " 1") "\n"
		sub(" .*", "", macro)
		if (!seen[macro]++)
			forgotten = forgotten "#undef " macro "\n"
	}
	{
		text = ""
		for (i = 1; i <= NF; i++)
			if ($i == "shape") {
				parts = split(shape, part, " ")
				for (j = 1; j <= parts; j++)
					defined(part[j])
			} else {
				defined(($i ~ /POINTS|IDENTIFIES/ ? "EXPLORE_" : "STAMPEDE_") $i)
			}
		printf "%s#line %d\n#include \"schemes/core/seam.h\"\n%s", text, FNR, forgotten
	}' schemes/core/seam.h "$scratch/all" >"$scratch/places.c"
! "$cc" --version | grep -q clang || limit=-ferror-limit=0
"$cc" -std=gnu11 -E -w ${limit-} -I. "$scratch/places.c" 2>"$scratch/said" >/dev/null
sed -n 's/^In file included from .*places\.c:\([0-9]*\)[:,].*/\1/p' "$scratch/said" |
	awk 'NR == FNR { refused[$1] = 1; next } !(FNR in refused)' - "$scratch/all" |
	while read -r line; do
		# shellcheck disable=SC2046,SC2086
		compile $(spelled $line) >/dev/null 2>&1 && echo "$line"
	done | sort >"$scratch/compiled"
legal | sort >"$scratch/legal"
diff "$scratch/legal" "$scratch/compiled" >"$scratch/difference"
report $? "of $(grep -c . "$scratch/all") combinations, the $(grep -c . "$scratch/legal") builds there are compile, and no other"
sed 's/^/# /' "$scratch/difference"
compile STAMPEDE_NOTHING >/dev/null
report $? "what is no row compiles without any"

while IFS='|' read -r words macros; do
	# shellcheck disable=SC2086
	compile $macros >"$scratch/said"
	[ $? -ne 0 ] && grep -qF "\"$words" "$scratch/said"
	good=$?
	report $good "refused: $macros"
	[ $good -eq 0 ] || sed 's/^/# /' "$scratch/said"
done <"$(table refused_builds)"
plan
