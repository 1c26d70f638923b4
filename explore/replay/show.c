// SPDX-License-Identifier: MIT
#include "explore/replay/show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/fail.h"
#include "base/options.h"
#include "explore/replay/replay_export.h"

struct text {
	char bytes[1024];
	size_t used;
};

static __attribute__((format(printf, 2, 3))) void append(struct text *text, const char *format, ...)
{
	va_list arguments;
	int more;

	va_start(arguments, format);
	more = vsnprintf(text->bytes + text->used, sizeof(text->bytes) - text->used, format,
			 arguments);
	va_end(arguments);
	if (more > 0 && (size_t)more < sizeof(text->bytes) - text->used)
		text->used += (size_t)more;
}

/* The options that make this search and no other. */
static void append_command(struct text *text, const struct search *search, const struct show *show)
{
	static const char *const stops[] = { "all", "shared", "none", "points" };
	unsigned int part;

	if (show->foreign)
		append(text, "build/explore --foreign %s", show->foreign);
	else if (show->object)
		append(text, "build/explore --object %s", show->object);
	else
		append(text, "build/explore --schemes =%s --shape %s", world_row.row, show->shape);
	append(text, " --stops %s", stops[search->stops]);
	for (part = 0; part < BUDGET_PARTS; part++)
		if (budget_parts[part].always || budget_of(&search->budget, part))
			append(text, " --%s %u", budget_parts[part].name,
			       budget_of(&search->budget, part));
	if (search->start.skew)
		append(text, " --skew %" PRIu64, search->start.skew);
	if (search->start.step != 1)
		append(text, " --clock %s", search->start.step ? "slow" : "coarse");
	if (search->start.mode == RING_DISCARD)
		append(text, " --mode discard");
	if (search->start.before)
		append(text, " --before %u", search->start.before);
	if (search->start.full)
		append(text, " --full %u", search->start.full);
	if (search->start.large)
		append(text, " --size large");
	if (search->start.phase || search->start.extra)
		append(text, " --start %" PRIu64 ":%u", search->start.phase, search->start.extra);
}

static void append_schedule(struct text *text, const struct action *action, unsigned int actions)
{
	char schedule[512];

	replay_format(action, actions, schedule, sizeof(schedule));
	append(text, " --replay \"%s\"", schedule);
}

static int export(struct show *show, const struct search *search, const struct action *action,
		  unsigned int actions)
{
	int status = replay_export(show->export, show->ctf2, search, action, actions);

	show->exported = true;
	return status == EXIT_RESOURCE ? -ENOSPC : status ? -EINVAL : 0;
}

bool show_schedule(struct show *show, const struct search *search, const struct action *action,
		   unsigned int actions, enum verdict *verdict, int *error)
{
	static struct replay replay;

	if (!replay_run(search, action, actions, &replay, NULL))
		return false;
	replay_print(show->out, &replay);
	*verdict = replay.verdict;
	if (show->export && !show->exported && replay.fault)
		fprintf(show->out, "  nothing to export\n");
	else if (show->export && !show->exported)
		*error = export(show, search, action, actions);
	return true;
}

void show_failure(struct show *show, const struct search *search, const struct failure *failure,
		  int *error)
{
	struct text command = { .used = 0 };
	enum verdict verdict;

	append_command(&command, search, show);
	append_schedule(&command, failure->action, failure->actions);
	fprintf(show->out, "  %s\n", command.bytes);
	if (!show_schedule(show, search, failure->action, failure->actions, &verdict, error))
		fprintf(show->out, "  (this schedule no longer fits)\n");
	else if (verdict == VERDICT_KEPT && !*error) {
		fflush(show->out);
		fail_line("this schedule keeps its promises when played alone: report a fault "
			  "of the search");
		*error = -EPROTO;
	}
}
