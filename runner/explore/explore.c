// SPDX-License-Identifier: MIT
/* build/explore: every interrupt within a budget, for the rows that are asked for. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit.h"
#include "pace.h"
#include "replay.h"
#include "show.h"
#include "tiers.h"

struct options {
	const char *schemes;
	const char *objects;
	const char *object; /* one explored row by its file */
	const char *replay;
	struct show *show;
	int tier;
	unsigned int processes;
	bool single; /* one family, from the options below */
	bool verbose;
	bool audit;
	struct family family;
	struct search search;
};

enum {
	OPTION_TIER = 256,
	OPTION_SHAPE,
	OPTION_STOPS,
	OPTION_EVENTS,
	OPTION_NESTED,
	OPTION_DEPTH,
	OPTION_JUMPS,
	OPTION_BEATS,
	OPTION_READS,
	OPTION_DISCARDS,
	OPTION_FLUSHES,
	OPTION_WRITERS,
	OPTION_PREEMPTIONS,
	OPTION_CLOCK,
	OPTION_PHASES,
	OPTION_OFFSETS,
	OPTION_MODE,
	OPTION_BEFORE,
	OPTION_OBJECTS,
	OPTION_OBJECT,
	OPTION_FIRST,
	OPTION_PROCESSES,
	OPTION_REPLAY,
	OPTION_OUTCOMES,
	OPTION_WITHOUT,
	OPTION_START,
	OPTION_AUDIT,
	OPTION_SVG,
	OPTION_ENGINE,
};

static const struct option long_options[] = {
	{ "schemes", required_argument, NULL, 's' },
	{ "tier", required_argument, NULL, OPTION_TIER },
	{ "shape", required_argument, NULL, OPTION_SHAPE },
	{ "stops", required_argument, NULL, OPTION_STOPS },
	{ "events", required_argument, NULL, OPTION_EVENTS },
	{ "nested", required_argument, NULL, OPTION_NESTED },
	{ "depth", required_argument, NULL, OPTION_DEPTH },
	{ "jumps", required_argument, NULL, OPTION_JUMPS },
	{ "beats", required_argument, NULL, OPTION_BEATS },
	{ "reads", required_argument, NULL, OPTION_READS },
	{ "discards", required_argument, NULL, OPTION_DISCARDS },
	{ "flushes", required_argument, NULL, OPTION_FLUSHES },
	{ "writers", required_argument, NULL, OPTION_WRITERS },
	{ "preemptions", required_argument, NULL, OPTION_PREEMPTIONS },
	{ "clock", required_argument, NULL, OPTION_CLOCK },
	{ "phases", required_argument, NULL, OPTION_PHASES },
	{ "offsets", required_argument, NULL, OPTION_OFFSETS },
	{ "mode", required_argument, NULL, OPTION_MODE },
	{ "before", required_argument, NULL, OPTION_BEFORE },
	{ "start", required_argument, NULL, OPTION_START },
	{ "objects", required_argument, NULL, OPTION_OBJECTS },
	{ "object", required_argument, NULL, OPTION_OBJECT },
	{ "first", no_argument, NULL, OPTION_FIRST },
	{ "processes", required_argument, NULL, OPTION_PROCESSES },
	{ "replay", required_argument, NULL, OPTION_REPLAY },
	{ "outcomes", no_argument, NULL, OPTION_OUTCOMES },
	{ "without-oracle", required_argument, NULL, OPTION_WITHOUT },
	{ "svg", required_argument, NULL, OPTION_SVG },
	{ "engine", required_argument, NULL, OPTION_ENGINE },
	{ "audit", no_argument, NULL, OPTION_AUDIT },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: build/explore [--schemes LIST] [--tier quick|long|exhaustive]\n"
	"       build/explore [--schemes LIST] --shape S --events M --nested NB [...]\n"
	"\n"
	"Makes every interrupt that a budget allows, one schedule for each way they can fall, and\n"
	"judges each. Without a budget: all that the tier says, of each row.\n"
	"\n"
	"  --schemes LIST     rows, as in run-stress; \"all\" takes the variants too\n"
	"  --tier T           quick (as make test has it), long, exhaustive\n"
	"  --shape S          page, wrap4, wrap3, ends2, ends4, wrapends: ring and width of the field\n"
	"  --stops S          all: before every instruction; shared: before those that may touch\n"
	"                     shared memory (default); points: at labelled points\n"
	"  --events M         top-level events (2)       --nested NB   interrupts (1)\n"
	"  --depth D          how deep they nest (NB)    --jumps JB    times that the clock jumps\n"
	"  --beats B          beats that come            --reads R     times that a reader comes\n"
	"  --discards C       events that are taken back before they are committed, as interrupts\n"
	"                     (within D) or between events; rows that cannot do it record them\n"
	"  --flushes F        times that the open sub-buffer is closed, as by a timer\n"
	"  --writers W        writers on W CPUs, M events each (*_locked rows), run one at a time\n"
	"  --preemptions P    how often one CPU is left for another in the middle of an event\n"
	"  --clock C          strict; coarse: it stands still but for jumps; slow: a read takes a wrap\n"
	"  --phases all       every clock value at the start\n"
	"  --offsets all      every offset of the first event in its sub-buffer\n"
	"  --mode M           overwrite, discard         --before N    events recorded before\n"
	"  --start P:E        one phase and one offset (filler bytes), as a failure prints them\n"
	"  --replay SCHEDULE  one schedule again, as a timeline\n"
	"  --svg FILE         the timeline of --replay, or of the first failure, as a picture too\n"
	"  --outcomes         count the distinct final states\n"
	"  --without-oracle O do not ask it (to see what it is good for)\n"
	"  --audit            single-step the writers: has every instruction its stop? NB=0 and 1\n"
	"  --objects DIR      where the explored rows are (explored/ beside this program)\n"
	"  --object FILE      that explored row and no other (make history, make mutants)\n"
	"  --first            end each search at its first broken schedule\n"
	"  --engine E         schedules: every schedule is run; states: each state once, counted as\n"
	"                     often as schedules come to it (the quicker one for these stops)\n"
	"  --processes N      (one for each CPU)\n"
	"  -v                 every search, not only every row\n"
	"\n"
	"Examples:\n"
	"  build/explore --tier quick\n"
	"  build/explore --schemes =nested_stamps --shape page --stops all --events 2 --nested 3\n"
	"\n"
	"Exit code: 0 all kept, 2 a promise broken, 1 usage or harness.\n";

static int usage(const char *what, const char *value)
{
	fprintf(stderr, "stampede: %s %s: see build/explore --help\n", what, value);
	return -1;
}

static int number(const char *name, const char *text, unsigned long most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || end == text || value > most) {
		fprintf(stderr, "stampede: --%s %s: a number from 0 to %lu is wanted\n", name, text,
			most);
		return -1;
	}
	return (int)value;
}

/* One of `words`; -1 and a line. */
static int word(const char *name, const char *text, const char *const *words)
{
	int i;

	for (i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return i;
	fprintf(stderr, "stampede: --%s %s: not one of", name, text);
	for (i = 0; words[i]; i++)
		fprintf(stderr, "%s %s", i ? "," : "", words[i]);
	fputc('\n', stderr);
	return -1;
}

static int parse_budget(int option, const char *text, struct options *options)
{
	static const struct {
		int option;
		const char *name;
		size_t offset;
		unsigned long most;
	} fields[] = {
		{ OPTION_EVENTS, "events", offsetof(struct budget, events), 12 },
		{ OPTION_NESTED, "nested", offsetof(struct budget, nested), 10 },
		{ OPTION_DEPTH, "depth", offsetof(struct budget, depth), WORLD_DEPTH_MAX - 2 },
		{ OPTION_JUMPS, "jumps", offsetof(struct budget, jumps), 4 },
		{ OPTION_BEATS, "beats", offsetof(struct budget, beats), 4 },
		{ OPTION_READS, "reads", offsetof(struct budget, reads), 4 },
		{ OPTION_DISCARDS, "discards", offsetof(struct budget, discards), 4 },
		{ OPTION_FLUSHES, "flushes", offsetof(struct budget, flushes), 4 },
		{ OPTION_WRITERS, "writers", offsetof(struct budget, writers), WORLD_WRITERS_MAX },
		{ OPTION_PREEMPTIONS, "preemptions", offsetof(struct budget, preemptions), 10 },
	};
	unsigned int i;
	int value;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i].option != option)
			continue;
		value = number(fields[i].name, text, fields[i].most);
		if (value < 0)
			return -1;
		((uint8_t *)&options->family.budget)[fields[i].offset] = (uint8_t)value;
		options->single = true;
		return 0;
	}
	return -2;
}

static int parse_start(const char *text, struct options *options)
{
	char *end;

	options->search.start.phase = strtoull(text, &end, 10);
	if (*end != ':')
		return usage("--start", text);
	options->search.start.extra = (uint32_t)strtoul(end + 1, &end, 10);
	return *end ? usage("--start", text) : 0;
}

static int parse_words(int option, const char *text, struct options *options)
{
	static const char *const stops[] = { "all", "shared", "none", "points", NULL };
	static const char *const clocks[] = { "strict", "coarse", "slow", NULL };
	static const char *const ranges[] = { "one", "all", NULL };
	static const char *const modes[] = { "overwrite", "discard", NULL };
	static const char *const engines[] = { "schedules", "states", NULL };
	int value;

	switch (option) {
	case OPTION_ENGINE:
		value = word("engine", text, engines);
		options->search.engine = (enum search_engine)(value + 1);
		return value < 0 ? -1 : 0;
	case OPTION_STOPS:
		value = word("stops", text, stops);
		options->family.stops = (enum explore_stops)value;
		return value < 0 ? -1 : 0;
	case OPTION_CLOCK:
		value = word("clock", text, clocks);
		options->family.coarse = value == 1;
		options->family.slow = value == 2;
		return value < 0 ? -1 : 0;
	case OPTION_PHASES:
		value = word("phases", text, ranges);
		options->family.phases = value ? RANGE_ALL : RANGE_ONE;
		return value < 0 ? -1 : 0;
	case OPTION_OFFSETS:
		value = word("offsets", text, ranges);
		options->family.offsets = value ? RANGE_ALL : RANGE_ONE;
		return value < 0 ? -1 : 0;
	case OPTION_MODE:
		value = word("mode", text, modes);
		options->family.mode = value ? RING_DISCARD : RING_OVERWRITE;
		return value < 0 ? -1 : 0;
	case OPTION_START:
		return parse_start(text, options);
	}
	return -2;
}

static int parse_one(int option, const char *text, struct options *options)
{
	static const char *const shapes[] = { "page", "wrap4", "wrap3", "ends2", "ends4",
					      "wrapends", NULL };
	unsigned int oracle;
	int value = parse_budget(option, text, options);

	if (value == -2)
		value = parse_words(option, text, options);
	if (value != -2)
		return value;
	switch (option) {
	case 's':
		options->schemes = text;
		return 0;
	case OPTION_TIER:
		options->tier = tier_parse(text);
		return options->tier < 0 ? -1 : 0;
	case OPTION_SHAPE:
		if (word("shape", text, shapes) < 0)
			return -1;
		options->family.shape = text;
		options->single = true;
		return 0;
	case OPTION_BEFORE:
		value = number("before", text, 8);
		options->family.before = (uint32_t)value;
		return value < 0 ? -1 : 0;
	case OPTION_OBJECTS:
		options->objects = text;
		return 0;
	case OPTION_OBJECT:
		options->object = text;
		options->single = true;
		return 0;
	case OPTION_FIRST:
		options->search.first_only = true;
		return 0;
	case OPTION_PROCESSES:
		value = number("processes", text, 64);
		options->processes = (unsigned int)value;
		return value < 0 ? -1 : 0;
	case OPTION_REPLAY:
		options->replay = text;
		options->single = true;
		return 0;
	case OPTION_OUTCOMES:
		options->search.outcomes = true;
		return 0;
	case OPTION_WITHOUT:
		for (oracle = 0; oracle < ORACLES; oracle++)
			if (!strcmp(text, check_oracle_name((enum oracle)oracle))) {
				options->search.without_oracle |= 1u << oracle;
				return 0;
			}
		return usage("--without-oracle", text);
	case OPTION_SVG:
		options->show->svg = text;
		return 0;
	case OPTION_AUDIT:
		options->audit = true;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	}
	return -1;
}

static int parse(int argc, char **argv, struct options *options)
{
	int option;

	while ((option = getopt_long(argc, argv, "s:vh", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			exit(0);
		}
		if (option == '?') {
			fputs("see build/explore --help\n", stderr);
			return -1;
		}
		if (parse_one(option, optarg, options))
			return -1;
	}
	if (optind < argc)
		return usage("no such argument:", argv[optind]);
	if (!options->family.budget.depth)
		options->family.budget.depth = options->family.budget.nested;
	return 0;
}

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

static int load(const struct options *options, const char *row, const struct family *family)
{
	char path[4096];

	if (options->object)
		snprintf(path, sizeof(path), "%s", options->object);
	else
		snprintf(path, sizeof(path), "%s/%s.%s%s.so", options->objects, row, family->shape,
			 family->stops == STOPS_POINTS ? ".points" : "");
	if (!whole(path))
		return -ENOEXEC;
	return world_load(path);
}

static int explore_family(const struct options *options, const char *row,
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

static bool wanted(const struct options *options, const struct family *family,
		   const struct driver *driver)
{
	return (int)family->tier <= options->tier && !(family->main_rows && driver->variant) &&
	       (family->budget.writers <= 1 || driver->desc->shared_promises);
}

/* The exit code for a search that did not come to its end. */
static int failed(int error, const char *row)
{
	if (error != -EINTR)
		return error == -ENOSPC || error == -EACCES || error == -ENOENT ? 3 : 1;
	fflush(stdout);
	fprintf(stderr, "stampede: interrupted while %s was searched; what is above is complete\n",
		row);
	return 5;
}

/* The one family that the options say. */
static int explore_single(const struct options *options, const char *row)
{
	struct findings sum = { .schedules = 0 };

	int some = explore_family(options, row, &options->family, &sum);

	if (some < 0)
		return failed(some, row);
	return sum.verdicts[VERDICT_BROKEN] ? 2 : 0;
}

static int explore_row(const struct options *options, const struct driver *driver)
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

static int replay_row(const struct options *options, const char *row)
{
	struct action action[WORLD_ACTIONS_MAX];
	struct search search = options->search;
	enum verdict verdict = VERDICT_KEPT;
	int error = 0;
	int actions = replay_parse(options->replay, action, WORLD_ACTIONS_MAX);

	if (actions < 0 || load(options, row, &options->family))
		return 1;
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
	return error ? 3 : verdict == VERDICT_BROKEN ? 2 : 0;
}

static int audit_one(const struct options *options, const char *row)
{
	struct world_start start = {
		.mode = options->family.mode,
		.step = !options->family.coarse,
		.before = options->family.before,
	};
	struct audit audit;
	int error;

	if (load(options, row, &options->family))
		return 1;
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
static double expected_seconds(const struct options *options, const struct driver *const *rows,
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
static int one_row(const struct options *options, const struct driver *driver)
{
	const char *row = driver ? driver->row : options->object;

	if (options->audit)
		return audit_one(options, row);
	if (options->replay)
		return replay_row(options, row);
	return driver ? explore_row(options, driver) : explore_single(options, row);
}

/* All that --schemes names. */
static int explore_rows(const struct options *options)
{
	const struct driver *rows[DRIVERS_MAX];
	int count, i, status, worst = 0;

	count = driver_select(drivers_counting, options->schemes, rows, DRIVERS_MAX);
	if (count < 0)
		return 1;
	count = driver_omit_variants(options->schemes, rows, count);
	pace_begin(expected_seconds(options, rows, count));
	if (!options->replay && !options->audit)
		printf("%-26s %-44s %4s %12s\n", "row", "searched", "runs", "schedules");
	for (i = 0; i < count; i++) {
		status = one_row(options, rows[i]);
		if (status && status != 2)
			return status;
		worst = status > worst ? status : worst;
	}
	return worst;
}

int main(int argc, char **argv)
{
	struct sigaction interrupt = { .sa_handler = on_interrupt };
	struct show show = { .svg = NULL };
	struct options options = {
		.show = &show,
		.objects = default_objects(),
		.processes = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
		.family = {
			.shape = "page",
			.stops = STOPS_SHARED,
			.budget = { .events = 2, .nested = 1 },
		},
	};

	if (parse(argc, argv, &options) || world_map())
		return 1;
	if (sigaction(SIGINT, &interrupt, NULL) || sigaction(SIGTERM, &interrupt, NULL))
		return 1;
	if (!options.object)
		return explore_rows(&options);
	return one_row(&options, NULL);
}
