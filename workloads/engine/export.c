// SPDX-License-Identifier: MIT
#include "workloads/engine/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "runner/place/clock_pair.h"

int engine_export_directory(const char *dir)
{
	if (!mkdir(dir, 0777) || errno == EEXIST)
		return 0;
	return fail_with(EXIT_RESOURCE, "cannot make the directory %s: %s; give --export another",
			 dir, strerror(errno));
}

int engine_export_open(struct engine_export *export, const char *dir, const char *row,
		       uint64_t most, bool ctf2)
{
	int error = engine_export_directory(dir);

	memset(export, 0, sizeof(*export));
	export->most = most;
	export->ctf2 = ctf2;
	if (!error && !clock_pair_take(&export->opened))
		export->opened = (struct clock_pair){ .error_ns = 0 };
	pthread_mutex_init(&export->lock, NULL);
	if (!error && asprintf(&export->dir, "%s/%s", dir, row) < 0) {
		export->dir = NULL;
		error = EXIT_RESOURCE;
	}
	export->error = error ? error : engine_export_directory(export->dir);
	return export->error;
}

/* The trace of `epoch`, begun if it is the first time that it is wanted; NULL: none. */
static struct export *trace_of(struct engine_export *export, uint64_t epoch,
			       const struct buffer *buffer)
{
	struct export *trace;
	char *dir;

	if (epoch >= ENGINE_EXPORT_EPOCHS)
		return NULL;
	trace = &export->trace[epoch];
	if (trace->driver || export->bytes >= export->most)
		return trace->driver ? trace : NULL;
	if (asprintf(&dir, "%s/epoch-%" PRIu64, export->dir, epoch) < 0) {
		export->error = EXIT_RESOURCE;
		return NULL;
	}
	export->error = export_begin(trace, dir, buffer);
	free(dir);
	if (export->error)
		trace->driver = NULL;
	else
		export->epochs++;
	if (export->ctf2)
		export_as_ctf2(trace);
	return export->error ? NULL : trace;
}

void engine_export_tap(void *arg, const struct buffer *buffer, uint64_t first, uint64_t last)
{
	const struct engine_export_tap *tap = arg;
	struct engine_export *export = tap->export;
	struct export *trace;
	uint64_t before;

	pthread_mutex_lock(&export->lock);
	trace = export->error ? NULL : trace_of(export, tap->epoch, buffer);
	/* A trace that is begun takes whole drains until the limit is reached. */
	if (trace && export->bytes < export->most) {
		before = trace->bytes;
		export->error = export_subbufs(trace, buffer, first, last);
		export->bytes += trace->bytes - before;
	}
	pthread_mutex_unlock(&export->lock);
}

/*
 * By the first pair, and the rate that the two of them make, which is known the better the longer
 * the run was; ticks_hz() looks at 10 ms. That CLOCK_REALTIME was set meanwhile is said.
 */
static void date_all(struct engine_export *export)
{
	struct clock_pair closed;
	int64_t set;
	uint64_t hz;
	int i;

	hz = export->opened.error_ns && clock_pair_take(&closed) ?
		     wall_hz(&export->opened, &closed) :
		     0;
	if (!hz) {
		fail_line("%s: the counter goes back between readings: its traces have no date",
			  export->dir);
		return;
	}
	set = clock_pair_set(&export->opened, &closed);
	if (set)
		fail_line("%s: CLOCK_REALTIME was set by %" PRId64
			  " ns meanwhile: dates follow the clock as it was before",
			  export->dir, set);
	for (i = 0; i < ENGINE_EXPORT_EPOCHS; i++)
		if (export->trace[i].driver)
			export_date(&export->trace[i], &export->opened, hz);
}

int engine_export_close(struct engine_export *export)
{
	unsigned int i, kept = 0;
	int error;

	if (export->epochs)
		date_all(export);
	for (i = 0; i < ENGINE_EXPORT_EPOCHS; i++) {
		if (!export->trace[i].driver)
			continue;
		error = export_end(&export->trace[i]);
		kept += !error;
		if (error && !export->error)
			export->error = error;
	}
	if (!export->error)
		printf("  exported %u trace%s of %.1f MiB to %s\n", kept, kept == 1 ? "" : "s",
		       (double)export->bytes / (1 << 20), export->dir);
	pthread_mutex_destroy(&export->lock);
	free(export->dir);
	return export->error;
}
