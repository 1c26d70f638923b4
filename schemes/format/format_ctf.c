// SPDX-License-Identifier: MIT
#include "schemes/format/format_ctf.h"

/* Has the writer that claimed packet `number` written its header? */
static bool ctf_is_open(const struct ring *ring, uint64_t number)
{
	const struct ctf_packet_header *header =
		(const struct ctf_packet_header *)ring_subbuf_base(ring, number);

	return ring_subbuf(ring, number)->number == number && header->packet_seq_num == number;
}

/*
 * A packet ends where the next begins: that stamp was taken after every record in here was claimed.
 * A writer cannot know it earlier, and one taken at commit would overlap the next packet.
 */
void ctf_finish(const struct ring *ring, uint64_t number, uint32_t content_bytes)
{
	struct ctf_packet_header *header =
		(struct ctf_packet_header *)ring_subbuf_base(ring, number);
	const struct ctf_packet_header *next =
		(const struct ctf_packet_header *)ring_subbuf_base(ring, number + 1);

	header->content_size = (uint64_t)content_bytes * 8;
	header->packet_size = ring_subbuf_bytes(ring) * 8;
	if (ctf_is_open(ring, number + 1)) {
		header->timestamp_end = next->timestamp_begin;
		header->events_discarded = ring_subbuf(ring, number + 1)->lost_before;
	} else {
		header->timestamp_end =
			ring->flush_number == number ? ring->flush_stamp : header->timestamp_begin;
		header->events_discarded = ring->lost;
	}
}

uint64_t ctf_end(const struct ring *ring, uint64_t number, uint64_t last)
{
	struct ctf_packet_header *header =
		(struct ctf_packet_header *)ring_subbuf_base(ring, number);

	if (!ctf_is_open(ring, number + 1) && (int64_t)(header->timestamp_end - last) < 0)
		header->timestamp_end = last;
	return header->timestamp_end;
}
