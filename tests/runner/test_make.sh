#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_make.sh BUILD   What make would do, as make -n and make -p say. TAP.
. tests/support/tap.sh

# What a target depends on: needs TARGET VARIABLES...
needs() {
	target=$1
	shift
	make -pn "$target" "$@" 2>/dev/null | sed -n "s/^$target: //p" | tr ' ' '\n'
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
env -u WERROR make -pn help 2>/dev/null >"$scratch/plain"
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
plan
