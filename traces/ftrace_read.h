/* SPDX-License-Identifier: MIT */
/*
 * Reads raw ftrace sub-buffers as kernels write them, and those of our rings. What a kernel has
 * beside format/format_ftrace.h:
 *
 *   commit   low 20 bits: bytes of data; bit 31: events were lost before this sub-buffer; bit 30:
 *            how many, as a 64-bit number behind the data
 *   type 29  padding; delta 0: the rest is void; else a discarded event: u32 length of what is
 *            skipped follows, and its delta counts, as libtraceevent does it. (A kernel writes 1
 *            where the delta was 0: times behind it may be 1 late.)
 *   30, 31   may stand alone, before padding or at the end
 */
#pragma once

#include "schemes/format/format_ftrace.h"
#include "traces/trace_file.h"

#define FTRACE_SUBBUF_LEAST 64u
#define FTRACE_SUBBUF_MOST (1u << 20)
#define FTRACE_COMMIT_MASK 0xfffffu
#define FTRACE_COMMIT_LOST (UINT64_C(1) << 31)
#define FTRACE_COMMIT_COUNT (UINT64_C(1) << 30)
/* An extend or absolute that jumps further is taken for damage: over two years in ns. */
#define FTRACE_JUMP_BITS 56

struct ftrace_counts {
	uint64_t subbufs;
	uint64_t events;
	uint64_t payload_bytes;
	uint64_t extends;
	uint64_t absolutes;
	uint64_t paddings; /* discarded events */
	uint64_t paddings_of_1; /* of these with a delta of 1, which may have been 0 */
	uint64_t lost_marks; /* sub-buffers that say events were lost before them */
	uint64_t lost; /* events, where a sub-buffer says how many */
	uint64_t backward; /* sub-buffers and absolutes that are before what comes before them */
};

struct ftrace_reader {
	uint32_t stamp_bits; /* T: 27 in a kernel */
	uint32_t subbuf_bytes;

	/* where it stands */
	const uint8_t *subbuf;
	uint64_t offset; /* of the sub-buffer in its file */
	const uint8_t *at;
	const uint8_t *end;
	uint64_t time;
	bool first; /* nothing was read yet: there is no time to go back from */
	uint64_t hidden_offset; /* of what may be a sub-buffer inside the current one; 0: none */
	uint64_t hidden_stamp;
	struct ftrace_counts counts;
	struct trace_fault fault; /* ends the reading */
	struct trace_fault backward; /* the first step back of time, which does not */
};

void ftrace_reader_init(struct ftrace_reader *reader, uint32_t subbuf_bytes, uint32_t stamp_bits);

/*
 * Stands on the first record of the sub-buffer of reader->subbuf_bytes at `subbuf`, which lies at
 * `offset` of its file. False: a fault.
 */
bool ftrace_subbuf_open(struct ftrace_reader *reader, const uint8_t *subbuf, uint64_t offset);

/* The next events of the sub-buffer, at most TRACE_BATCH; 0 at its end, or at a fault. */
uint32_t ftrace_batch(struct ftrace_reader *reader, struct trace_event *batch);

/* A sub-buffer's commit. Linux 6.18 stores a negative int, so that all bits above 31 are set. */
static inline uint64_t ftrace_commit(const uint8_t *subbuf)
{
	uint64_t commit = get_u64(subbuf + 8);

	return commit >> 31 == UINT64_MAX >> 31 ? (uint32_t)commit : commit;
}

/* May the 8 bytes be the commit, 4 bytes, and the first record of a 32-bit kernel's sub-buffer? */
static inline bool ftrace_is_narrow(uint64_t commit)
{
	return (uint32_t)commit - 1 < 4096 - 12 && commit >> 32;
}
