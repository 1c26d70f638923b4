# SPDX-License-Identifier: MIT
# For test_*.sh, read by `.`: TAP lines, and programs that must refuse or show. Sets $scratch, a
# directory of the test's own; who has more to clean up redefines cleanup(). Ends with plan.
number=0
scratch=$(mktemp -d)
trap 'cleanup' EXIT

cleanup() {
	rm -rf "$scratch"
}

report() { # good? name
	number=$((number + 1))
	if [ "$1" = 0 ]; then echo "ok - $2"; else echo "not ok - $2"; fi
}

told() { # good? name: the same, and what stands in $scratch/err
	report "$1" "$2"
	[ ! -e "$scratch/err" ] || head -5 "$scratch/err" | sed 's/^/# /'
}

table() { # NAME: the file with what stands after "### NAME" in tests/data/tables.txt
	awk -v name="$1" '/^### / { on = $2 == name; next } on' tests/data/tables.txt >"$scratch/table.$1"
	echo "$scratch/table.$1"
}

fake() { # FILE: a program whose script is on stdin
	{ echo '#!/bin/sh' && cat; } >"$1" && chmod +x "$1"
}

skip() { # name reason
	number=$((number + 1))
	echo "ok - $1 # SKIP $2"
}

plan() {
	echo "1..$number"
}

needs_explored() { # name make-targets: nothing of it where there are no objects to explore
	[ -d "$build/explored" ] && return
	skip "$1" "no objects in $build/explored: $2"
	plan
	exit
}

# says NAME CODE WORDS COMMAND...: that exit code, and on stderr, lines of progress aside, exactly
# one line, which is ours and has WORDS in it. None of this takes a minute.
says() {
	name=$1 code=$2 words=$3
	shift 3
	timeout "${SAYS_SECONDS:-60}" "$@" >"$scratch/out" 2>"$scratch/err"
	got=$?
	lines=$(grep -vc '^\[' "$scratch/err")
	if [ $got -eq "$code" ] && [ "$lines" -eq 1 ] && grep -q '^stampede: ' "$scratch/err" &&
		grep -q -- "$words" "$scratch/err"; then
		report 0 "$name"
	else
		report 1 "$name"
		echo "# exit $got (wanted $code), $lines lines (wanted 1) with '$words':"
		sed 's/^/# /' "$scratch/err"
	fi
}

# finds NAME FILE EXPRESSION: Python about the JSON document r in that file
finds() {
	python3 -c "import json, sys
r = json.load(open(sys.argv[1]))
f = r['rows'][0]['families'][0] if isinstance(r, dict) and r.get('rows') else None
sys.exit(not ($3))" "$2" 2>"$scratch/err"
	report $? "$1"
	sed 's/^/# /' "$scratch/err"
}

# refuses NAME CODE WORDS COMMAND...: says, and nothing on stdout
refuses() {
	refused=$1
	says "$@"
	[ ! -s "$scratch/out" ]
	report $? "$refused: nothing on stdout"
}

# shows NAME PATTERN COMMAND...: exit code 0, and PATTERN on stdout
shows() {
	name=$1 pattern=$2
	shift 2
	if "$@" >"$scratch/out" 2>"$scratch/err" && grep -q -- "$pattern" "$scratch/out"; then
		report 0 "$name"
	else
		report 1 "$name"
		sed 's/^/# /' "$scratch/out" "$scratch/err"
	fi
}

# Sets $plain_bench: a copy of $build/bench for what is asked of the run alone. Instead of the program
# that draws its plots stands one that writes down how it was called.
plain_bench() {
	plain_bench=$scratch/plain/bench
	mkdir "$scratch/plain"
	cp "$build/bench" "$plain_bench"
	printf '#!/bin/sh\necho "$@" >>"$0.called"\n' >"$scratch/plain/plots"
	chmod +x "$scratch/plain/plots"
}

# objects_at_hand ROW...: what make explored has built already of a tree like ours is in
# $scratch/explored, for make with BUILD=$scratch/make: the ring, and what the readers of ROWs are made of.
objects_at_hand() {
	mkdir -p "$scratch/explored"
	make --no-print-directory BUILD="$scratch/make" "$scratch/make/flags" >/dev/null
	for name in ring format_ctf "$@"; do
		cp "$build/explored/$name.o" "$scratch/explored/$name.o"
	done
}

take_header() { # ROW: the header of make take ROW=..., in $folder
	python3 -B extras/take/take.py scheme "$1" "$folder" && "$build/take-facts" "$1" >"$folder/$1.facts" &&
		python3 -B extras/take/take.py header "$1" "$folder" "$folder/$1.facts"
}
