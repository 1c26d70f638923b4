// SPDX-License-Identifier: MIT
#include "extras/kernel/program/epochs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/rng.h"
#include "base/time.h"

#define DEVICE_PATH "/dev/" KERNEL_DEVICE
#define RING_BYTES_SHIFT 22
#define EPOCH_MOST_NS 2000000000u

int kernel_open(struct kernel_device *device)
{
	unsigned int i;

	*device = (struct kernel_device){ .file = open(DEVICE_PATH, O_RDWR | O_CLOEXEC) };
	if (device->file < 0)
		return fail_with(errno == ENOENT ? EXIT_UNSUPPORTED : EXIT_RESOURCE,
				 "cannot open %s: %s; as root, insmod stampede.ko", DEVICE_PATH,
				 strerror(errno));
	for (i = 0; i < KERNEL_CPUS_MAX; i++) {
		device->area[i] = mmap(NULL, KERNEL_AREA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
				       device->file, (off_t)KERNEL_AREA_BYTES * i);
		if (device->area[i] == MAP_FAILED) {
			device->area[i] = NULL;
			break;
		}
	}
	return i ? EXIT_FINE :
		   fail_with(EXIT_RESOURCE, "cannot map %s: %s; load the module of this tree",
			     DEVICE_PATH, strerror(errno));
}

void kernel_close(struct kernel_device *device)
{
	unsigned int i;

	for (i = 0; i < KERNEL_CPUS_MAX && device->area[i]; i++)
		munmap(device->area[i], KERNEL_AREA_BYTES);
	if (device->file >= 0)
		close(device->file);
}

/* As the storm's epochs: any geometry, either mode, and more events than fit now and then. */
static void choose(const struct driver *driver, const struct epochs *epochs, uint64_t *state,
		   struct kernel_start *start, struct kernel_epoch *epoch)
{
	uint64_t random = rng_next(state), fill;

	*start = (struct kernel_start){
		.contexts = KERNEL_CONTEXT(KERNEL_SOFTIRQ) | KERNEL_CONTEXT(KERNEL_HARDIRQ),
		.cpus = epochs->cpus,
		.mode = random >> 32 & 1 ? RING_OVERWRITE : RING_DISCARD,
		.subbuf_shift = 12 + random % 5,
		.stamp_bits = epochs->bits,
		.counter_bits = driver->counter_bits,
		.scheme_bytes = (uint32_t)driver->scheme_bytes,
		.image_bytes = sizeof(struct kernel_image),
	};
	memcpy(start->row, driver->row, strnlen(driver->row, KERNEL_ROW_BYTES - 1));
	start->count_shift = RING_BYTES_SHIFT - start->subbuf_shift;
	if (epochs->with_nmi)
		start->contexts |= KERNEL_CONTEXT(KERNEL_NMI);
	if (epochs->asked && epochs->asked < driver->counter_bits && driver->counter_bits < 64)
		start->counter_bits = start->stamp_bits;
	fill = (UINT64_C(1) << RING_BYTES_SHIFT) / (driver->payload_bytes + 16u);
	epoch->events = random >> 40 & 7 ? fill - fill / 4 : 2 * fill;
	epoch->most_ns = EPOCH_MOST_NS;
}

/* The image as the judge knows a buffer: the kernel's addresses become this program's. */
static void adopt(struct buffer *buffer, const struct driver *driver, uint8_t *area,
		  const struct kernel_start *start)
{
	const struct kernel_image *image = (const struct kernel_image *)area;
	struct ring *ring = (struct ring *)(area + KERNEL_SCHEME_AT);

	ring->base = area + KERNEL_BASE_AT;
	ring->subbufs = (struct subbuf *)(area + KERNEL_SUBBUFS_AT);
	*buffer = (struct buffer){
		.driver = driver,
		.scheme = ring,
		.base = ring->base,
		.subbufs = ring->subbufs,
		.base_bytes = KERNEL_BASE_MOST,
		.config = kernel_config(start, driver, image->cpu),
		.writer = image->writer,
	};
}

static void add(struct epochs *epochs, const struct kernel_image *image, const struct check *check,
		const struct ring *ring, const struct judgement *judgement)
{
	unsigned int i;

	for (i = 0; i < CONTEXTS; i++) {
		epochs->delivered[i] += image->delivered[i];
		epochs->hits[i] += image->hits[i];
		epochs->nested += i == CONTEXT_TASK ? 0 : check->by_context[i];
	}
	for (i = 0; i <= CONTEXTS; i++)
		epochs->at_depth[i] += image->at_depth[i];
	for (i = 0; i < ORACLES; i++)
		epochs->violations[i] += check->violations[i];
	epochs->events += check->events;
	epochs->wrong += check->damage.wrong;
	epochs->inexact += check->inexact;
	epochs->lost += ring->lost;
	epochs->waits += image->waits;
	epochs->ticks += image->elapsed_ticks;
	epochs->calm_ticks += (image->writer.entered[CONTEXT_TASK] * image->calm_ticks) >> 10;
	epochs->period_ns = image->period_ns;
	epochs->unmet |= judgement->unmet;
	if (!epochs->text)
		epochs->text = judgement->text;
	/* Broken is worst, and a need that was not met worse than kept. */
	if (judgement->verdict == VERDICT_BROKEN ||
	    (epochs->verdict == VERDICT_KEPT && judgement->verdict != VERDICT_KEPT))
		epochs->verdict = judgement->verdict;
}

/* What one CPU wrote in an epoch, and what came of it. */
struct judged {
	const struct driver *driver;
	const struct kernel_start *start;
	uint8_t *area;
	struct buffer buffer;
	struct check check;
	struct judgement judgement;
	pthread_t thread;
	bool apart; /* judged by that thread */
};

static void *judge_area(void *arg)
{
	struct judged *judged = arg;
	const struct kernel_image *image = (const struct kernel_image *)judged->area;
	struct judge_given given = {
		.beat_worst_ticks = image->beat_worst_ticks,
		.nested = image->at_depth[2] != 0,
	};

	adopt(&judged->buffer, judged->driver, judged->area, judged->start);
	buffer_check(&judged->buffer, &judged->check);
	judge_buffer(&judged->buffer, &judged->check, &given, &judged->judgement);
	return NULL;
}

/* Each CPU's ring by a thread of its own: nothing is written meanwhile, so all have a CPU. */
static void judge_areas(const struct kernel_device *device, const struct driver *driver,
			const struct kernel_start *start, struct epochs *epochs)
{
	static struct judged judged[KERNEL_CPUS_MAX];
	uint32_t i;

	for (i = 0; i < start->cpus; i++) {
		judged[i].driver = driver;
		judged[i].start = start;
		judged[i].area = device->area[i];
		judged[i].apart =
			i && !pthread_create(&judged[i].thread, NULL, judge_area, &judged[i]);
	}
	for (i = 0; i < start->cpus; i++) {
		if (judged[i].apart)
			pthread_join(judged[i].thread, NULL);
		else
			judge_area(&judged[i]);
		add(epochs, (const struct kernel_image *)judged[i].area, &judged[i].check,
		    buffer_ring(&judged[i].buffer), &judged[i].judgement);
	}
}

static int epoch_run(struct kernel_device *device, const struct driver *driver,
		     struct epochs *epochs, uint64_t *state)
{
	struct kernel_start start;
	struct kernel_epoch epoch;

	choose(driver, epochs, state, &start, &epoch);
	if (driver->desc->needs & NEED_BEAT)
		start.beat_ns = 1; /* asks for tsc_khz first */
	if (ioctl(device->file, KERNEL_START, &start))
		return errno == ENOENT ?
			       fail_with(EXIT_USAGE, "%s is not in the module", driver->row) :
			       fail_with(EXIT_RESOURCE, "%s: the module refuses to start it: %s",
					 driver->row, strerror(errno));
	if (start.beat_ns) {
		start.beat_ns = (uint64_t)driver_beat_ns(driver, epochs->bits,
							 (double)start.tsc_khz * 1000);
		if (ioctl(device->file, KERNEL_START, &start))
			return fail_with(EXIT_RESOURCE, "%s: %s", driver->row, strerror(errno));
	}
	if (ioctl(device->file, KERNEL_EPOCH, &epoch))
		return fail_with(EXIT_RESOURCE, "%s: the module cannot record: %s", driver->row,
				 strerror(errno));
	judge_areas(device, driver, &start, epochs);
	epochs->count++;
	return EXIT_FINE;
}

/* As many nested events as asked for, and an NMI in a hardirq in a softirq in the task. */
static bool enough(const struct epochs *epochs)
{
	return epochs->nested >= epochs->nested_least && (epochs->at_depth[4] || !epochs->with_nmi);
}

int epochs_run(struct kernel_device *device, const struct driver *driver, struct epochs *epochs)
{
	uint64_t state = rng_seed(epochs->bits, 0), end = time_ns() + epochs->seconds * 1000000000u;
	int status = EXIT_FINE;

	epochs->verdict = VERDICT_KEPT;
	while (status == EXIT_FINE && !enough(epochs) && time_ns() < end)
		status = epoch_run(device, driver, epochs, &state);
	return status;
}
