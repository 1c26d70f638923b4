/* SPDX-License-Identifier: MIT */
/*
 * The timed build's payload is the stamp alone. A log of events says which event took it: the one
 * that had entered last among those that had not left when the clock showed that value, since one
 * writer runs at a time. So a reader with such a log (core/seam.h: SEAM_IDENTIFIES) has the
 * whole payload that the checked build would have stored, and all oracles judge it.
 */
#pragma once

struct event;

/* A reader begins: nothing is identified yet. */
void identify_begin(void);

/*
 * Puts a check_payload in place of the stamp that the decoded event carries. The reader calls it.
 */
void identify_event(struct event *event);
