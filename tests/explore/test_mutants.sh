#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_mutants.sh BUILD   Are the oracles what finds the mutants? TAP.
# For each oracle a fault that it alone objects to: it is found with it and survives without it.
# And what must fail the run does: a patch that does not apply, a budget pinned too high.
build=$1 patches=
. tests/support/tap.sh

cases() { # code words case...: exit code CODE, and a line with WORDS
	code=$1 words=$2
	shift 2
	python3 tests/cases/cases.py --build "$build" "$@" >"$scratch/out" 2>&1
	[ $? -eq "$code" ] && grep -q -- "$words" "$scratch/out" && return
	sed 's/^/# /' "$scratch/out"
	return 1
}

set -- exact:$build/mutants/nested_no_nobody_came window:$build/history/zero_delta_window \
	monotonic:$build/mutants/claim_clock_once conservation:$build/mutants/ring_lost_twice \
	structure:$build/mutants/extend_full_in_new_packet counts:$build/mutants/nested_extend_always \
	losses:$build/mutants/loss_gives_up steps:$build/mutants/last_is_absolute
for pair in "$@"; do
	patches="$patches ${pair#*:}.patch"
done
# shellcheck disable=SC2086
cases 0 "$# cases, 0 of them equivalent: all as they say" $patches
report $? "each oracle finds its fault"
for pair in "$@"; do
	oracle=${pair%%:*} patch=${pair#*:}.patch
	cases 1 "SURVIVES" --without-oracle "$oracle" "$patch"
	report $? "without $oracle $(basename "$patch" .patch) survives, and the run fails"
done

# Faults of the timed build alone: its section's, found by the explorer; its loop's, by the storm.
cases 0 "2 cases, 0 of them equivalent: all as they say" $build/mutants/timed_section_no_tail.patch \
	$build/mutants/timed_loop_odd.patch
report $? "faults of the timed build are found"
cases 0 "3 cases, 0 of them equivalent: all as they say" $build/mutants/cached_*.patch $build/mutants/converted_cut.patch
report $? "rows that declare their errors break where they leave them"

cases 0 "12 cases, 0 of them equivalent: all as they say" $build/mutants/live_copy_believed.patch \
	$build/mutants/live_commit_early.patch $build/mutants/live_look_amid.patch \
	$build/mutants/live_read_relaxed.patch $build/mutants/live_empty_forgotten.patch $build/mutants/live_books_last.patch \
	$build/mutants/live_visit_one_more.patch $build/mutants/live_commit_relaxed.patch \
	$build/mutants/live_consume_relaxed.patch $build/mutants/live_number_early.patch \
	$build/mutants/live_next_relaxed.patch $build/mutants/live_books_relaxed.patch
report $? "faults that only a reader on another CPU meets are found"

cases 0 "12 cases, 0 of them equivalent: all as they say" "$build"/mutants/shared_*.patch
report $? "faults of writers on two CPUs are found"

# These look for ever for room that no sub-buffer has, once the event before is that large.
cases 0 "2 cases, 0 of them equivalent: all as they say" $build/mutants/ring_overshoot_equal.patch \
	$build/mutants/nested_leaves_64.patch && [ "$(grep -c 'counts hang' "$scratch/out")" -eq 2 ]
report $? "writers that pad for ever are found, and end the search"

sed 's/nested_claim(s, at.tail, size);/nested_claim(s, at.head, size);/' \
	$build/mutants/nested_before_after_claim.patch >"$scratch/stale.patch"
cases 1 "DOES NOT APPLY" "$scratch/stale.patch"
report $? "a patch that does not apply fails the run"

# Only what their heads say is not so: these are the object of above.
mkdir "$scratch/high" "$scratch/oracle"
sed 's/--depth 1/--depth 2/; s/--nested 2/--nested 3/' $build/mutants/nested_no_nobody_came.patch \
	>"$scratch/high/nested_no_nobody_came.patch"
cases 1 "BREAKS BELOW" "$scratch/high/nested_no_nobody_came.patch"
report $? "a budget that is not the smallest fails the run"

sed 's/^# oracle: exact/# oracle: counts/' $build/mutants/nested_no_nobody_came.patch \
	>"$scratch/oracle/nested_no_nobody_came.patch"
cases 1 "counts does not object" "$scratch/oracle/nested_no_nobody_came.patch"
report $? "a fault that another oracle finds fails the run"
rm -rf "$build/cases/stale"
plan
