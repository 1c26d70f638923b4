#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_handover.sh BUILD   The model of the hand-over to a reader on another CPU, searched whole by
# spin: right as it is, wrong with each of its mutants; and its steps are those of the code. TAP.
. tests/support/tap.sh
model=$(pwd)/judge/models/handover.pml

. tests/support/model.sh
[ "$(named)" = "claim,commit,open: commits,open: consumed,read: commits,read: consumed,read: tail," ]
report $? "the model's steps are those that are looked for here"
steps schemes/core/subbuf.h ring_may_open "open: commits" "open: consumed"
report $? "a writer looks at the commits, then at what was read"
steps schemes/core/subbuf.h ring_commit "commit"
report $? "and commits by one access"
steps schemes/core/ring.c ring_content "read: commits" "read: content"
report $? "a reader loads the commits before all else"
steps schemes/core/ring.c ring_end "read: tail" && steps schemes/core/ring.c ring_consume "read: consumed"
report $? "looks at the tail, and stores what it has read"
# The second look is behind the copies, and the release behind the reading.
look=$(sed -n '/^static inline uint64_t ring_copy_next(/,/^}/p' schemes/core/handover.h |
	grep -oE '(ring_end|copy_some|oldest_safe|ATOMIC_ACQUIRE)' | tr '\n' ' ')
[ "$look" = "ring_end oldest_safe copy_some ATOMIC_ACQUIRE ring_end oldest_safe " ]
report $? "the second look comes behind the copies"
some=$(sed -n '/^static inline uint64_t ring_copy_some(/,/^}/p' schemes/core/handover.h |
	grep -oE '(ring_content|copy_slot|ring_end)' | tr '\n' ' ')
[ "$some" = "ring_content copy_slot copy_slot " ]
report $? "and each copy behind its commits"
# Nothing on x86-64 shows that a fence is missing: it is looked for, in all that is cut, too.
slot=$(sed -n '/^static inline void ring_copy_slot(/,/^}/p' schemes/core/handover.h |
	grep -oE '(read: books|ATOMIC_ACQUIRE|read: bytes)' | tr '\n' ' ')
[ "$slot" = "read: books ATOMIC_ACQUIRE read: bytes " ] &&
	[ "$(grep -cE '(^|[^a-z])(__atomic_thread_)?fence\(__ATOMIC_ACQUIRE\)' schemes/core/handover.h)" = 2 ]
report $? "a slot's books are copied before its bytes"
grep -q 'return end - number > ring_count_mask(ring) ? end - ring_count_mask(ring) : number;' \
	schemes/core/handover.h && grep -q '#define SAFE(number) (tail - (number) < SLOTS)' "$model"
report $? "and asks what the model's asks: the mask is one less than the slots"

needs_spin
right "discard, stores in order"
right "discard, stores in order, a writer that is alone" -DMASKED
right "discard, weak order" -DWEAK
right "overwrite, stores in order" -DOVERWRITE
right "overwrite, stores in order, a writer that is alone" -DOVERWRITE -DMASKED
wrong "the commit before the payload" -DCOMMIT_EARLY
wrong "the same in a ring that overwrites" -DOVERWRITE -DCOMMIT_EARLY
wrong "no release at the commit" -DWEAK -DCOMMIT_RELAXED
wrong "no acquire behind the commits" -DWEAK -DREAD_RELAXED
wrong "no release of what was read" -DWEAK -DCONSUME_RELAXED
wrong "a writer that opens what was not read" -DIGNORE_CONSUMED
wrong "a copy that is believed" -DOVERWRITE -DNO_LOOK
wrong "a look before the copy" -DOVERWRITE -DLOOK_EARLY
wrong "a look when half of it is copied" -DOVERWRITE -DLOOK_AMID
wrong "the oldest slot is not safe" -DOVERWRITE -DMASKED -DNO_MARGIN
plan
