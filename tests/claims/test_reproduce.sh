#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_reproduce.sh BUILD   make reproduce says which published figures are seen again, and which are not. TAP.
. tests/support/tap.sh
claim() { # SAID RUN TAKES READ WITHIN
	printf 'claim: y\nsaid: %s\nrun: %s\ntakes: %s\nread: %s\nwithin: %s\n\n' "$@"
}
run() { # NAME CODE WORDS
	python3 -B extras/claims/reproduce.py "$scratch/table" >"$scratch/out" 2>"$scratch/err"
	[ $? -eq "$2" ] && cat "$scratch/out" "$scratch/err" | grep -q -- "$3"
	report $? "$1"
}
tried() { # NAME CODE WORDS SAID RUN TAKES READ WITHIN
	name=$1 code=$2 words=$3
	shift 3
	claim "$@" >"$scratch/table"
	run "$name" "$code" "$words"
}
printf 'It is fast: %s ns, and\nwords are kept.\n' 1,234.5 >"$scratch/text"
ns="$scratch/text fast: ([\\d,.]+) ns" word="$scratch/text and words are (\\w+)"
json="echo '{\"a\": [{\"row\": \"x\", \"ns\": 9}, {\"row\": \"y\", \"ns\": 1240, \"of\": [{\"z\": \"kept\"}]}]}'"

tried "within an interval" 0 '^reproduced .*1240, expected 1222.* to 1246' "$ns" "$json" 1 'a[row=y].ns' '1 %'
tried "a wrong interval is seen" 2 '^NOT REPRODUCED .*expected 1233.* to 1235' "$ns" "$json" 1 'a[row=y].ns' '0.1 %'
tried "one that is too narrow by a half" 2 '^NOT REPRODUCED' "$ns" "$json" 1 'a[row=y].ns' 5
tried "at most" 0 '9, expected 0 to 1234' "$ns" "$json" 1 'a[row=x].ns' 'at most'
tried "more than at most" 2 '^NOT REPRODUCED' "$ns" "$json" 1 'a[row=y].ns' 'at most'
tried "a word" 0 'kept, published kept' "$word" "$json" 1 'a[row=y].of[z=kept].z' same
tried "another word" 2 'broken, published kept' "$word" "echo 'they are broken'" 1 '/they are (\w+)/' same
tried "a command that fails" 3 '^FAILED .*exit code 3' "$ns" "exit 3" 1 '/x/' 5
tried "a figure that is not there" 3 "nothing with row=none" "$ns" "$json" 1 'a[row=none].ns' 5
tried "a sentence that is gone" 3 "does not say 'slow" "$scratch/text slow: (\\d+)" "$json" 1 'a[row=y].ns' 5
{ claim "$ns" true 61 '/(x)/' 5 && claim "$ns" "echo 1234" 60 '/(\d+)/' 5; } >"$scratch/table"
run "what takes too long is left out, and the rest is tried" 0 '^1 reproduced, .*1 left out'
printf 'claim: a\nsaid: b c\n' >"$scratch/table"
run "a line that is missing" 1 "has no 'read:' line"
# What is published still stands there, and each of it has an interval.
python3 -B extras/claims/reproduce.py --list >"$scratch/out" 2>"$scratch/err" && [ "$(grep -c '^  expected: ' "$scratch/out")" -ge 38 ]
report $? "each sentence of the table stands where it says"
sed 's/^/# /' "$scratch/err"
plan
