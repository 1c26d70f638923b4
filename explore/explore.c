// SPDX-License-Identifier: MIT
/* build/explore: every interrupt within a budget, for the rows that are asked for. */
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/exit.h"
#include "base/json.h"
#include "base/signals.h"
#include "judge/trial.h"
#include "explore/explore_options.h"
#include "explore/load.h"
#include "explore/tasks.h"
#include "explore/family/verdicts.h"

static int replay_row(const struct explore_options *options, const char *row)
{
	struct action action[WORLD_ACTIONS_MAX] = { { .kind = ACTION_NONE } };
	struct search search = options->search;
	struct failure failure = { .score = 0 };
	enum verdict verdict = VERDICT_KEPT;
	int error = 0;
	int actions = replay_parse(options->replay, action, WORLD_ACTIONS_MAX);

	if (actions < 0)
		return 1;
	error = load_row(options, row, &options->family);
	if (error)
		return tasks_failed(error, row);
	family_search(&options->family, &search);
	search.start.phase = options->search.start.phase;
	search.start.extra = options->search.start.extra;
	if (!show_schedule(options->show, &search, action, (unsigned int)actions, &verdict)) {
		fail_line("--replay: this schedule does not fit %s and this budget", row);
		return 1;
	}
	failure.actions = (uint8_t)actions;
	failure.verdict = (uint8_t)verdict;
	memcpy(failure.action, action, sizeof(action));
	show_keep(options->show, &search, &failure);
	return verdict == VERDICT_BROKEN ? EXIT_BROKEN : 0;
}

static void on_interrupt(int signal)
{
	(void)signal;
	search_interrupted = 1;
}

/* One schedule, row after row; of the object that is named if there are none. */
static int replay_rows(const struct explore_options *options, const struct driver *const *rows,
		       unsigned int count)
{
	int status = 0, worst = 0;
	unsigned int i;

	if (!count)
		return replay_row(options, options->object);
	for (i = 0; i < count; i++) {
		status = replay_row(options, rows[i]->row);
		if (status && status != EXIT_BROKEN && status != EXIT_UNSUPPORTED)
			return status;
		worst = worst == EXIT_BROKEN || !status ? worst : status;
	}
	return worst;
}

/* Rows that their trial breaks have their word; returns how many are left to be searched. */
static unsigned int kept_by_trial(const struct show *show, const struct driver **rows,
				  unsigned int count)
{
	const struct row_trial *trial;
	unsigned int i, kept = 0;

	for (i = 0; i < count; i++) {
		trial = trial_of(rows[i]);
		if (!trial || !trial->why[0]) {
			rows[kept++] = rows[i];
			continue;
		}
		printf("%-26s BROKEN, before any interrupt: %s\n", rows[i]->row, trial->why);
		verdicts_add_trial(rows[i], trial->why);
		if (show->draw)
			fail_line("%s: nothing is drawn of a gap that no interrupt is needed for",
				  rows[i]->row);
	}
	return kept;
}

/* The rows of --schemes, or the object that is named. */
static int explore_rows(const struct explore_options *options)
{
	const struct driver *rows[DRIVERS_MAX];
	unsigned int kept;
	int count = 0, status;

	if (!options->object) {
		count = tasks_rows(options, rows);
		if (count < 0)
			return -count;
		if (!options->replay)
			printf("%-26s %-44s %4s %12s\n", "row", "searched", "runs", "schedules");
	}
	if (options->order)
		return order_rows(options, rows, (unsigned int)count);
	if (options->replay)
		return replay_rows(options, rows, (unsigned int)count);
	kept = kept_by_trial(options->show, rows, (unsigned int)count);
	status = kept || options->object ? search_rows(options, rows, kept) : EXIT_FINE;
	return kept < (unsigned int)count && (!status || status == EXIT_UNSUPPORTED) ? EXIT_BROKEN :
										       status;
}

int main(int argc, char **argv)
{
	static char plots[PATH_MAX], objects[PATH_MAX];
	struct show show = { .out = stdout, .plots = file_data("plots", plots) };
	struct explore_options options = {
		.show = &show,
		.objects = file_data("explored", objects),
		.processes = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
	};
	int status, drawn = EXIT_FINE;

	fail_memory_remedy = "give a smaller budget, fewer --processes, or less --memory";
	if (!explore_options_parse(argc, argv, &options, &status))
		return status;
	if (world_map())
		return 1;
	status = options.foreign ? load_foreign(&options) : 0;
	if (status)
		return status;
	if (signals_stop(on_interrupt))
		return 1;
	status = options.json ? verdicts_begin(argc, argv) : 0;
	if (status)
		return status;
	json_own_stdout(options.json);
	status = explore_rows(&options);
	if (show.drawing) {
		fflush(stdout);
		drawn = show_draw(&show);
	}
	/* Part of a search is no verdict. */
	if (options.json && (!status || status == 2 || status == 4) &&
	    verdicts_write(options.json, status))
		return 3;
	return status ? status : drawn;
}
