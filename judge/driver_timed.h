/* SPDX-License-Identifier: MIT */
/*
 * The payload of the timed build: the stamp alone. Part of each program that runs such a row, so
 * that the same code is timed and explored. PAYLOAD_INEXACT(src), if it is defined, is told of
 * a stamp that is declared inexact, which such a payload cannot carry.
 */
#pragma once

static inline void payload_fill(const struct reservation *rsv, struct source *src, uint32_t len)
{
	uint64_t stamp = rsv->stamp;

	(void)src;
	(void)len;
	if (SEAM_INEXACT_STORED && unlikely(rsv->inexact))
		stamp = CHECK_INEXACT;
#ifdef PAYLOAD_INEXACT
	if (unlikely(rsv->inexact))
		PAYLOAD_INEXACT(src);
#endif
	memcpy(rsv->payload, &stamp, sizeof(stamp));
}
