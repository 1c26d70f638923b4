#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: man.sh BUILD VERSION   Writes BUILD/man/stampede-*.1 from what each program's --help-all, or --help, says.
# PROGRAM: what is before its name where it is installed, "stampede ".
build=$1 version=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$build/man"

page() { # program summary
	name=${PROGRAM:+stampede-}$1
	# help2man wants its sections to begin as GNU's programs begin them.
	cat >"$scratch/$name" <<-EOF
		#!/bin/sh
		{ "$build/$1" --help-all 2>/dev/null || "$build/$1" --help; } | sed 's/^\(usage: \|       \|  \)\(build\/\)\{0,1\}$1 /\1$PROGRAM$1 /; s/^usage:/Usage:/; s/^       ${PROGRAM}$1 /  or:  $PROGRAM$1 /
			s/^exit: /\n*Exit status*\n  /; s/^Exit status: /\n*Exit status*\n  /
			/^examples*:/I,\$ s/^  /\n  /; s/^examples*:/\n*Examples*\n/I'
	EOF
	chmod +x "$scratch/$name"
	help2man --no-info --section 1 --manual Stampede --source "Stampede $version" \
		--version-string "$version" --name "$2" --output "$build/man/stampede-$1.1" \
		"$scratch/$name"
}

page bench "what tracers' timestamping schemes cost, and whether they are right" &&
	page run-stress "every stamp of a scheme checked under real interrupts" &&
	page compare "two runs, two rows or several machines: did a change help" &&
	page read-trace "traces of many tools: events, gaps, damage, wrong times" &&
	page plots "plots and report of a recorded run" &&
	page explore "every interrupt of a budget, for every row, each schedule judged" &&
	page every-scheme "the shortest right reserve of a language of operations" &&
	page judge-tracer "are the times right in a tracer that people use"
