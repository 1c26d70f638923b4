// SPDX-License-Identifier: MIT
/* The table of all workloads, and choosing among them by name. */
#include <string.h>

#include "base/options.h"
#include "workloads/workload.h"

volatile sig_atomic_t workload_stop;

void workload_interrupt(int signal)
{
	(void)signal;
	workload_stop = 1;
}

const struct workload *const workloads[] = {
#define X(name) &workload_##name,
#include "workloads/workloads.def"
#undef X
	NULL
};

_Static_assert(sizeof(workloads) / sizeof(workloads[0]) <= WORKLOADS_MAX, "raise WORKLOADS_MAX");

unsigned int workload_index(const struct workload *workload)
{
	unsigned int i;

	for (i = 0; workloads[i] != workload; i++)
		;
	return i;
}

const struct workload *workload_find(const char *name, size_t length)
{
	const char *names[WORKLOADS_MAX];
	unsigned int i, count = 0;

	for (i = 0; workloads[i]; i++) {
		if (!workloads[i]->text)
			continue;
		if (strlen(workloads[i]->name) == length &&
		    !strncmp(workloads[i]->name, name, length))
			return workloads[i];
		names[count++] = workloads[i]->name;
	}
	names[count] = NULL;
	option_unknown("workload", name, length, names);
	return NULL;
}

static bool goes_along(const struct workload *workload, enum workload_size size, const bool *chosen)
{
	if (workload->text || size < workload->least)
		return false;
	return !workload->with || chosen[workload_index(workload->with)];
}

bool workload_choose(const char *list, enum workload_size size, bool chosen[WORKLOADS_MAX])
{
	const struct workload *found;
	size_t length;
	unsigned int i;
	bool any = false;

	list = list ? list : "";
	memset(chosen, 0, WORKLOADS_MAX * sizeof(chosen[0]));
	for (list += strspn(list, " ,"); *list; list += length, list += strspn(list, " ,")) {
		length = strcspn(list, " ,");
		found = workload_find(list, length);
		if (!found)
			return false;
		chosen[workload_index(found)] = any = true;
	}
	for (i = 0; workloads[i] && !any; i++)
		chosen[i] = workloads[i]->text && size >= workloads[i]->least;
	for (i = 0; workloads[i]; i++)
		chosen[i] |= goes_along(workloads[i], size, chosen);
	return true;
}

void workload_list(FILE *out)
{
	unsigned int i;

	fputc('\n', out);
	for (i = 0; workloads[i]; i++)
		if (workloads[i]->text)
			options_item(out, workloads[i]->name, workloads[i]->text);
}
