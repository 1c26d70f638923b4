# SPDX-License-Identifier: MIT
# For test_*.sh, read by `.`: TAP lines, and programs that must refuse or show. Sets $scratch.
number=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

report() { # good? name
	number=$((number + 1))
	if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

# refuses NAME CODE WORDS ARGS...: that exit code, nothing on stdout and one line with WORDS
refuses() {
	name=$1 code=$2 words=$3
	shift 3
	"$@" >"$scratch/out" 2>"$scratch/err"
	got=$?
	if [ $got -eq "$code" ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] &&
		[ ! -s "$scratch/out" ] && grep -q -- "$words" "$scratch/err"; then
		report 0 "$name"
	else
		report 1 "$name"
		echo "# exit $got, wanted $code and '$words':"
		sed 's/^/# /' "$scratch/err"
	fi
}

# shows NAME PATTERN ARGS...
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
