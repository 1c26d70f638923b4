// SPDX-License-Identifier: MIT
#include "format_ctf.h"

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
	if (ring_holds(ring, number + 1) && next->packet_seq_num == number + 1) {
		header->timestamp_end = next->timestamp_begin;
		header->events_discarded = ring_subbuf(ring, number + 1)->lost_before;
	} else {
		header->timestamp_end = ring->flush_stamp;
		header->events_discarded = ring->lost;
	}
}
