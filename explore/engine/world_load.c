// SPDX-License-Identifier: MIT
/* Loading an explored row, and finding its sites by their addresses. */
#include "base/fail.h"
#include "explore/engine/world.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explore/engine/guard.h"

bool world_has_rounds;

static uint32_t *site_index[2]; /* by copy: return address - stop_base -> site + 1 */
static uint64_t stop_base[2], stop_span[2];

static int index_sites(const char *path, unsigned int copy)
{
	uint64_t low = UINT64_MAX, high = 0, i, stop;

	for (i = 0; i < world_row.site_count; i++) {
		stop = world_row.sites[i].stop[copy];
		if (!stop)
			continue;
		low = stop < low ? stop : low;
		high = stop > high ? stop : high;
	}
	stop_base[copy] = low;
	stop_span[copy] = high >= low ? high - low + 1 : 0;
	free(site_index[copy]);
	site_index[copy] = calloc(stop_span[copy] + 1, sizeof(uint32_t));
	if (!site_index[copy]) {
		fail_line("no memory for the stops of %s", path);
		return -ENOMEM;
	}
	world_has_rounds = false;
	for (i = 0; i < world_row.site_count; i++)
		world_has_rounds |= world_row.sites[i].round;
	for (i = 0; i < world_row.site_count; i++)
		if (world_row.sites[i].stop[copy])
			site_index[copy][world_row.sites[i].stop[copy] - low] = (uint32_t)i + 1;
	return 0;
}

bool world_has_sections(void)
{
	uint64_t i;

	for (i = 0; i < world_row.site_count; i++)
		if (world_row.sites[i].abort[STOPS_ALL])
			return true;
	return false;
}

int world_load(const char *path)
{
	static void *loaded;
	void (*get)(struct explored_row * row);
	unsigned int copy;
	int error = 0;
	void *symbol;

	if (loaded)
		dlclose(loaded);
	loaded = NULL;
	error = object_check(path);
	if (error)
		return error;
	loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	symbol = loaded ? dlsym(loaded, EXPLORED_ROW_SYMBOL) : NULL;
	if (!symbol) {
		fail_line("%s is not an explored row: %s", path, dlerror());
		return -ENOEXEC;
	}
	memcpy(&get, &symbol, sizeof(get));
	get(&world_row);
	if (world_row.layout != EXPLORED_LAYOUT) {
		fail_line("%s is of another version of Stampede: build it again (make explored)",
			  path);
		return -ENOEXEC;
	}
	for (copy = 0; copy < 2 && !error; copy++)
		error = index_sites(path, copy);
	if (offsetof(struct world, memory) + 64 + 2 * world_ring_bytes() > WORLD_BYTES) {
		fail_line("%s: its writers share %zu bytes, of which %zu can be explored: make "
			  "buffers smaller",
			  path, world_ring_bytes(),
			  (WORLD_BYTES - offsetof(struct world, memory) - 64) / 2);
		return -E2BIG;
	}
	return error;
}

const struct explore_site *world_site_at(uint64_t pc, unsigned int *copy)
{
	uint64_t offset;

	for (*copy = 0; *copy < 2; (*copy)++) {
		offset = pc - stop_base[*copy];
		if (offset < stop_span[*copy] && site_index[*copy][offset])
			return &world_row.sites[site_index[*copy][offset] - 1];
	}
	return NULL;
}
