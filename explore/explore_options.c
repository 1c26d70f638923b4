// SPDX-License-Identifier: MIT
#include "explore/explore_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/options.h"

#define NOT_GIVEN UINT64_MAX
#define NO_WORD (-1)

/* Words by their places; what is not given is the first of them, but for shape and engine. */
static const char *const tiers[] = { "quick", "long", "exhaustive", NULL };
static const char *const shapes[] = {
#define X(shape, subbuf_shift, count_shift, bits) #shape,
#include "explore/shapes.def"
#undef X
	NULL
};
static const char *const ranges[] = { "one", "all", NULL };
static const char *const orders[] = { "x86", "c11", NULL };
static const char *const engines[] = { "schedules", "states", NULL };

static bool take_start(const char *text, void *into)
{
	struct world_start *start = into;
	uint64_t pair[2];

	if (!option_pair(text, ':', UINT32_MAX, pair))
		return fail_with(0, "--start %s: give PHASE:OFFSET, as a failure prints it", text);
	start->phase = pair[0];
	start->extra = (uint32_t)pair[1];
	return true;
}

static bool take_part(const char *text, void *into)
{
	struct search *search = into;
	uint64_t pair[2];

	if (!option_pair(text, '/', SEARCH_PARTS_MAX, pair) || pair[0] >= pair[1])
		return fail_with(0, "--part %s: give K/N, with K from 0 to N - 1 and N up to %d",
				 text, SEARCH_PARTS_MAX);
	search->part = (uint32_t)pair[0];
	search->parts = (uint32_t)pair[1];
	return true;
}

/* One more that is not asked. */
static bool take_oracle(const char *text, void *into)
{
	const char *names[ORACLES + 2];
	unsigned int oracle, *without = into;
	int place;

	for (oracle = 0; oracle < ORACLES; oracle++)
		names[oracle] = check_oracle_name((enum oracle)oracle);
	names[FINDING_STEPS] = "steps";
	names[FINDING_STEPS + 1] = NULL;
	place = option_word("--without-oracle", text, names);
	if (place >= 0)
		*without |= 1u << place;
	return place >= 0;
}

/* What the command line says, until it is whole. */
static struct command_line {
	struct explore_options options;
	uint64_t budget[BUDGET_PARTS];
	uint64_t processes, memory;
	int shape, engine;
	const char *draw;
} asked;

static const struct option_entry entries[] = {
	{ "schemes", "LIST", "rows, as in run-stress; \"all\" includes variants", OPTION_TEXT,
	  .into = &asked.options.schemes, .letter = 's' },
	{ "tier", "T", "quick (as in make test), long, exhaustive", OPTION_WORD,
	  .into = &asked.options.tier, .words = tiers },
	{ "shape", "S",
	  "page, wrap4, wrap3, ends2, ends4, wrapends: sizes of ring and field;\n"
	  "timed: the payload is only the stamp, as in the timed build",
	  OPTION_WORD, .into = &asked.shape, .words = shapes },
	{ "stops", "S",
	  "before every instruction (all), before those that may touch shared\n"
	  "memory (shared, default), or at labelled points (points)",
	  OPTION_WORD, .into = &asked.options.family.stops, .words = stops_words },
#define X(part, shown, argument, always, rare_, most_, help) \
	{ #part,	 argument,     help, OPTION_NUMBER, .into = &asked.budget[BUDGET_##part], \
	  .most = most_, .rare = rare_ },
#define START(part, option, kind, argument, most_, words_, shown, rare_, help) \
	{ option, \
	  argument, \
	  help, \
	  OPTION_##kind, \
	  .into = &asked.options.family.part, \
	  .most = most_, \
	  .words = words_, \
	  .rare = rare_ },
#include "explore/engine/budget.def"
	{ "phases", "all", "start at every clock value", OPTION_WORD,
	  .into = &asked.options.family.phases, .words = ranges, .rare = true },
	{ "offsets", "all", "start at every offset of the first event in its sub-buffer",
	  OPTION_WORD, .into = &asked.options.family.offsets, .words = ranges, .rare = true },
	{ "start", "P:E", "first phase and offset (filler bytes), as a failure prints them",
	  OPTION_TAKEN, .into = &asked.options.search.start, .take = take_start, .rare = true },
	{ "part", "K/N",
	  "search part K of N (K from 0), split by first actions; merge.py adds\n"
	  "the --json of all parts (nodes.sh runs them on many machines)",
	  OPTION_TAKEN, .into = &asked.options.search, .take = take_part, .rare = true },
	{ "replay", "SCHEDULE", "replay one schedule (none: no interrupts), as a timeline",
	  OPTION_TEXT, .into = &asked.options.replay },
	{ "json", "FILE",
	  "write what was searched and found, with timelines, as JSON; - is\n"
	  "stdout, and then all else is printed on stderr",
	  OPTION_OUT, .into = &asked.options.json },
	{ "draw", "FILE",
	  "draw the first failure, else the schedule that went furthest, or that of\n"
	  "--replay: FILE.svg, or FILE.html",
	  OPTION_OUT, .into = &asked.draw, .rare = true },
	{ "order", "O",
	  "memory order: x86 (default; sequentially consistent), or c11: the row's\n"
	  "C11 atomics by their own orders (see --delays)",
	  OPTION_WORD, .into = &asked.options.order, .words = orders },
	{ "worst", NULL,
	  "the most instructions that one event executes itself, and a schedule\n"
	  "in which it does; with --stops all",
	  OPTION_FLAG, .into = &asked.options.search.worst, .rare = true },
	{ "outcomes", NULL, "count the distinct final states", OPTION_FLAG,
	  .into = &asked.options.search.outcomes, .rare = true },
	{ "without-oracle", "O", "judge without oracle O (to see what O finds)", OPTION_TAKEN,
	  .into = &asked.options.search.without_oracle, .take = take_oracle, .rare = true },
	{ "objects", "DIR", "folder of the explored rows (default: explored/ next to this program)",
	  OPTION_TEXT, .into = &asked.options.objects, .rare = true },
	{ "object", "FILE", "search only this explored row (make history, make mutants)",
	  OPTION_TEXT, .into = &asked.options.object, .rare = true },
	{ "foreign", "DIR",
	  "search a tracer's own code, behind the shim DIR/shim.c (docs/foreign.md)", OPTION_TEXT,
	  .into = &asked.options.foreign },
	{ "first", NULL, "end each search at its first broken schedule", OPTION_FLAG,
	  .into = &asked.options.search.first_only, .rare = true },
	{ "engine", "E",
	  "schedules: run every schedule; states: run each state once, counted as\n"
	  "often as schedules reach it (default: the quicker one for the stops)",
	  OPTION_WORD, .into = &asked.engine, .words = engines, .rare = true },
	{ "processes", "N", "processes at a time (default: one per CPU)", OPTION_NUMBER,
	  .into = &asked.processes, .least = 1, .most = 64, .rare = true },
	{ "memory", "MIB",
	  "memory limit for a search's states (default: a quarter of the machine's)", OPTION_NUMBER,
	  .into = &asked.memory, .least = 16, .most = UINT64_C(1) << 30 },
	{ "verbose", NULL, "print every search, not only every row", OPTION_FLAG,
	  .into = &asked.options.verbose, .letter = 'v' },
	{ .name = NULL },
};

static const struct option_program program = {
	"usage: explore [--schemes LIST] [--tier quick|long|exhaustive]\n"
	"       explore [--schemes LIST] --shape S --events M --nested NB [...]\n"
	"\n"
	"Tries every interrupt that a budget allows, and judges each possible sequence of "
	"interrupts\n"
	"(a schedule). Without a budget: every budget of the tier, for each row.\n"
	"\n",
	entries,
	"\n"
	"exit: 0 kept, 1 usage or harness, 2 promise broken, 3 no resource, 4 not possible here,\n"
	"      5 interrupted\n"
	"examples:\n"
	"  explore --tier quick\n"
	"  explore --schemes =nested_stamps --shape page --stops all --events 2 --nested 3\n",
	NULL,
};

/* What of the budget was given; whether anything was. */
static bool set_budget(struct budget *budget)
{
	bool given = false;
	unsigned int i;

	for (i = 0; i < BUDGET_PARTS; i++) {
		if (asked.budget[i] == NOT_GIVEN)
			continue;
		((uint8_t *)budget)[budget_parts[i].offset] = (uint8_t)asked.budget[i];
		given = true;
	}
	if (!budget->depth)
		budget->depth = budget->nested;
	return given;
}

/* What goes together. An exit code, after a line on stderr. */
static int refuse(void)
{
	const struct explore_options *options = &asked.options;
	const char *end = asked.draw ? strrchr(asked.draw, '.') : ".svg";

	if (!end || (strcmp(end, ".svg") && strcmp(end, ".html")))
		return fail_with(EXIT_USAGE, "--draw %s: give FILE.svg or FILE.html", asked.draw);
	if (asked.draw && options->order)
		return fail_with(EXIT_USAGE, "--draw is of schedules: leave out --order");
	if (options->search.parts &&
	    (options->replay || options->search.outcomes || options->search.first_only))
		return fail_with(EXIT_USAGE, "--part splits whole searches: leave out --replay, "
					     "--outcomes and --first");
	return 0;
}

/* What a schedule has room for. An exit code, after a line on stderr. */
static int refuse_budget(const struct budget *budget)
{
	unsigned int most = asked.options.foreign ? WORLD_WRITERS_MAX : CHECK_WRITERS_MAX;

	if (!budget->events)
		return fail_with(EXIT_USAGE, "--events 0 searches nothing: give 1 or more");
	if (world_cpus(budget) > most)
		return fail_with(EXIT_USAGE,
				 "this budget needs %u CPUs, a reader's included; the limit is %u: "
				 "reduce it",
				 world_cpus(budget), most);
	if (budget->reads && budget->live)
		return fail_with(EXIT_USAGE, "--reads and --live are two readers at once, which no "
					     "ring here allows: leave out one");
	if (budget->writers > 1 && budget->depth > CONTEXT_LEVEL_3)
		return fail_with(EXIT_USAGE,
				 "events of writers on several CPUs are told apart to a depth "
				 "of 3: give --depth 3 or less");
	if (!asked.options.order && budget->delays)
		return fail_with(EXIT_USAGE, "--delays is for --order c11: give that, too");
	if (asked.options.order &&
	    (asked.options.family.clock || asked.options.family.start.skew ||
	     asked.options.family.start.large || asked.options.family.phases ||
	     asked.options.family.offsets || budget->backs || budget->beats || budget->reads ||
	     budget->discards || budget->flushes || budget->traced || budget->depth > 3))
		return fail_with(EXIT_USAGE, "--order c11 has --events, --nested, --depth up to 3, "
					     "--jumps, --live, --writers, --preemptions and "
					     "--delays: leave the others out");
	if (!asked.options.order && search_actions(budget) > WORLD_ACTIONS_MAX)
		return fail_with(EXIT_USAGE,
				 "this budget allows %u actions per schedule; the limit is %u: "
				 "reduce it",
				 search_actions(budget), WORLD_ACTIONS_MAX);
	return 0;
}

bool explore_options_parse(int argc, char **argv, struct explore_options *options, int *status)
{
	unsigned int i;

	options->family = (struct family){
		.shape = "page",
		.stops = STOPS_SHARED,
		.budget = { .events = 2, .nested = 1 },
	};
	asked = (struct command_line){
		.options = *options,
		.processes = NOT_GIVEN,
		.shape = NO_WORD,
		.engine = NO_WORD,
	};
	for (i = 0; i < BUDGET_PARTS; i++)
		asked.budget[i] = NOT_GIVEN;
	if (!options_parse(&program, argc, argv, status))
		return false;
	*status = refuse();
	if (*status)
		return false;
	*options = asked.options;
	options->processes_asked = asked.processes != NOT_GIVEN;
	if (options->processes_asked)
		options->processes = (unsigned int)asked.processes;
	options->search.memory = asked.memory << 20;
	options->search.engine = (enum search_engine)(asked.engine + 1);
	if (options->search.worst)
		options->search.engine = ENGINE_SCHEDULES;
	options->show->draw = asked.draw;
	if (asked.shape != NO_WORD)
		options->family.shape = shapes[asked.shape];
	options->single =
		set_budget(&options->family.budget) || asked.shape != NO_WORD || options->object ||
		options->foreign || options->replay || options->family.phases ||
		options->family.offsets ||
		memcmp(&options->family.start, &(struct start){ 0 }, sizeof(struct start));
	*status = options->single ? refuse_budget(&options->family.budget) : 0;
	return !*status;
}
