#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_parts.sh BUILD   A search in parts: merged, they say what one process says; parts that
# are missing, killed, damaged or of another search are named. TAP.
build=$1
explore=$build/explore
. tests/support/tap.sh
needs_explored "parts" "make explored"
parts=$scratch/parts
merge="python3 -B explore/parts/merge.py"

search() { # how many parts, options...
	count=$1
	shift
	rm -rf "$parts" && mkdir "$parts"
	for number in $(seq 0 $((count - 1))); do
		"$explore" "$@" --part "$number/$count" --json "$parts/part-$number.json" \
			>>"$scratch/out" 2>>"$scratch/err"
	done
}

# The record of one process and of its parts: every number, but seconds, states that parts have in
# common, and which of several broken schedules is shown.
same() { # name, exit code, how many parts, options...
	name=$1 wanted=$2
	shift 2
	search "$@"
	shift
	"$explore" "$@" --json "$scratch/one.json" >"$scratch/one" 2>"$scratch/err"
	one=$?
	$merge --json "$scratch/all.json" "$parts"/part-*.json >"$scratch/all" 2>"$scratch/err"
	all=$?
	[ $one -eq "$wanted" ] && [ $all -eq "$wanted" ] && found=$(python3 -B \
		tests/explore/same_counts.py "$scratch/one.json" "$scratch/all.json" "$parts"/*)
	told $? "$name: $found, exit codes $one, $all"
}

same "quick tier of two rows" 0 6 --tier quick --schemes "=delta_sync_hard =dts_xts"
same "each schedule, each offset" 0 5 --engine schedules --shape ends2 --events 2 --nested 2 \
	--offsets all --schemes "=varint_delta_go =dwcas =untimed"
same "more parts than first actions" 0 40 --engine schedules --nested 2 --schemes "=packed_word"
same "states" 0 6 --engine states --stops all --nested 3 --schemes "=full_tsc"
same "each part in three processes" 0 4 --engine schedules --nested 3 --before 1 --processes 3 \
	--schemes "=packed_word =delta_sync_hard"
same "two CPUs" 0 5 --events 1 --nested 1 --writers 2 --preemptions 2 \
	--schemes "=dwcas"
same "a broken row, from one start a crash" 2 4 --object "$build/explored/seed_004.page.so" --nested 1 --offsets all
shown=$(grep -c 'build/explore .*--replay' "$scratch/all")
[ "$shown" -ge 1 ] && grep -q 'BROKEN' "$scratch/all"
report $? "and its first broken schedule is shown"
same "a row that cannot be searched" 4 2 --schemes "=packed_word =delta_sync_soft" --nested 1 \
	--discards 1

searched="--nested 2 --schemes =packed_word"
# shellcheck disable=SC2086
search 5 $searched
mv "$parts/part-3.json" "$scratch/kept"
says "a missing part" 5 "1 of 5 parts are missing: 3\$" $merge "$parts"/part-*.json
head -c 300 "$scratch/kept" >"$parts/part-3.json"
says "a part that is cut" 1 "part-3.json is no part of a search" $merge "$parts"/part-*.json
sed 's/"program": "[0-9a-f]*/"program": "0/' "$scratch/kept" >"$parts/part-3.json"
says "of another program" 1 "part-3.json is of another search" $merge "$parts"/part-*.json
sed 's/"page": "[0-9a-f]*/"page": "0/' "$scratch/kept" >"$parts/part-3.json"
says "of another object" 1 "part-3.json is of another search" $merge "$parts"/part-*.json
"$explore" --nested 1 --schemes =packed_word --part 3/5 --json "$parts/part-3.json" >/dev/null
says "of another budget" 1 "part-3.json is of another search" $merge "$parts"/part-*.json
# shellcheck disable=SC2086
"$explore" $searched --part 3/6 --json "$parts/part-3.json" >/dev/null
says "of other parts" 1 "part-3.json is of another search" $merge "$parts"/part-*.json
cp "$parts/part-1.json" "$parts/part-3.json"
says "a part twice" 1 "part-3.json and .*part-1.json are both part 1" $merge "$parts"/part-*.json
"$explore" --nested 2 --schemes =packed_word --json "$parts/part-3.json" >/dev/null
says "a whole search" 1 "part-3.json is no part of a search" $merge "$parts"/part-*.json
says "no file" 1 "cannot read .*No such file" $merge "$parts/none.json"

# nodes.sh, with programs of these names that do at once, or only write down, what they are asked.
mkdir "$scratch/bin"
asked=$scratch/asked
fake "$scratch/bin/parallel" <<-'EOF'
	for last; do :; done
	while read -r number; do sh -c "$(printf %s "$last" | sed "s/{}/$number/")" || :; done
EOF
fake "$scratch/bin/squeue" <<-EOF
	cat "$scratch/queue" 2>/dev/null || :
EOF
fake "$scratch/bin/sbatch" <<-EOF
	printf '<%s>' "\$@" >>"$asked"
	echo >>"$asked"
	echo "71;cluster"
EOF
fake "$scratch/bin/explore" <<-EOF
	echo "\$*" >>"$asked"
	[ "\$(wc -l <"$asked")" -gt "\$(cat "$scratch/kills")" ] || kill -KILL \$\$
	exec "$(readlink -f "$explore")" "\$@"
EOF
PATH=$scratch/bin:$PATH
folder="$scratch/it's here"
echo 2 >"$scratch/kills"
# shellcheck disable=SC2086
EXPLORE=$scratch/bin/explore sh explore/parts/nodes.sh "$folder" 3 parallel -- $searched >"$scratch/out" 2>"$scratch/err"
[ $? -eq 0 ] && [ "$(wc -l <"$asked")" -eq 5 ] && grep -q '^packed_word .* kept' "$scratch/out"
report $? "three parts, of which one is killed twice"
rm "$folder/part-1.json" "$asked"
echo 9 >"$scratch/kills"
# shellcheck disable=SC2086
EXPLORE=$scratch/bin/explore sh explore/parts/nodes.sh "$folder" 3 parallel -- $searched >"$scratch/out" 2>"$scratch/err"
[ $? -eq 5 ] && grep -q '1 of 3 parts are missing: 1$' "$scratch/err" && [ "$(wc -l <"$asked")" -eq 3 ]
report $? "one that is always killed is missing"
rm "$asked"
# shellcheck disable=SC2086
sh explore/parts/nodes.sh "$folder" 3 slurm --partition=night -- $searched --schemes "=a b" >"$scratch/out"
grep -q -- "<--array=1><--output=$folder/part-%a.log><--partition=night><--wrap=EXPLORE=.*part \
\$SLURM_ARRAY_TASK_ID -- .*'=a b' >\$" "$asked" && grep -q -- '<--dependency=afterany:71>.*merge.py' "$asked"
report $? "Slurm is asked for the part that is missing, and for the merge after it"
echo 71_1 >"$scratch/queue"
# shellcheck disable=SC2086
says "parts in the queue" 5 "are in the queue" sh explore/parts/nodes.sh "$folder" 3 slurm -- $searched
for wrong in "" "$folder" "$folder x slurm --" "$folder 3 other --" "$folder 3 slurm"; do
	# shellcheck disable=SC2086
	sh explore/parts/nodes.sh $wrong >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 1 ] && grep -q '^usage' "$scratch/err"
	report $? "usage: nodes.sh $wrong"
done
plan
