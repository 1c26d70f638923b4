/* SPDX-License-Identifier: MIT */
/* Payloads that a restartable section copies; part of driver.c, after struct source. */
#pragma once

#if SEAM_PAYLOAD_STAMP
/* The section stores the stamp itself. */
static inline void payload_prepare(struct source *src, uint32_t len, struct payload *payload)
{
	(void)src;
	(void)len;
	(void)payload;
}

static inline void payload_stamp(struct source *src, uint64_t stamp, struct payload *payload)
{
	src->image = stamp;
	*payload = (struct payload){ .head = { NULL, &src->image, sizeof(src->image) } };
}

static inline void payload_published(struct source *src)
{
	(void)src;
}
#else
static inline void payload_prepare(struct source *src, uint32_t len, struct payload *payload)
{
	/*
	 * A context does not nest in itself here: no other event takes this number before it is
	 * written.
	 */
	uint64_t sequence = src->writer->written[src->context];
	uint32_t extra = len - PAYLOAD_BYTES;

	_Static_assert(offsetof(struct check_payload, stamp) == PAYLOAD_STAMP_AT &&
			       offsetof(struct check_payload, exit) == PAYLOAD_EXIT_AT,
		       "the section stores there");
	src->image = (struct check_payload){
		.entry = src->entry,
		.tag = check_tag(src->writer->first_context + src->context, false, extra, src->id,
				 sequence),
	};
	*payload = (struct payload){
		.head = { NULL, &src->image, sizeof(src->image) },
		.body = { NULL, check_filler_bytes_of(sequence), extra },
	};
}

static inline void payload_stamp(struct source *src, uint64_t stamp, struct payload *payload)
{
	payload_prepare(src, PAYLOAD_BYTES + check_tag_extra(src->image.tag), payload);
	src->image.stamp = stamp;
	src->image.exit = clock_fenced();
}

static inline void payload_published(struct source *src)
{
	src->writer->written[src->context]++;
}
#endif
