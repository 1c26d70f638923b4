/* SPDX-License-Identifier: MIT */
/*
 * The timed build's payload is the stamp alone. Who took it is known from the log of events: of
 * those that had entered and not left when the clock showed that value, the last one to enter, for
 * one writer runs at a time. With that the reader of a timed shape has the whole payload that the
 * checked build would have stored, and all oracles judge it.
 */
#ifndef STAMPEDE_JUDGE_IDENTIFY_H
#define STAMPEDE_JUDGE_IDENTIFY_H

struct event;

/* Nothing is identified yet: of a reader that begins. */
void identify_begin(void);

/* Puts a check_payload in place of the stamp that the decoded event carries. The reader calls it. */
void explore_identify(struct event *event);

#endif
