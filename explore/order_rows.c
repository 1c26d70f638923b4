// SPDX-License-Identifier: MIT
#include "explore/tasks.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "base/fail.h"
#include "explore/family/verdicts.h"
#include "explore/order/order.h"

/* The payload is that of the others in "timed", too. */
static const struct {
	const char *name;
	uint32_t subbuf_shift, count_shift, bits;
} shapes[] = {
#define X(shape, subbuf_shift, count_shift, bits) { #shape, subbuf_shift, count_shift, bits },
#include "explore/shapes.def"
#undef X
	{ .name = NULL }
};

static struct ring_config config_of(const struct driver *driver, const struct family *family)
{
	struct ring_config config;
	unsigned int i = 0;

	while (shapes[i + 1].name && strcmp(shapes[i].name, family->shape))
		i++;
	config = buffer_config(driver, shapes[i].subbuf_shift, shapes[i].count_shift);
	if (shapes[i].bits)
		config.stamp_bits = driver_bits(driver, shapes[i].bits);
	config.mode = (enum ring_mode)family->mode;
	return config;
}

/* Why a row is not searched so; NULL: it is. */
static const char *refused(const struct driver *driver, const struct budget *budget)
{
	if (driver->publishes)
		return "without commits, nothing but x86-64's order tells a reader what is there";
	if (budget->writers > 1 && !driver->desc->shared_promises)
		return "it does not promise anything where several CPUs write";
	if (budget->nested && driver->blocks)
		return "its writers cannot be interrupted: give --nested 0";
	return driver->unsupported();
}

static int search_object(const struct explore_options *options, const char *path)
{
	struct order_search search = { .budget = options->family.budget,
				       .before = (uint32_t)options->family.before,
				       .full = (uint32_t)options->family.full,
				       .first_only = options->search.first_only,
				       .without_oracle = options->search.without_oracle };
	struct findings findings = { .schedules = 0 };
	struct search jumps = { .budget = search.budget };
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const char *why;
	int error;

	search.row = object ? dlsym(object, "order_row") : NULL;
	if (!search.row)
		return fail_with(EXIT_RESOURCE, "no row for --order (make explored-order): %s",
				 dlerror());
	if (search.row->driver) {
		why = refused(search.row->driver, &search.budget);
		if (why)
			return fail_with(EXIT_UNSUPPORTED, "%s: %s", search.row->driver->row, why);
		search.config = config_of(search.row->driver, &options->family);
		world_row.row = search.row->driver->row;
		world_row.driver = search.row->driver;
		world_row.config = search.config;
		search_jumps(&jumps, false);
		search.jumps = search.budget.jumps ? jumps.jumps : 0;
		search.jump = jumps.jump;
	}
	error = order_run(&search, &findings);
	if (error)
		return tasks_failed(error, path);
	if (search.row->driver) {
		findings.first.verdict = 0;
		verdicts_add(path, &options->family, 1, &findings, &options->search, options->show);
	}
	tasks_print(search.row->driver ? world_row.row : path, &options->family, &findings, 1,
		    options->verbose);
	return search_interrupted		 ? tasks_failed(-EINTR, path) :
	       findings.verdicts[VERDICT_BROKEN] ? EXIT_BROKEN :
						   0;
}

int order_rows(const struct explore_options *options, const struct driver *const *rows,
	       unsigned int count)
{
	char path[4096];
	int worst = EXIT_UNSUPPORTED, status;
	unsigned int i;

	if (options->object)
		return search_object(options, options->object);
	for (i = 0; i < count; i++) {
		if ((i + 1 < count || worst != EXIT_UNSUPPORTED) &&
		    refused(rows[i], &options->family.budget))
			continue; /* by their nature; the last one says why, if none is searched */
		snprintf(path, sizeof(path), "%s/%s.order.so", options->objects, rows[i]->row);
		status = search_object(options, path);
		if (status && status != EXIT_BROKEN && status != EXIT_UNSUPPORTED)
			return status;
		if (status == EXIT_BROKEN || worst == EXIT_UNSUPPORTED)
			worst = status;
	}
	return worst;
}
