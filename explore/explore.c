// SPDX-License-Identifier: MIT
/* build/explore: every interrupt within a budget, for the rows that are asked for. */
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explore/audit.h"
#include "explore/coverage.h"
#include "explore/explore_options.h"
#include "judge/export.h"
#include "explore/jobs.h"
#include "base/options.h"
#include "explore/pace.h"
#include "explore/replay_export.h"
#include "explore/verdicts.h"

static void print_findings(const char *what, const struct findings *findings, int searches,
			   bool verbose)
{
	unsigned int i;

	printf("%-44s %4d %12" PRIu64 " %8.2f s", what, searches, findings->schedules,
	       findings->seconds);
	if (findings->outcomes)
		printf("  %" PRIu64 " outcomes %016" PRIx64, findings->outcomes,
		       findings->outcomes_hash);
	printf("  %s", findings->verdicts[VERDICT_BROKEN] ? "BROKEN" :
		       findings->verdicts[VERDICT_NEED_NOT_MET] ? "kept where needs are met" :
								  "kept");
	if (findings->verdicts[VERDICT_BROKEN]) {
		printf(" %" PRIu64 ":", findings->verdicts[VERDICT_BROKEN]);
		for (i = 0; i < ORACLES + 3; i++)
			if (findings->objections[i])
				printf(" %s %" PRIu64, i < ORACLES ? check_oracle_name((enum oracle)i) :
				       i == ORACLES	? "crash" :
				       i == ORACLES + 1 ? "hang" :
							  "stuck", findings->objections[i]);
	} else if (findings->verdicts[VERDICT_NEED_NOT_MET]) {
		printf(" (%" PRIu64 " not)", findings->verdicts[VERDICT_NEED_NOT_MET]);
	}
	if (verbose)
		printf(", %" PRIu64 " stops, %" PRIu64 " states, %" PRIu64 " inexact and %" PRIu64
		       " extended of %" PRIu64, findings->stops, findings->states,
		       findings->inexact, findings->extended, findings->decoded);
	if (findings->stuck)
		printf(", gave up in %" PRIu64, findings->stuck);
	putchar('\n');
	fflush(stdout);
}

/* Loading a file that ends too early would be a bus error. */
static bool whole(const char *path)
{
	FILE *file = fopen(path, "rb");
	ElfW(Ehdr) header;
	bool good = file && fread(&header, sizeof(header), 1, file) == 1 &&
		    !memcmp(header.e_ident, ELFMAG, SELFMAG) && !fseek(file, 0, SEEK_END) &&
		    (uint64_t)ftell(file) >=
			    header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize;

	if (file && !good)
		fprintf(stderr, "stampede: %s is not a whole object: remove it, and make it again\n",
			path);
	if (file)
		fclose(file);
	return !file || good; /* of one that is not there world_load() speaks */
}

/* Negative errno, after a line on stderr; -ENOTSUP: not with this budget. */
static int load(const struct explore_options *options, const char *row,
		const struct family *family)
{
	char path[4096];
	int error;

	if (options->object)
		snprintf(path, sizeof(path), "%s", options->object);
	else
		snprintf(path, sizeof(path), "%s/%s.%s%s.so", options->objects, row, family->shape,
			 family->stops == STOPS_POINTS ? ".points" : "");
	if (!whole(path))
		return -ENOEXEC;
	error = world_load(path);
	if (error)
		return error;
	if (options->show->export && export_refused(world_row.driver))
		return -ENOTSUP;
	if (!family->budget.discards || !world_row.defers || world_row.discards)
		return 0;
	fprintf(stderr, "stampede: --discards: %s puts interrupts off and has no discard: leave it "
		"out\n", row);
	return -ENOTSUP;
}

static int explore_family(const struct explore_options *options, const char *row,
			  const struct family *family, struct findings *sum)
{
	struct findings findings = { .schedules = 0 };
	struct search first;
	char what[128];
	int searches, error = load(options, row, family);

	if (error)
		return error;
	/* In sections all instructions are shared stops: that many were interrupted already. */
	if (!options->single && world_has_sections() && family->stops == STOPS_SHARED &&
	    family->budget.nested > (options->tier == TIER_QUICK ? 3 : 4))
		return 0;
	options->show->shape = world_row.shape;
	options->show->object = options->object;
	pace_family(row, family);
	searches = family_run(family, &options->search, options->processes, &findings, &first);
	pace_done();
	if (searches < 0)
		return searches;
	verdicts_add(family, searches, &findings, &first, options->show);
	sum->schedules += findings.schedules;
	sum->seconds += findings.seconds;
	sum->stuck += findings.stuck;
	sum->verdicts[VERDICT_BROKEN] += findings.verdicts[VERDICT_BROKEN];
	sum->verdicts[VERDICT_NEED_NOT_MET] += findings.verdicts[VERDICT_NEED_NOT_MET];
	family_format(family, what, sizeof(what));
	if (options->verbose || options->single || findings.verdicts[VERDICT_BROKEN]) {
		printf("%-26s ", world_row.row);
		print_findings(what, &findings, searches, options->verbose);
	}
	if (findings.verdicts[VERDICT_BROKEN] ||
	    (options->verbose && findings.verdicts[VERDICT_NEED_NOT_MET]))
		show_failure(options->show, &first, &findings.first, &error);
	return error ? error : searches;
}

static bool wanted(const struct explore_options *options, const struct family *family,
		   const struct driver *driver)
{
	/* One beat is an interrupt like others to who needs none; two are the same search again. */
	if (family->budget.beats > 1 && !(driver->desc->needs & NEED_BEAT))
		return false;
	return (int)family->tier <= options->tier && !(family->main_rows && driver->variant) &&
	       (family->budget.writers <= 1 || driver->desc->shared_promises);
}

/* The exit code for a search that did not come to its end. */
static int failed(int error, const char *row)
{
	if (error == -ENOTSUP)
		return 4;
	if (error != -EINTR)
		return error == -ENOSPC || error == -EACCES || error == -ENOENT ? 3 : 1;
	fflush(stdout);
	if (jobs_beside())
		return 5;
	fprintf(stderr, "stampede: interrupted while %s was searched; what is above is complete\n",
		row);
	return 5;
}

/* The one family that the options say. */
static int explore_single(const struct explore_options *options, const char *row)
{
	struct findings sum = { .schedules = 0 };

	int some = explore_family(options, row, &options->family, &sum);

	if (some < 0)
		return failed(some, row);
	return sum.verdicts[VERDICT_BROKEN] ? 2 : 0;
}

static int explore_row(const struct explore_options *options, const struct driver *driver)
{
	const char *row = driver->row;
	struct findings sum = { .schedules = 0 };
	const struct family *family;
	int searches = 0, some;

	if (options->single)
		return explore_single(options, row);
	for (family = families; family->shape; family++) {
		if (!wanted(options, family, driver))
			continue;
		some = explore_family(options, row, family, &sum);
		if (some < 0)
			return failed(some, row);
		searches += some;
	}
	printf("%-26s ", row);
	print_findings("", &sum, searches, false);
	return sum.verdicts[VERDICT_BROKEN] ? 2 : 0;
}

static int replay_row(const struct explore_options *options, const char *row)
{
	struct action action[WORLD_ACTIONS_MAX];
	struct search search = options->search;
	enum verdict verdict = VERDICT_KEPT;
	int error = 0;
	int actions = replay_parse(options->replay, action, WORLD_ACTIONS_MAX);

	if (actions < 0)
		return 1;
	error = load(options, row, &options->family);
	if (error)
		return failed(error, row);
	family_search(&options->family, &search);
	search.start.phase = options->search.start.phase;
	search.start.extra = options->search.start.extra;
	options->show->shape = world_row.shape;
	options->show->object = options->object;
	if (!show_schedule(options->show, &search, action, (unsigned int)actions, &verdict, &error)) {
		fprintf(stderr, "stampede: --replay: this schedule does not fit %s and this budget\n",
			row);
		return 1;
	}
	return error ? failed(error, row) : verdict == VERDICT_BROKEN ? 2 : 0;
}

static int audit_one(const struct explore_options *options, const char *row)
{
	struct world_start start = {
		.mode = options->family.mode,
		.step = !options->family.coarse,
		.before = options->family.before,
		.full = options->family.full,
		.large = options->family.large,
	};
	struct audit audit;
	int error = load(options, row, &options->family);

	if (error)
		return failed(error, row);
	error = audit_row(&start, &options->family.budget, &audit);
	if (error)
		return error == -ENOTSUP ? 4 : 1;
	printf("%-26s %-10s %9" PRIu64 " schedules %9" PRIu64 " stops %9" PRIu64
	       " instructions %4" PRIu64 " of %4" PRIu64 " sites  %s\n", row,
	       options->family.shape, audit.schedules, audit.stops, audit.instructions,
	       audit.sites, world_row.site_count,
	       audit.different || audit.unseen ? "DIFFERENT" : "equal");
	if (!audit.different && !audit.unseen)
		return 0;
	fflush(stdout);
	fprintf(stderr, "stampede: --audit: %s, %s: %s\n", row, options->family.shape, audit.first);
	return 1;
}

static bool covers(const void *arg, const struct family *family)
{
	return wanted(arg, family, world_row.driver);
}

/* In each shape that the tier has for it. An exit code. */
static int cover_row(const struct explore_options *options, const struct driver *driver)
{
	const struct family *family, *before;
	struct coverage coverage;
	int error, worst = 0;

	for (family = families; family->shape; family++) {
		for (before = families; strcmp(before->shape, family->shape); before++)
			continue;
		if (before != family || (options->single && strcmp(family->shape, options->family.shape)))
			continue;
		error = load(options, driver->row, family);
		if (!error)
			error = coverage_row(covers, options, &coverage);
		if (error < 0)
			return failed(error, driver->row);
		coverage_print(&coverage, options->verbose);
		worst = error ? EXIT_BROKEN : worst;
	}
	return worst;
}

/* DIR/explored of DIR/explore. */
static const char *default_objects(void)
{
	static char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 16);
	char *slash;

	if (length < 0)
		return "build/explored";
	path[length] = 0;
	slash = strrchr(path, '/');
	strcpy(slash + 1, "explored");
	return path;
}

static void on_interrupt(int signal)
{
	(void)signal;
	search_interrupted = 1;
}

/* The seconds that all rows may take, for the time left. */
static double expected_seconds(const struct explore_options *options, const struct driver *const *rows,
			       int count)
{
	const struct family *family;
	double sum = 0;
	int i;

	if (options->single)
		return count * pace_weight(&options->family);
	for (i = 0; i < count; i++)
		for (family = families; family->shape; family++)
			if (wanted(options, family, rows[i]))
				sum += pace_weight(family);
	return sum;
}

/* What is asked for, of one row; of the object that is named if `driver` is NULL. */
static int one_row(const struct explore_options *options, const struct driver *driver)
{
	const char *row = driver ? driver->row : options->object;

	if (options->coverage)
		return cover_row(options, driver);
	if (options->audit)
		return audit_one(options, row);
	if (options->replay)
		return replay_row(options, row);
	return driver ? explore_row(options, driver) : explore_single(options, row);
}

/* The rows that are asked for, and what has become of those that are through. */
struct rows {
	const struct explore_options *options;
	const struct driver *const *row;
	unsigned int through;
	int worst;
};

/* What broke says more than what could not be searched. Returns a code that ends the search. */
static int count_in(struct rows *rows, int status)
{
	if (status && status != EXIT_BROKEN && status != EXIT_UNSUPPORTED)
		return status;
	rows->worst = rows->worst == EXIT_BROKEN || !status ? rows->worst : status;
	rows->through++;
	return 0;
}

/* One row alone has its searches split; a picture or a trace is one file for all rows. */
static bool can_go_beside(const struct explore_options *options, int count)
{
	return count > 1 && options->processes > 1 && !options->audit && !options->replay &&
	       !options->show->svg && !options->show->export;
}

static int row_beside(void *arg, unsigned int number, FILE *aside)
{
	const struct rows *rows = arg;
	struct explore_options options = *rows->options;
	int status;

	options.processes = 1;
	/* Those of rows before this one are in the process that started it. */
	status = options.json ? verdicts_begin() : 0;
	if (status)
		return status;
	status = one_row(&options, rows->row[number]);
	verdicts_hand_over(aside);
	return status;
}

static int take_row(void *arg, unsigned int number, int status, FILE *aside)
{
	(void)number;
	verdicts_take_over(aside);
	return count_in(arg, status);
}

/*
 * Stops of one event and what interrupts it: what a row costs grows with a power of them. Negative
 * errno, after a line on stderr.
 */
static int64_t count_stops(const struct explore_options *options, const char *row)
{
	const struct family one = { .shape = "page", .stops = STOPS_SHARED,
				    .budget = { .events = 1, .nested = 1, .depth = 1 } };
	struct findings findings = { .schedules = 0 };
	struct search first;
	int error = load(options, row, &one);

	if (!error)
		error = family_run(&one, &options->search, 1, &findings, &first);
	return error < 0 ? error : (int64_t)findings.stops;
}

/* The dearest first, so that none of them runs alone at the end. An exit code. */
static int order_rows(const struct rows *rows, unsigned int count, unsigned int *order)
{
	int64_t stops[DRIVERS_MAX];
	unsigned int i, at;

	for (i = 0; i < count; i++) {
		stops[i] = count_stops(rows->options, rows->row[i]->row);
		if (stops[i] < 0)
			return failed((int)stops[i], rows->row[i]->row);
		for (at = i; at && stops[order[at - 1]] < stops[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	return 0;
}

static int rows_beside(struct rows *rows, unsigned int count)
{
	unsigned int order[DRIVERS_MAX];
	const struct jobs jobs = { .count = count, .processes = rows->options->processes,
				   .order = rows->options->single ? NULL : order,
				   .arg = rows, .run = row_beside, .take = take_row };
	int status = jobs.order ? order_rows(rows, count, order) : 0;

	if (status)
		return status;
	status = jobs_run(&jobs);

	return search_interrupted ? failed(-EINTR, rows->row[rows->through]->row) : status;
}

/* All that --schemes names. */
static int explore_rows(const struct explore_options *options)
{
	const struct driver *rows[DRIVERS_MAX];
	struct rows all;
	int count, i, status = 0;

	count = driver_select(drivers_counting, options->schemes, rows, DRIVERS_MAX);
	if (count < 0)
		return 1;
	count = driver_omit_variants(options->schemes, rows, count);
	count = driver_omit_unsupported(rows, count);
	if (options->show->export)
		count = replay_export_omit(rows, count);
	if (!count)
		return 4;
	pace_begin(expected_seconds(options, rows, count));
	if (!options->replay && !options->audit)
		printf("%-26s %-44s %4s %12s\n", "row", "searched", "runs", "schedules");
	all = (struct rows){ .options = options, .row = rows };
	if (can_go_beside(options, count))
		status = rows_beside(&all, (unsigned int)count);
	else
		for (i = 0; i < count && !status; i++)
			status = count_in(&all, one_row(options, rows[i]));
	return status ? status : all.worst;
}

int main(int argc, char **argv)
{
	struct sigaction interrupt = { .sa_handler = on_interrupt };
	struct show show = { .out = stdout };
	struct explore_options options = {
		.show = &show,
		.objects = default_objects(),
		.processes = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
		.family = {
			.shape = "page",
			.stops = STOPS_SHARED,
			.budget = { .events = 2, .nested = 1 },
		},
	};
	int status;

	status = explore_options_parse(argc, argv, &options);
	if (status)
		return status - 1;
	if (world_map())
		return 1;
	if (sigaction(SIGINT, &interrupt, NULL) || sigaction(SIGTERM, &interrupt, NULL))
		return 1;
	status = options.json ? verdicts_begin() : 0;
	if (status)
		return status;
	status = options.object ? one_row(&options, NULL) : explore_rows(&options);
	if (!status && show.export && !show.exported)
		printf("nothing is broken, so nothing is exported; --replay exports any schedule\n");
	/* Part of a search is no verdict. */
	if (options.json && (!status || status == 2 || status == 4) && verdicts_write(options.json))
		return 3;
	return status;
}
