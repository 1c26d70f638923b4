// SPDX-License-Identifier: MIT
#include "schemes/format/format_ctf.h"

/*
 * Has the writer that claimed packet `number` written its header? In a ring of the published form
 * one that has to start over may have, with a stamp older than what others have recorded since.
 */
static bool ctf_is_open(const struct ring *ring, uint64_t number)
{
	const struct ctf_packet_header *header = ctf_header(ring, number);
	bool open;

	if (!ring_has_commits(ring) && number >= ring_end(ring, &open))
		return false;
	if (once_load(&ring_subbuf(ring, number)->number) != number)
		return false;
	fence(__ATOMIC_ACQUIRE); /* the header, and the books but for it, stand behind the number */
	return header->packet_seq_num == number;
}

/*
 * A packet ends where the next begins: that stamp was taken after every record in here was claimed.
 * A writer cannot know it earlier, and one taken at commit would overlap the next packet. Of the
 * newest it is the flush, if that came behind `last`, the newest event known. One look at the next:
 * it may be opened while this one is read on another CPU.
 */
static void finish(const struct ring *ring, uint64_t number, uint64_t content_bits, uint64_t last)
{
	struct ctf_packet_header *header = ctf_header(ring, number);
	const struct ctf_packet_header *next = ctf_header(ring, number + 1);
	uint64_t end =
		once_load(&ring->flush_number) == number ? once_load(&ring->flush_stamp) : last;

	header->content_size = content_bits;
	header->packet_size = ring_subbuf_bytes(ring) * 8;
	if (ctf_is_open(ring, number + 1)) {
		header->timestamp_end = next->timestamp_begin;
		header->events_discarded = once_load(&ring_subbuf(ring, number + 1)->lost_before);
	} else {
		header->timestamp_end = (int64_t)(end - last) < 0 ? last : end;
		header->events_discarded = once_load(&ring->lost);
	}
}

void ctf_finish(const struct ring *ring, uint64_t number, uint32_t content_bytes)
{
	const struct ctf_packet_header *header = ctf_header(ring, number);

	finish(ring, number, (uint64_t)content_bytes * 8, header->timestamp_begin);
}

uint64_t ctf_end(const struct ring *ring, uint64_t number, uint64_t last)
{
	const struct ctf_packet_header *header = ctf_header(ring, number);

	finish(ring, number, header->content_size, last);
	return header->timestamp_end;
}
