#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: claims_model.sh BUILD   The model of claims of writers on several CPUs, searched whole by
# spin: right as it is, wrong with each of its mutants; and its steps are those of the code. TAP.
. tests/support/tap.sh
model=$(pwd)/judge/models/claims.pml
. tests/support/model.sh

[ "$(named)" = "claim,clock,clock again,commit,last,store last,tail,tail again," ]
report $? "the model's steps are those that are looked for here"
steps schemes/packed_word.h reserve "tail" "clock" "claim"
report $? "packed_word: the word, the clock, the claim"
steps schemes/packed_word.h packed_slow "claim" "tail again" "clock again"
report $? "who lost takes both again"
grep -q 'X(packed_word_locked_fenced, packed_word, -DLOCKED -DCLOCK_FENCED' schemes/schemes.def
report $? "and has the same code where several CPUs write"
steps schemes/parts/extend.h extend_see "offset" && steps schemes/parts/extend.h extend_claim "claim" &&
	steps schemes/extended_header.h extend_far "last" &&
	steps schemes/extended_header.h extend_remember "store last"
report $? "extended_header: the offset, the newest stamp, the claim, its own stamp"
order=$(sed -n '/^RESERVE struct reservation reserve(/,/^}/p' schemes/parts/extend.h |
	grep -oE 'extend_see\(|clock_read\("clock"|extend_far\(|extend_claim\(|extend_place\(' | head -4 | tr -d '("\n')
[ "$order" = "extend_seeclock_readclockextend_farextend_claim" ]
report $? "in this order ($order)"
steps schemes/core/subbuf.h ring_commit "commit"
report $? "a commit is one access"

needs_spin
for form in "extended_header:" "packed_word:-DPACKED"; do
	row=${form%%:*} flag="${form#*:} ${CLOCK_MOST:+-DCLOCK_MOST=$CLOCK_MOST}"
	right "$row, writers on two CPUs" $flag
	wrong "$row: a clock that is read before the word" $flag -DUNFENCED
	wrong "$row: compare and store in two steps" $flag -DNO_LOCK
	wrong "$row: the stamp of a claim that failed" $flag -DSTAMP_KEPT
	wrong "$row: the header of one that failed" $flag -DWORD_KEPT
	wrong "$row: a commit in two steps" $flag -DCOMMIT_SPLIT
done
wrong "extended_header: the newest stamp before its claim" -DLAST_EARLY
plan
