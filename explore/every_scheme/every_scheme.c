// SPDX-License-Identifier: MIT
/* every-scheme: the shortest right reserve of a language, or the proof by count that no program is.
 */
#include <inttypes.h>
#include <unistd.h>

#include "base/child.h"
#include "base/fail.h"
#include "base/options.h"
#include "explore/every_scheme/every_scheme.h"

#define NIGHT 12 /* hours: what takes more CPU time is refused */

static struct {
	const char *ops, *promises, *program, *header;
	uint64_t show;
	bool estimate, list;
	struct search_task task;
} asked = {
	.ops = "load store clock xadd cmpxchg pad packed mask restart place long",
	.promises = "order exact wrap",
	.show = 10,
	.task = { .length = 8, .words = 2, .parts = 1 },
};

static bool take_part(const char *text, void *into)
{
	uint64_t pair[2];

	(void)into;
	if (!option_pair(text, '/', UINT32_MAX, pair) || pair[0] >= pair[1])
		return fail_with(0, "--part: \"%s\" is not K/N with K from 0 to N - 1", text);
	asked.task.part = (unsigned int)pair[0];
	asked.task.parts = (unsigned int)pair[1];
	return true;
}

static const struct option_entry entries[] = {
	{ "ops", "WORDS",
	  "what there is: load store clock xadd cmpxchg, pad (a claim may be\n"
	  "thrown away), packed (the tail's word has bits of a stamp), mask,\n"
	  "restart (sections), place (B may hold one), long (a record may carry\n"
	  "the whole stamp; given unless event is), event (a record of a stamp\n"
	  "alone), whole (records that always carry it), narrow (words of 32\n"
	  "bits, which tell few wraps)",
	  OPTION_TEXT, .into = &asked.ops },
	{ "promises", "WORDS", "order exact window gaps wrap bounded coarse step (docs/rows.md)",
	  OPTION_TEXT, .into = &asked.promises },
	{ "length", "N", "operations, at most (8)", OPTION_NUMBER, .into = &asked.task.length, 2,
	  12 },
	{ "words", "N", "shared words but for the tail, at most (2)", OPTION_NUMBER,
	  .into = &asked.task.words, 0, 2 },
	{ "show", "N", "programs to print (10)", OPTION_NUMBER, .into = &asked.show, 0, 4096 },
	{ "header", "FILE", "write the program, or the first one found, as a row", OPTION_OUT,
	  .into = &asked.header },
	{ "program", "TEXT", "judge this one, written as results are: broken, with the schedule",
	  OPTION_TEXT, .into = &asked.program },
	{ "estimate", NULL, "only say how many programs there are, and how long they take",
	  OPTION_FLAG, .into = &asked.estimate },
	{ "processes", "N", "at a time (one per CPU)", OPTION_NUMBER, .into = &asked.task.processes,
	  1, 64 },
	{ "part", "K/N", "search part K of N; counts of all parts add up", OPTION_TAKEN,
	  .take = take_part },
	{ "list", NULL, "print each program, and whether the first budgets break it", OPTION_FLAG,
	  .into = &asked.list, .rare = true },
	{ .name = NULL },
};

static const struct option_program program_options = {
	.entries = entries,
	.usage = "usage: every-scheme [options]\n\n"
		 "Searches every reserve of a language of operations: the shortest that keeps\n"
		 "the promises, or how many there are of which none does.\n",
	.after = "exit: 0 found, 1 usage, 2 none, or the program given is broken, 3 no resource,\n"
		 "      4 larger than a night, or a header that cannot be written\n"
		 "example:\n"
		 "  every-scheme --ops \"load store clock cmpxchg packed\" --promises "
		 "\"order exact wrap\"\n",
};

static int judge_program(const struct judge_task *task)
{
	struct program program;
	const char *fault;
	int status;

	if (!program_parse(asked.program, &program))
		return EXIT_USAGE;
	status = asked.header ? program_header(&program, task->promises, asked.header) : EXIT_FINE;
	if (status)
		return status;
	fault = judge_all(&program, task, JUDGE_ALL, stdout);
	if (fault)
		printf("broken: %s\n", fault);
	else
		puts("right: it keeps these promises in every schedule that was tried");
	return fault ? EXIT_BROKEN : EXIT_FINE;
}

static void print_result(const struct search_result *result)
{
	unsigned int i, class, which, length = (unsigned int)asked.task.length;
	uint64_t sum[CLASSES] = { 0 };
	struct program_cost cost, fewest = { { 99, 99, 99, 99, 99 } };

	puts("operations   programs  out of order     wrong  with a right one inside  late  right");
	for (i = 2; i <= length; i++) {
		const uint64_t(*of)[PROGRAM_MOST + 1] = result->count;

		for (class = 0; class < CLASSES; class ++)
			sum[class] += of[class][i];
		printf("%10u %10" PRIu64 " %13" PRIu64 " %9" PRIu64 " %24" PRIu64 " %5" PRIu64
		       " %6" PRIu64 "\n",
		       i, of[ALL][i], of[CUT][i], of[WRONG][i], of[SPARE][i], of[LATE][i],
		       of[RIGHT][i]);
	}
	printf("%" PRIu64 " of %" PRIu64 " programs are right; %" PRIu64
	       " have claim and clock out of order; %.0f s of CPU time\n",
	       sum[RIGHT], sum[ALL], sum[CUT], (double)result->nanoseconds / 1e9);
	for (i = 0; i < result->found_count; i++) {
		cost = program_cost(&result->found[i]);
		for (which = 0; which < COSTS; which++)
			if (cost.of[which] < fewest.of[which])
				fewest.of[which] = cost.of[which];
		if (i >= asked.show)
			continue;
		printf("%4u  %u operations, %u accesses, %u atomics, %u clock: ", i + 1,
		       cost.of[COST_OPERATIONS], cost.of[COST_ACCESSES], cost.of[COST_ATOMICS],
		       cost.of[COST_CLOCKS]);
		program_print(&result->found[i], stdout);
		putchar('\n');
	}
	if (i)
		printf("the fewest: %u accesses, %u atomics, %u reads of the clock\n",
		       fewest.of[COST_ACCESSES], fewest.of[COST_ATOMICS], fewest.of[COST_CLOCKS]);
	else
		printf("none of up to %u operations\n", length);
}

/* Says how large a search is; an exit code where it is larger than a night. */
static int estimate(struct search_result *result)
{
	struct search_estimate size = search_estimate(&asked.task, result, asked.estimate ? 20 : 1);
	double hours = size.seconds / 3600 / asked.task.parts;

	if (!asked.estimate && hours > NIGHT)
		return fail_with(EXIT_UNSUPPORTED,
				 "about %.2g programs, of which a part takes %.2g hours of CPU "
				 "time, and a night has %d: take fewer --ops, a smaller --length, "
				 "or --part K/N with more parts",
				 size.programs, hours, NIGHT);
	printf("about %.2g programs, %.2g hours of CPU time (standard error %.0f %%)\n",
	       size.programs, hours, 100 * size.error);
	return EXIT_FINE;
}

static int search(void)
{
	struct search_result *result = child_share(sizeof(*result));
	int status = result ? EXIT_FINE : EXIT_RESOURCE;

	if (result && asked.list) {
		search_list(&asked.task, result);
		return EXIT_FINE;
	}
	if (result && (asked.estimate || asked.task.length > 7))
		status = estimate(result);
	if (!status && !asked.estimate)
		status = search_every(&asked.task, result);
	if (status || asked.estimate)
		return status;
	print_result(result);
	if (!result->found_count)
		return EXIT_BROKEN;
	return asked.header ?
		       program_header(&result->found[0], asked.task.judge.promises, asked.header) :
		       EXIT_FINE;
}

int main(int argc, char **argv)
{
	struct judge_task *judge = &asked.task.judge;
	int status = EXIT_FINE;

	asked.task.processes = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	if (!options_parse(&program_options, argc, argv, &status))
		return status;
	if (!language_set("--ops", asked.ops, language_groups, &judge->groups) ||
	    !language_set("--promises", asked.promises, language_promises, &judge->promises))
		return EXIT_USAGE;
	if (!(judge->groups & HAS(EVENT)))
		judge->groups |= HAS(LONG);
	return asked.program ? judge_program(judge) : search();
}
