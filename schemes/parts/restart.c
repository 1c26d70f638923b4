// SPDX-License-Identifier: MIT
#include "schemes/parts/restart.h"

#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

uint64_t restart_epoch;

/* The descriptors of the sections that a handler makes start over, as the asm writes them. */
struct section {
	uint32_t version;
	uint32_t flags;
	uint64_t start;
	uint64_t bytes;
	uint64_t abort;
};

extern const struct section __start_rewind_sections[] __attribute__((weak));
extern const struct section __stop_rewind_sections[] __attribute__((weak));

uintptr_t restart_target(uintptr_t pc)
{
	const struct section *section;

	for (section = __start_rewind_sections; section < __stop_rewind_sections; section++)
		if (pc - section->start < section->bytes)
			return section->abort;
	return 0;
}

#ifdef RSEQ_SIG
#define AREA_BYTES 32 /* as glibc registers it, before the area could grow */

static struct rseq *area(void)
{
	return (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

const char *restart_unsupported(void)
{
	if (!__rseq_size)
		return "no rseq: it takes Linux 4.18 and glibc 2.35, and "
		       "GLIBC_TUNABLES=glibc.pthread.rseq not 0";
	return NULL;
}

bool restart_detach(void)
{
	struct rseq *mine = area();

	if (!__rseq_size || syscall(SYS_rseq, mine, AREA_BYTES, RSEQ_FLAG_UNREGISTER, RSEQ_SIG))
		return false;
	*(volatile uint32_t *)&mine->cpu_id = (uint32_t)sched_getcpu();
	*(volatile uint32_t *)&mine->cpu_id_start = mine->cpu_id;
	return true;
}

bool restart_attach(void)
{
	struct rseq *mine = area();

	/* The section that was announced last is not running any more. */
	memset((void *)&mine->rseq_cs, 0, sizeof(mine->rseq_cs));
	barrier(); /* before the kernel looks at the area again */
	return !syscall(SYS_rseq, mine, AREA_BYTES, 0, RSEQ_SIG);
}
#else
const char *restart_unsupported(void)
{
	return "built without rseq: it takes a glibc that knows it on this machine, 2.35 or later";
}

bool restart_detach(void)
{
	return false;
}

bool restart_attach(void)
{
	return false;
}
#endif
