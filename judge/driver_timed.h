/* SPDX-License-Identifier: MIT */
/*
 * The payload of the timed build: the stamp alone. Part of driver.c and of explore/row.c, so that
 * what is timed is what is explored.
 */
#ifndef STAMPEDE_JUDGE_DRIVER_TIMED_H
#define STAMPEDE_JUDGE_DRIVER_TIMED_H

static inline void payload_fill(const struct reservation *rsv, struct source *src, uint32_t len)
{
	uint64_t stamp = rsv->stamp;

	(void)src;
	(void)len;
#ifdef STAMPEDE_INJECTED
	if (unlikely(rsv->inexact))
		stamp = CHECK_INEXACT;
#elif defined(STAMPEDE_EXPLORED)
	if (unlikely(rsv->inexact))
		explore_inexact(&src->at);
#endif
	memcpy(rsv->payload, &stamp, sizeof(stamp));
}

#endif
