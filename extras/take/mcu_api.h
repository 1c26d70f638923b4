/* SPDX-License-Identifier: MIT */
/*
 * A program without an operating system, whose thread and interrupts of all priorities record:
 *
 *	#define CLOCK() (DWT->CYCCNT)		// goes up by itself, and is never set
 *	#include "READER_H"		// where packets are read; ROW_H where not
 *	static const uint32_t words[] = { 1, 2 };	// of the payloads of events 0 and 1
 *	static struct recorder ring;		// with its memory; zeroed, as static data is
 *	...
 *	open(&ring, words, 2);			// before interrupts record
 *	write(&ring, 1, pair, 2);		// thread or interrupt: waits for nobody
 *	...
 *	flush_open(&ring);			// where the last, half-full packet is wanted too
 *	while (read(&ring, &packet)) {		// the thread alone
 *		send(packet.bytes, packet.size);
 *		release(&ring, &packet);
 *	}
 *
 * All packets, one behind the other, are the stream of a CTF trace. From one event to the next less
 * than 31/32 of the counter's range may pass, 2^32 - 2^27 ticks of 32 bits: an event of any kind,
 * such as a tick, sees to that; after a longer sleep call the reader's sleep(). With an RTOS all
 * tasks may record, and one reads. SUBBUF_SHIFT (8 .. 10) and COUNT_SHIFT (1 .. 16), defined before
 * this header, are log2 of a packet's bytes and of the number of packets in the ring; OVERWRITE,
 * defined as 1: it keeps the newest. No heap, no C library; a compiler may call memcpy(), memset().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorder; /* a ring, its writer and its reader: yours to place, not to look into */

/* `ids` is 1 .. 31. False: it is not, or there is a NULL, or a payload that no packet holds. */
static inline bool open(struct recorder *t, const uint32_t *words, uint32_t ids);
/* False: no packet is free, which lost() counts, or there is no such event, as refused() does. */
static inline bool write(struct recorder *t, uint32_t id, const uint32_t *payload, uint32_t words);
static inline uint32_t lost(const struct recorder *t);
static inline uint32_t refused(const struct recorder *t);
