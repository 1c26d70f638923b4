// SPDX-License-Identifier: MIT
/* every-scheme: the shortest right reserve of a language, or the proof by count that there is none.
 */
#include <inttypes.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/options.h"
#include "explore/every_scheme/every_scheme.h"

#define NIGHT 12 /* hours: what takes more CPU time is refused */

static struct {
	const char *ops, *promises, *program, *header;
	uint64_t length, words, processes, show;
	bool estimate, list;
	unsigned int part, parts;
} asked = {
	.ops = "load store clock xadd cmpxchg pad packed mask restart place long",
	.promises = "order exact wrap",
	.length = 8,
	.words = 2,
	.show = 10,
	.parts = 1,
};

static bool take_part(const char *text, void *into)
{
	int used = 0;

	(void)into;
	if (sscanf(text, "%u/%u%n", &asked.part, &asked.parts, &used) == 2 && !text[used] &&
	    asked.part < asked.parts)
		return true;
	return fail_with(0, "--part: \"%s\" is not K/N with K from 0 to N - 1", text);
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
	{ "length", "N", "operations, at most (8)", OPTION_NUMBER, .into = &asked.length, 2, 12 },
	{ "words", "N", "shared words but for the tail, at most (2)", OPTION_NUMBER,
	  .into = &asked.words, 0, 2 },
	{ "show", "N", "programs to print (10)", OPTION_NUMBER, .into = &asked.show, 0, 4096 },
	{ "header", "FILE", "write the program, or the first one found, as a row", OPTION_TEXT,
	  .into = &asked.header },
	{ "program", "TEXT", "judge this one, written as results are: broken, with the schedule",
	  OPTION_TEXT, .into = &asked.program },
	{ "estimate", NULL, "only say how many programs there are, and how long they take",
	  OPTION_FLAG, .into = &asked.estimate },
	{ "processes", "N", "at a time (one per CPU)", OPTION_NUMBER, .into = &asked.processes, 1,
	  64 },
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

static unsigned int least(unsigned int one, unsigned int other)
{
	return one < other ? one : other;
}

static void print_result(const struct search_task *task, const struct search_result *result)
{
	struct program_cost cost, fewest = { 99, 99, 99, 99, 99 };
	uint64_t sum[CLASSES] = { 0 };
	unsigned int i, class;

	puts("operations   programs  out of order     wrong  with a right one inside  late  right");
	for (i = 2; i <= task->length; i++) {
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
		fewest.accesses = least(fewest.accesses, cost.accesses);
		fewest.atomics = least(fewest.atomics, cost.atomics);
		fewest.clocks = least(fewest.clocks, cost.clocks);
		if (i >= asked.show)
			continue;
		printf("%4u  %u operations, %u accesses, %u atomics, %u clock: ", i + 1,
		       cost.operations, cost.accesses, cost.atomics, cost.clocks);
		program_print(&result->found[i], stdout);
		putchar('\n');
	}
	if (i)
		printf("the fewest: %u accesses, %u atomics, %u reads of the clock\n",
		       fewest.accesses, fewest.atomics, fewest.clocks);
	else
		printf("none of up to %u operations\n", task->length);
}

static int search(const struct search_task *task)
{
	double programs, hours, error;
	struct search_result *result;
	int status;

	if (asked.estimate || task->length > 7) {
		status = search_estimate(task, asked.estimate ? 20 : 1, &programs, &hours, &error);
		if (status)
			return status;
		hours /= 3600 * task->parts;
		if (!asked.estimate && hours > NIGHT)
			return fail_with(
				EXIT_UNSUPPORTED,
				"about %.2g programs, of which a part takes %.2g hours of "
				"CPU time, and a night has %d: take fewer --ops, a smaller "
				"--length, or --part K/N with more parts",
				programs, hours, NIGHT);
		printf("about %.2g programs, %.2g hours of CPU time (standard error %.0f %%)\n",
		       programs, hours, 100 * error);
		if (asked.estimate)
			return EXIT_FINE;
	}
	status = search_every(task, &result);
	if (status)
		return status;
	print_result(task, result);
	if (!result->found_count)
		return EXIT_BROKEN;
	return asked.header ?
		       program_header(&result->found[0], task->judge.promises, asked.header) :
		       EXIT_FINE;
}

int main(int argc, char **argv)
{
	struct search_task task;
	int status = EXIT_FINE;

	asked.processes = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	if (!options_parse(&program_options, argc, argv, &status))
		return status;
	task = (struct search_task){
		.length = (unsigned int)asked.length,
		.words = (unsigned int)asked.words,
		.processes = (unsigned int)asked.processes,
		.part = asked.part,
		.parts = asked.parts,
	};
	if (!language_groups(asked.ops, &task.judge.groups) ||
	    !language_promises(asked.promises, &task.judge.promises))
		return EXIT_USAGE;
	if (!(task.judge.groups & HAS(EVENT)))
		task.judge.groups |= HAS(LONG);
	if (asked.program)
		return judge_program(&task.judge);
	if (asked.list)
		search_list(&task);
	return asked.list ? EXIT_FINE : search(&task);
}
