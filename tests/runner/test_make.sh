#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_make.sh BUILD   What make would do, as make -n and make -p say. TAP.
. tests/support/tap.sh

# What a target depends on: needs TARGET VARIABLES...
needs() {
	make -pn "$@" 2>/dev/null | rule "$1"
}
rule() {
	sed -n "s,^$1: ,,p" | tr ' ' '\n'
}

rows=$(grep -c '^X(' schemes/schemes.def)
shapes=$(needs explored SCHEMES==floor | grep -c .)
[ "$shapes" -ge 3 ] && [ -z "$(needs explored SCHEMES==floor | grep -v /floor.)" ]
report $? "make explored SCHEMES==floor: that row in its $shapes shapes, and no other"
[ "$(needs explored SCHEMES='=floor,=rewind' | grep -c .)" -eq $((2 * shapes)) ]
report $? "two rows, by a comma"
[ "$(needs explored SCHEMES=packed_word | sed 's,.*/,,; s,\..*,,' | sort -u | tr '\n' ' ')" = \
	"packed_word packed_word_locked packed_word_locked_fenced " ]
report $? "a row with its variants"
[ "$(needs explored SCHEMES=all | grep -c .)" -eq $((rows * shapes)) ]
report $? "all rows"
some=$(needs explored | grep -c .)
[ "$some" -gt $((10 * shapes)) ] && [ "$some" -lt $((rows * shapes)) ]
report $? "without SCHEMES: all but variants"

# A warning ends nobody's build who did not ask for it.
env -u WERROR make -pn BUILD="$1" help "$1/sources.inc" "$1/obj/reader/rewind.o" 2>/dev/null >"$scratch/plain"
make -pn help WERROR=1 2>/dev/null >"$scratch/strict"
werror() { # file, variable
	sed -n "s/^$2 :*= //p" "$1" | grep -c -- "-Werror\|(werror)"
}
! grep '^werror := ' "$scratch/plain" | grep -q -- -Werror &&
	grep '^werror := ' "$scratch/strict" | grep -q -- -Werror
report $? "-Werror only with WERROR=1"
for variable in WARN CXXFLAGS_ALL EXPLORE_WARN; do
	[ "$(werror "$scratch/strict" $variable)" -eq 1 ]
	report $? "WERROR=1 reaches $variable"
done
! grep -n -- -Werror Makefile ./*/*.mk ./*/*/*.mk | grep -v 'WERROR'
report $? "nothing else asks for -Werror"

# Timed and stormed code keeps the level that was asked for; in code that is never timed -O1 replaces -O2.
levels() { # OPT: of a row in each build
	make -n V=1 BUILD="$scratch/b" OPT="$1" $(printf "$scratch/b/obj/%s/floor.o " timed cheap injected checked counting reader) 2>/dev/null |
		sed -n 's,.*\( -O[0-9]\).* -DROW=floor .*,\1,p' | tr -d '\n'
}
levels="$(levels -O2), or$(levels -O0)"
[ "$levels" = " -O2 -O2 -O2 -O2 -O1 -O1, or -O0 -O0 -O0 -O0 -O0 -O0" ]
report $? "levels of a row's builds:$levels"
[ "$(rule "$1/sources/rewind" <"$scratch/plain" | grep -c "/timed/rewind.o$\|/counting/rewind.o$\|^schemes/core/ring.c$\|/tiers.[ch]$")" -eq 5 ] && [ "$(rule "$1/sources.inc" <"$scratch/plain" | grep -c .)" -eq "$rows" ] &&
	[ "$(rule "$1/\(obj/timed/rewind\|obj/reader/rewind\|explored/rewind.driver\|explored/seed_004.timed.reader\).o" <"$scratch/plain" | grep -c "/rows/rewind$\|/rows/seed_004$")" -eq 4 ]
report $? "with a row's line its objects, with these what the explorer said is looked up anew"
for target in history mutants verdicts tests explored-cases; do
	[ "$(rule $target <"$scratch/plain" | sort -u | grep -c '/.split$')" -eq 3 ]
	report $? "make $target splits all patches"
done
mkdir -p "$scratch/b/refused" && touch "$scratch/b/refused/gone.patch" &&
	make -s BUILD="$scratch/b" "$scratch/b/refused/.split" >"$scratch/out" 2>&1 &&
	[ "$(ls "$scratch/b/refused" | wc -l)" -eq "$(grep -c '^### ' tests/explore/refused.patches)" ] &&
	[ -s "$scratch/b/refused/static_counter.patch" ]
report $? "a patch that is gone is not tried"
plan
