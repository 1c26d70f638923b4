// SPDX-License-Identifier: MIT
#include "explore/explore_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/options.h"

/* Those of parse_budget() and of parse_word() stand together. */
enum {
	OPTION_EVENTS = 256,
	OPTION_NESTED,
	OPTION_DEPTH,
	OPTION_JUMPS,
	OPTION_BEATS,
	OPTION_READS,
	OPTION_DISCARDS,
	OPTION_FLUSHES,
	OPTION_WRITERS,
	OPTION_PREEMPTIONS,
	OPTION_SHAPE,
	OPTION_STOPS,
	OPTION_CLOCK,
	OPTION_PHASES,
	OPTION_OFFSETS,
	OPTION_MODE,
	OPTION_SIZE,
	OPTION_ENGINE,
	OPTION_TIER,
	OPTION_BEFORE,
	OPTION_FULL,
	OPTION_START,
	OPTION_OBJECTS,
	OPTION_OBJECT,
	OPTION_FIRST,
	OPTION_PROCESSES,
	OPTION_REPLAY,
	OPTION_OUTCOMES,
	OPTION_WITHOUT,
	OPTION_AUDIT,
	OPTION_COVERAGE,
	OPTION_JSON,
	OPTION_EXPORT,
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
	{ "full", required_argument, NULL, OPTION_FULL },
	{ "size", required_argument, NULL, OPTION_SIZE },
	{ "start", required_argument, NULL, OPTION_START },
	{ "objects", required_argument, NULL, OPTION_OBJECTS },
	{ "object", required_argument, NULL, OPTION_OBJECT },
	{ "first", no_argument, NULL, OPTION_FIRST },
	{ "processes", required_argument, NULL, OPTION_PROCESSES },
	{ "replay", required_argument, NULL, OPTION_REPLAY },
	{ "outcomes", no_argument, NULL, OPTION_OUTCOMES },
	{ "without-oracle", required_argument, NULL, OPTION_WITHOUT },
	{ "json", required_argument, NULL, OPTION_JSON },
	{ "export", required_argument, NULL, OPTION_EXPORT },
	{ "engine", required_argument, NULL, OPTION_ENGINE },
	{ "audit", no_argument, NULL, OPTION_AUDIT },
	{ "coverage", no_argument, NULL, OPTION_COVERAGE },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: explore [--schemes LIST] [--tier quick|long|exhaustive]\n"
	"       explore [--schemes LIST] --shape S --events M --nested NB [...]\n"
	"\n"
	"Makes every interrupt that a budget allows, one schedule for each way they can fall, and\n"
	"judges each. Without a budget: all that the tier says, of each row.\n"
	"\n"
	"  --schemes LIST        rows, as in run-stress; \"all\" takes the variants too\n"
	"  --tier T              quick (as make test has it), long, exhaustive\n"
	"  --shape S             page, wrap4, wrap3, ends2, ends4, wrapends: ring, width of the "
	"field;\n"
	"                        timed: the payload of the timed build, the stamp alone\n"
	"  --stops S             all: before every instruction; shared: before those that may "
	"touch\n"
	"                        shared memory (default); points: at labelled points\n"
	"  --events M            top-level events (2)\n"
	"  --nested NB           interrupts (1)\n"
	"  --depth D             how deep they nest (NB)\n"
	"  --jumps JB            times that the clock jumps\n"
	"  --beats B             beats that come\n"
	"  --reads R             times that a reader comes\n"
	"  --discards C          events that are taken back before they are committed, as "
	"interrupts\n"
	"                        (within D) or between events; rows that cannot do it record "
	"them,\n"
	"                        or refuse, if they put interrupts off\n"
	"  --flushes F           times that the open sub-buffer is closed, as by a timer\n"
	"  --writers W           writers on W CPUs, M events each (*_locked rows), run one at a "
	"time\n"
	"  --preemptions P       how often one CPU is left for another in the middle of an event\n"
	"  --clock C             strict; coarse: it stands still but for jumps; slow: a read takes "
	"a\n"
	"                        wrap\n"
	"  --phases all          every clock value at the start\n"
	"  --offsets all         every offset of the first event in its sub-buffer\n"
	"  --mode M              overwrite, discard\n"
	"  --before N            events recorded before\n"
	"  --full N              sub-buffers that were filled before those\n"
	"  --size S              of the events that interrupts record: small; large: no two of "
	"them\n"
	"                        fit a sub-buffer\n"
	"  --start P:E           the first phase and offset (filler bytes), as a failure prints "
	"them\n"
	"  --replay SCHEDULE     one schedule again, as a timeline\n"
	"  --json FILE           what was searched and found, with timelines, as JSON; - is "
	"stdout, and\n"
	"                        then nothing else is printed there\n"
	"  --export DIR          what --replay, or the first failure, recorded, as a trace: CTF "
	"1.8 or\n"
	"                        ftrace sub-buffers, for babeltrace2, kbuffer or read-trace\n"
	"  --outcomes            count the distinct final states\n"
	"  --without-oracle O    do not ask it (to see what it is good for)\n"
	"  --audit               single-step the writers: has every instruction its stop? NB=0 and "
	"1\n"
	"  --coverage            which instructions of a row are reached in each of the tier's "
	"shapes\n"
	"                        (-v: which are not, and why): a path never taken is exit code 2\n"
	"  --objects DIR         where the explored rows are (explored/ beside this program)\n"
	"  --object FILE         that explored row and no other (make history, make mutants)\n"
	"  --first               end each search at its first broken schedule\n"
	"  --engine E            schedules: every schedule is run; states: each state once, "
	"counted\n"
	"                        as often as schedules reach it (the quicker one for these stops)\n"
	"  --processes N         at a time (one for each CPU)\n"
	"  -v, --verbose         every search, not only every row\n"
	"\n"
	"exit: 0 kept, 1 usage or harness, 2 promise broken, 3 no resource, 4 not here, 5 "
	"interrupted\n"
	"examples:\n"
	"  explore --tier quick\n"
	"  explore --schemes =nested_stamps --shape page --stops all --events 2 --nested 3\n";

/* A number from 0 to `most`. */
static bool number(const char *option, const char *text, unsigned long most, unsigned int *value)
{
	char *end;
	unsigned long got = strtoul(text, &end, 10);

	if (*end || end == text || got > most) {
		fail_line("%s %s: a number from 0 to %lu is wanted", option, text, most);
		return false;
	}
	*value = (unsigned int)got;
	return true;
}

/* The options from OPTION_EVENTS to OPTION_PREEMPTIONS, in their order. */
static bool parse_budget(int option, const char *text, struct explore_options *options)
{
	static const struct {
		const char *name;
		size_t offset;
		unsigned long most;
	} fields[] = {
		{ "--events", offsetof(struct budget, events), 16 },
		{ "--nested", offsetof(struct budget, nested), 10 },
		{ "--depth", offsetof(struct budget, depth), WORLD_DEPTH_MAX - 2 },
		{ "--jumps", offsetof(struct budget, jumps), 4 },
		{ "--beats", offsetof(struct budget, beats), 4 },
		{ "--reads", offsetof(struct budget, reads), 4 },
		{ "--discards", offsetof(struct budget, discards), 4 },
		{ "--flushes", offsetof(struct budget, flushes), 4 },
		{ "--writers", offsetof(struct budget, writers), WORLD_WRITERS_MAX },
		{ "--preemptions", offsetof(struct budget, preemptions), 10 },
	};
	unsigned int field = (unsigned int)(option - OPTION_EVENTS), value;

	_Static_assert(OPTION_PREEMPTIONS - OPTION_EVENTS + 1 == sizeof(fields) / sizeof(fields[0]),
		       "a field for each option");
	if (!number(fields[field].name, text, fields[field].most, &value))
		return false;
	((uint8_t *)&options->family.budget)[fields[field].offset] = (uint8_t)value;
	options->single = true;
	return true;
}

static bool parse_start(const char *text, struct world_start *start)
{
	char *end;

	start->phase = strtoull(text, &end, 10);
	if (*end == ':')
		start->extra = (uint32_t)strtoul(end + 1, &end, 10);
	else
		end = (char *)text;
	if (!*end && end != text)
		return true;
	fail_line("--start %s: PHASE:OFFSET is wanted, as a failure prints it", text);
	return false;
}

static bool parse_oracle(const char *text, uint32_t *without)
{
	const char *names[ORACLES + 1];
	unsigned int oracle;
	int place;

	for (oracle = 0; oracle < ORACLES; oracle++)
		names[oracle] = check_oracle_name((enum oracle)oracle);
	names[ORACLES] = NULL;
	place = option_word("--without-oracle", text, names);
	if (place >= 0)
		*without |= 1u << place;
	return place >= 0;
}

/* Options that take one of a few words. */
static bool parse_word(int option, const char *text, struct explore_options *options)
{
	static const char *const shapes[] = { "page",  "wrap4",	   "wrap3", "ends2",
					      "ends4", "wrapends", "timed", NULL };
	static const char *const stops[] = { "all", "shared", "none", "points", NULL };
	static const char *const clocks[] = { "strict", "coarse", "slow", NULL };
	static const char *const ranges[] = { "one", "all", NULL };
	static const char *const modes[] = { "overwrite", "discard", NULL };
	static const char *const sizes[] = { "small", "large", NULL };
	static const char *const engines[] = { "schedules", "states", NULL };
	struct family *family = &options->family;
	int place = -1;

	switch (option) {
	case OPTION_SHAPE:
		place = option_word("--shape", text, shapes);
		family->shape = text;
		options->single = true;
		break;
	case OPTION_STOPS:
		place = option_word("--stops", text, stops);
		family->stops = (enum explore_stops)place;
		break;
	case OPTION_CLOCK:
		place = option_word("--clock", text, clocks);
		family->coarse = place == 1;
		family->slow = place == 2;
		break;
	case OPTION_PHASES:
		place = option_word("--phases", text, ranges);
		family->phases = place ? RANGE_ALL : RANGE_ONE;
		break;
	case OPTION_OFFSETS:
		place = option_word("--offsets", text, ranges);
		family->offsets = place ? RANGE_ALL : RANGE_ONE;
		break;
	case OPTION_MODE:
		place = option_word("--mode", text, modes);
		family->mode = place ? RING_DISCARD : RING_OVERWRITE;
		break;
	case OPTION_SIZE:
		place = option_word("--size", text, sizes);
		family->large = place == 1;
		break;
	case OPTION_ENGINE:
		place = option_word("--engine", text, engines);
		options->search.engine = (enum search_engine)(place + 1);
		break;
	}
	return place >= 0;
}

static bool parse_one(int option, const char *text, struct explore_options *options)
{
	switch (option) {
	case 's':
		options->schemes = text;
		break;
	case OPTION_TIER:
		options->tier = tier_parse(text);
		return options->tier >= 0;
	case OPTION_EVENTS ... OPTION_PREEMPTIONS:
		return parse_budget(option, text, options);
	case OPTION_SHAPE ... OPTION_ENGINE:
		return parse_word(option, text, options);
	case OPTION_BEFORE:
		return number("--before", text, 16, &options->family.before);
	case OPTION_FULL:
		return number("--full", text, 8, &options->family.full);
	case OPTION_START:
		return parse_start(text, &options->search.start);
	case OPTION_OBJECTS:
		options->objects = text;
		break;
	case OPTION_OBJECT:
		options->object = text;
		options->single = true;
		break;
	case OPTION_FIRST:
		options->search.first_only = true;
		break;
	case OPTION_PROCESSES:
		return number("--processes", text, 64, &options->processes);
	case OPTION_REPLAY:
		options->replay = text;
		options->single = true;
		break;
	case OPTION_OUTCOMES:
		options->search.outcomes = true;
		break;
	case OPTION_WITHOUT:
		return parse_oracle(text, &options->search.without_oracle);
	case OPTION_JSON:
		options->json = text;
		break;
	case OPTION_EXPORT:
		options->show->export = text;
		break;
	case OPTION_AUDIT:
		options->audit = true;
		break;
	case OPTION_COVERAGE:
		options->coverage = true;
		break;
	case 'v':
		options->verbose = true;
		break;
	}
	return true;
}

int explore_options_parse(int argc, char **argv, struct explore_options *options)
{
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "s:vh", long_options, NULL)) != -1) {
		if (option == 'h')
			return fputs(help, stdout), 1 + EXIT_FINE;
		if (option == '?')
			return 1 + option_refused(argv[optind - 1]);
		if (!parse_one(option, optarg, options))
			return 1 + EXIT_USAGE;
	}
	if (optind < argc) {
		fail_line("no such argument: %s (--help shows what there is)", argv[optind]);
		return 1 + EXIT_USAGE;
	}
	if (!options->family.budget.depth)
		options->family.budget.depth = options->family.budget.nested;
	return 0;
}
