/* SPDX-License-Identifier: MIT */
/*
 * A reader on another CPU, while writers record. It takes sub-buffers whole, as soon as they are
 * complete, and judges every event; no writer waits for it or knows of it.
 *
 *   discard    It reads in place, and its release of a sub-buffer is what lets writers open it
 *              again.
 *   overwrite  It copies some sub-buffers and then looks whether a writer may have begun to
 *              overwrite them: such a copy counts as nothing, and the sub-buffer as overwritten.
 *              ftrace exchanges the page for a spare one, and LTTng marks it, both by an atomic
 *              operation that all CPUs obey, in each switch of every writer. Here a switch stays as
 *              it is, and a reader that is dead or stopped cannot hold anything back. The reader
 *              pays for copies, and a writer that laps the ring meanwhile leaves it with nothing.
 *
 * Order, of what another CPU sees:
 *   a sub-buffer's bytes, bookkeeping before its last commit (release); the reader loads the commit
 *                                     counter, then these (acquire)
 *   of the published form             before the tail's store; the reader loads the tail first
 *   the reader's loads                before its store of `consumed` (release); a writer loads that
 *                                     and stores only if it may
 *   the tail of an opened sub-buffer  before or just after the first byte in it: the copy is good
 *                                     if after it (acquire) the tail is not yet in the slot before
 *
 * On x86-64 plain stores and loads keep these orders. Elsewhere commits are release operations; the
 * published form and the last line are not ordered there, and are refused.
 */
#pragma once

#include "judge/buffer.h"
#include "schemes/core/handover.h"

#ifdef __x86_64__
#define LIVE_STORES_IN_ORDER 1
#else
#define LIVE_STORES_IN_ORDER 0
#endif

struct live {
	struct buffer *buffer; /* NULL: not attached */
	struct buffer spare; /* where sub-buffers of an overwriting ring are copied */
	uint64_t taken; /* sub-buffers */
	struct handover reader;
};

/* Memory for copies of any ring in `buffer`'s memory. Negative errno, after a line on stderr. */
int live_open(struct live *live, const struct buffer *buffer);
void live_close(struct live *live);

/*
 * Reads `buffer` from now on; while nobody writes. Negative errno, after a line on stderr: EBUSY,
 * somebody reads it already; ENOMEM, it overwrites and there is no room for a copy; ENOTSUP,
 * nothing orders it on this machine.
 */
int live_attach(struct live *live, struct buffer *buffer);

/* While nobody writes, or never: whoever attaches next goes on behind what was taken. */
void live_detach(struct live *live);

/* Takes what is complete, and judges it. How many sub-buffers that were. */
uint64_t live_take(struct live *live, struct check *check);

/* Objects if more was given back than `check` has had, and no writer can have overwritten it. */
void live_check_given_back(const struct ring *ring, struct check *check);
