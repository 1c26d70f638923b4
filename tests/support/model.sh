# SPDX-License-Identifier: MIT
# For tests of a model of spin's, $model, read by `.` behind tap.sh: its steps held to the code's, and
# searches of all its states.

# What the model calls a step is an access of the code with that label; in the model's order there.
steps() { # file, function's name in it, step...
	file=$1
	text=$(sed -n "/^[A-Za-z].*[ *]$2(/,/^}/p" "$file")
	shift 2
	for step; do
		rest=${text#*"\"$step\""}
		[ "$rest" != "$text" ] || return 1
		text=$rest
	done
}

# The model's steps, by name, each once: as text with commas.
named() {
	grep -o 'step: [a-z]*\(: [a-z]*\)*\( [a-z]*\)*' "$model" | sed 's/^step: //; s/ *$//' | sort -u |
		tr '\n' ,
}

# Ends the test, skipped, where there is no spin.
needs_spin() {
	command -v spin >/dev/null && return
	skip "the model" "no spin (Debian: apt install spin)"
	plan
	exit
}

# Every state of it: 0 no error, 1 an assertion fails, 2 it could not be searched.
search() { # -D...
	(
		mkdir -p "$scratch/model" && cd "$scratch/model" && rm -f pan* &&
			spin -a "$@" "$model" >spin.log 2>&1 &&
			gcc -O0 -DSAFETY -DMEMLIM=1024 -w -o pan pan.c >gcc.log 2>&1 &&
			./pan -m200000 >pan.log 2>&1
	) || return 2
	grep -q 'search not completed\|max search depth too small' "$scratch/model/pan.log" && {
		grep -q 'errors: [1-9]' "$scratch/model/pan.log" || return 2
	}
	grep -q 'errors: 0$' "$scratch/model/pan.log" && return 0
	grep -q 'assertion violated' "$scratch/model/pan.log" && return 1
	return 2
}
right() { # name, -D...
	name=$1
	shift
	search "$@"
	report $? "$name: $(sed -nE 's/^ *([0-9]+) states, stored.*/\1 states/p' "$scratch/model/pan.log")"
}
wrong() { # name, -D...
	name=$1
	shift
	search "$@"
	[ $? -eq 1 ]
	report $? "found: $name"
}
