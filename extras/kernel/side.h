/* SPDX-License-Identifier: MIT */
/* One CPU of an epoch: the ring that it records into, and what interrupts it. */
#pragma once

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/smp.h>

#include "extras/kernel/shim/shim.h"
#include "extras/kernel/run.h"

/* Before each allocation of the module: does the parameter fail_at name it? */
bool allocation_fails(void);

struct side {
	/* set by KERNEL_START */
	const struct driver *driver;
	struct kernel_image *image;
	struct ring_config config;
	void *scheme;
	uint8_t *area;
	struct side *other; /* which it interrupts: the next one's, or its own */
	int cpu;
	uint64_t cost_ns; /* median of what a timer's interrupt takes from the task; these stay */
	uint64_t cost_most_ns;
	uint64_t period_ns; /* mean time between two of them */
	uint32_t contexts;
	uint64_t beat_ns;

	/* of one epoch */
	struct task_struct *task;
	struct completion done;
	struct hrtimer timer;
	struct hrtimer beat;
	struct tasklet_struct softirq;
	call_single_data_t call;
	uint64_t events_most;
	uint64_t most_ns;
	bool on; /* interrupts record */
	bool asks; /* for an NMI, now */
	unsigned long called; /* bit 0: the call is on its way, and nobody sends another */
	unsigned long nmi_sent; /* the same of an NMI */
	uint64_t random[CONTEXTS]; /* each context has its own: none is torn by another */

	/* Each who comes in puts back what it finds, so plain accesses do. */
	unsigned int depth;
	uint64_t stolen_ticks; /* by all that has come and gone */
	uint64_t batches; /* that the task has done: it moves */
	uint64_t batches_seen; /* by the timer, `timers` of which have come since */
	unsigned int timers;
	uint64_t fired; /* by the timer */
	unsigned long interrupted; /* address that the last hardirq came at */
	uint64_t beat_last_ticks;
};

/* Before each epoch: of `cpu`, nothing has come yet. */
void side_init(struct side *side, int cpu);

/* So many sides are about to start: they begin together, and the first to have enough ends all. */
void sides_begin(int count);
/* All have enough. */
void sides_end(void);
/* Its thread writes the ring; negative errno. */
int side_start(struct side *side);
/* Behind it no interrupt of the side comes any more. */
void side_stop(struct side *side);

int sides_register(void);
void sides_unregister(void);
