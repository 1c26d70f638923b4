// SPDX-License-Identifier: MIT
#include "explore/replay/show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/child.h"
#include "base/exit.h"
#include "base/fail.h"
#include "base/json.h"

/* The command that makes this search and no other, and replays the schedule. */
static void print_command(struct show *show, const struct search *search,
			  const struct failure *failure)
{
	const struct start_part *of;
	char schedule[512];
	unsigned int part;
	uint64_t value;

	if (show->foreign)
		fprintf(show->out, "  build/explore --foreign %s", show->foreign);
	else if (show->object)
		fprintf(show->out, "  build/explore --object %s", show->object);
	else
		fprintf(show->out, "  build/explore --schemes =%s --shape %s", world_row.row,
			show->shape);
	fprintf(show->out, " --stops %s", stops_words[search->stops]);
	for (part = 0; part < BUDGET_PARTS; part++)
		if (budget_parts[part].always || budget_of(&search->budget, part))
			fprintf(show->out, " --%s %u", budget_parts[part].name,
				budget_of(&search->budget, part));
	for (of = start_parts; of->option; of++) {
		value = start_of(&search->start.asked, of);
		if (value && of->words)
			fprintf(show->out, " --%s %s", of->option, of->words[value]);
		else if (value)
			fprintf(show->out, " --%s %" PRIu64, of->option, value);
	}
	if (search->start.phase || search->start.extra)
		fprintf(show->out, " --start %" PRIu64 ":%u", search->start.phase,
			search->start.extra);
	replay_format(failure->action, failure->actions, schedule, sizeof(schedule));
	fprintf(show->out, " --replay \"%s\"\n", schedule);
}

bool show_schedule(struct show *show, const struct search *search, const struct action *action,
		   unsigned int actions, enum verdict *verdict)
{
	static struct replay replay;

	if (!replay_run(search, action, actions, &replay))
		return false;
	replay_print(show->out, &replay);
	*verdict = replay.verdict;
	return true;
}

void show_failure(struct show *show, const struct search *search, const struct failure *failure,
		  int *error)
{
	enum verdict verdict;

	print_command(show, search, failure);
	if (!show_schedule(show, search, failure->action, failure->actions, &verdict))
		fprintf(show->out, "  (this schedule no longer fits)\n");
	else if (verdict == VERDICT_KEPT) {
		fflush(show->out);
		fail_line("this schedule keeps its promises when played alone: report a fault "
			  "of the search");
		*error = -EPROTO;
	}
}

void show_keep(struct show *show, const struct search *search, const struct failure *failure)
{
	static struct replay replay;
	FILE *out = show->out;
	char *command = NULL;
	size_t bytes;

	if (!show->draw || (show->drawing && !findings_better(failure, &show->drawn)))
		return;
	replay.every = true;
	show->out = open_memstream(&command, &bytes);
	if (show->out && replay_run(search, failure->action, failure->actions, &replay)) {
		print_command(show, search, failure);
		fflush(show->out);
		json_decref(show->drawing);
		show->drawing = replay_json(&replay);
		show->drawn = *failure;
		json_object_set_new(show->drawing, "command", json_safe(command));
	}
	if (show->out)
		fclose(show->out);
	free(command);
	show->out = out;
}

int show_draw(struct show *show)
{
	char data[4096];
	const struct child_program plots = {
		.argv = (const char *const[]){ show->plots, "--schedule", data, show->draw, NULL },
	};
	int status;

	snprintf(data, sizeof(data), "%s.json", show->draw);
	status = json_out(data, show->drawing);
	if (!status) {
		status = child_run(&plots, NULL);
		unlink(data);
	}
	json_decref(show->drawing);
	show->drawing = NULL;
	return status < 0 || status > EXIT_NOISY ? EXIT_USAGE : status;
}
