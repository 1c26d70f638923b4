// SPDX-License-Identifier: MIT
/* Counts of workloads on the virtual clock: the same on every machine. */
#include "tests/support/test.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#ifdef __x86_64__
#include "extras/kernel/program/print.c"
#endif
#include "judge/known.h"
#include "runner/counted.h"
#include "runner/describe.h"
#include "runner/place/ticks.h"
#include "runner/plan.h"
#include "runner/timed.h"
#include "workloads/engine/engine.h"
#include "workloads/misclock.h"
#include "workloads/workload.h"

#define HZ 2e9
#define PLAYED 4 /* rows under workloads, too */

static void step(void *arg, const char *section, const char *what)
{
	assert_string_equal(section, "backstep");
}

/* All lines of backstep, of replay, and of what is counted in a row, as they were recorded. */
static void lines_are_as_recorded(void **state)
{
	static const char *const names[] = { "packed_word",	 "nested_stamps",
					     "heartbeat",	 "full_tsc",
					     "floor_large",	 "heartbeat_compact",
					     "full_tsc_aligned", "nested_stamps_aligned" };
	const struct driver *rows[COUNT(names)];
	struct workload_bench bench = {
		.rows = rows, .count = PLAYED, .seed = 1, .size = SIZE_QUICK, .step = step
	};
	json_t *lines = json_array(), *line, *described;
	struct misclock_result played;
	enum misclock kind;
	struct counted counted;
	size_t i, bytes;
	char *got;
	FILE *into = open_memstream(&got, &bytes);

	ticks_set_hz(HZ);
	for (i = 0; i < COUNT(names); i++) {
		rows[i] = driver_find(drivers_checked, names[i]);
		assert_int_equal(counted_row(rows[i], &counted, lines), 0);
		counted.instructions = -1; /* the compiler's */
		json_array_append_new(lines, counted_json(names[i], &counted));
	}
	json_array_extend(lines, described = describe_rows(rows, COUNT(names)));
	json_array_foreach(described, i, line)
		json_object_del(line, "used_by"); /* other tracers may come */
	json_decref(described);
	assert_int_equal(workload_backstep.measure(&bench, lines), 0);
	assert_int_equal(workload_replay.measure(&bench, lines), 0);
	json_array_foreach(lines, i, line) {
		json_dumpf(line, into, JSON_COMPACT | JSON_REAL_PRECISION(6));
		fputc('\n', into);
	}
	for (kind = 0; kind < MISCLOCKS; kind++)
		if (!misclock_play(driver_find(drivers_counting, names[0]), kind, 100, HZ, 1, 1,
				   &played))
			fprintf(into, "%s: %" PRIu64 " ticks, %" PRIu64 " interrupts\n",
				misclock_words[kind].name, played.ticks, played.interrupts);
	fclose(into);
	json_decref(lines);
	assert_recorded(got, "counts");
}

/* Gives each count another value; if `kept`, no oracle has objected. */
static void fill(struct engine_result *result, const struct driver *row, bool kept)
{
	uint64_t i;

	for (i = 0; i < sizeof(*result) / sizeof(i); i++)
		memcpy((char *)result + i * sizeof(i), &i, sizeof(i));
	result->seconds = 2.5, result->recording_seconds = 0.5, result->writer_share = 0.4;
	result->bits = 27, result->unmet = kept ? 0 : NEED_FORWARD_CLOCK;
	result->unmet_by_plan = 0, result->interrupted = false, result->desc = *row->desc;
	result->check.desc = result->voided.desc = &result->desc;
	result->check.windowless = result->check.scattered = false;
	result->own[84] = 12 | UINT64_C(20) << 32; /* late_beat's gaps, and their width */
	strcpy(result->shown, "the first one\n");
	if (row->desc->needs)
		result->traced.let_go = 0;
	if (kept) {
		result->stuck = result->void_epochs = result->check.wraps_lost = 0;
		memset(result->check.violations, 0, sizeof(result->check.violations));
	}
}

/* run-stress prints and records results that are made up. */
static void prints_are_as_recorded(void **state)
{
	static const char *const names[] = { "packed_word", "heartbeat", "restartable",
					     "cached_clock", "layout_5_27_cut5_ext" };
	static const struct workload *const of[] = {
		&workload_steady,      &workload_threads, &workload_storm, &workload_late_beat,
		&workload_wraps,       &workload_replay,  &workload_stall, &workload_bursts,
		&workload_backstep,    &workload_migrate, &workload_live,  &workload_live_shared,
		&workload_live_migrate
	};
	static const unsigned int pu[] = { 4, 2, 3 };
	static struct engine_result result;
	struct engine_config config = {
		.pu = pu, .cpus = 2, .seed = 9, .option = "workloads/gaps/syscalls_busy.csv"
	};
	FILE *standard = stdout;
	size_t i, bytes;
	char *got, *line;

	SKIP_IF(!*known_of(names[0])->compiler,
		"the rows' sources are not those that were explored");
	ticks_set_hz(HZ);
	stdout = open_memstream(&got, &bytes);
	for (i = 0; i < 3 * COUNT(of); i++) {
		config.workload = of[i / 3];
		config.driver = driver_find(drivers_checked, names[i % COUNT(names)]);
		config.threads = 1 + i % 2;
		config.has_sender = i % 3 == 0, config.shared = i % 7 == 0;
		config.clock.skew_ticks = i % 4 == 1 ? 3000 : 0, config.clock.traced = i % 4 == 2;
		if (i % 3)
			fill(&result, config.driver, i % 3 == 1);
		else
			memset(&result, 0, sizeof(result)), result.check.desc = config.driver->desc;
		engine_print_head(&config);
		engine_print(&config, &result);
		json_t *json = engine_json(&config, &result);
		json_dumpf(json, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
		json_decref(json);
		puts("");
	}
	fclose(stdout);
	stdout = standard;
	for (line = got; (line = strstr(line, "  explored: "));) {
		line += strcspn(line, "0123456789"); /* its figures are recorded elsewhere */
		memmove(line, strchr(line, '\n'), strlen(strchr(line, '\n')) + 1);
	}
	assert_recorded(got, "printed");
}

/* The kernel's program prints and records results that are made up. */
static void prints_of_a_kernel_are_as_recorded(void **state)
{
#ifdef __x86_64__
	static const char *const names[] = { "packed_word", "heartbeat", "delta_sync_hard" };
	struct epochs epochs;
	FILE *standard = stdout;
	uint64_t i, row;
	size_t bytes;
	char *got;

	SKIP_IF(!*known_of(names[0])->compiler,
		"the rows' sources are not those that were explored");
	stdout = to.lines = open_memstream(&got, &bytes);
	print_head();
	for (row = 0; row < COUNT(names); row++) {
		for (i = 0; i < sizeof(epochs) / sizeof(i); i++)
			memcpy((char *)&epochs + i * sizeof(i), &(uint64_t){ i + row }, sizeof(i));
		epochs.with_nmi = row, epochs.text = row ? "an objection" : NULL;
		epochs.verdict = row == 1 ? VERDICT_BROKEN : VERDICT_KEPT;
		print_row(driver_find(drivers_checked, names[row]), &epochs);
	}
	print_left_out(driver_find(drivers_checked, "restartable"), "no rseq");
	print_price_head("ns", 64);
	print_price(&(struct price){ "packed_word", "ns", 4.25, 8.5 });
	print_end();
	stdout = standard;
	assert_recorded(got, "printed_in_kernel");
#else
	SKIP_IF(true, "the kernel's program is of x86-64");
#endif
}

static uint64_t slow_drain(void *scheme, struct check *check, bool consume)
{
	usleep(20000);
	return driver_find(drivers_checked, "packed_word")->drain(scheme, check, consume);
}

/* The slowest row counts, first or last: it decodes a MiB of records in 20 ms. */
static void the_slowest_decoding_counts(void **state)
{
	struct driver slow = *driver_find(drivers_checked, "packed_word");
	const struct driver *rows[] = { driver_find(drivers_checked, "full_tsc"), &slow,
					driver_find(drivers_checked, "floor_large") };
	struct progress progress;
	double rate;

	slow.drain = slow_drain;
	for (int i = 0; i < 2; i++) {
		progress_begin(&progress, 1);
		assert_int_equal(counted_decoding(rows + i, 2, &progress, &rate), 0);
		assert_true(rate > 100000 && rate < (1 << 20) / 32 / 0.02);
	}
}

/* bench makes a command, rows, workloads and timed cells of the words after each $. */
static void plans_are_as_recorded(void **state)
{
	static struct rounds rounds;
	struct workload_bench bench = { .cpus = 3 };
	const struct workload_cell *cell;
	char *all = table_named("planned"), *rest = all, *argv[16], *got;
	size_t i, bytes;
	FILE *errors = stderr, *into = open_memstream(&got, &bytes);
	int argc, status, row;
	bool fine;

	while ((argc = table_command(&rest, into, argv))) {
		struct plan plan = plan_usual;

		optind = 0, status = 0, stderr = into;
		memset(&rounds, 0, sizeof(rounds));
		fine = plan_parse(argc, argv, &plan, &status) && !(status = plan_choose(&plan));
		stderr = errors;
		if (!fine && fprintf(into, "%d\n", status))
			continue;
		bench.rows = plan.rows, bench.count = plan.count, bench.seed = plan.seed;
		bench.size = plan.size, bench.chosen = plan.chosen;
		timed_plan(&rounds, &bench, plan.repetitions);
		json_t *command = plan_command(&plan);
		fprintf(into, "%s\n", json_string_value(command));
		json_decref(command);
		for (i = 0; workloads[i]; i++)
			if (plan.chosen[i])
				fprintf(into, "%s ", workloads[i]->name);
		for (row = 0; row < plan.count; row++)
			fprintf(into, " %s", plan.rows[row]->row);
		fprintf(into, "\n%u rounds in %g s, planned %g s\n", rounds.rounds, rounds.seconds,
			timed_seconds(&rounds));
		for (i = 0; i < rounds.cells; i++) {
			cell = &rounds.cell[i].told;
			fprintf(into, "%s %s %s%s %u %u %u, %d %lu %lu %lu\n", cell->row,
				cell->workload, cell->base ?: "-", cell->cheap ? " cheap" : "",
				cell->threads, cell->rounds, cell->pairs, cell->injected.on,
				cell->injected.wrap_every, cell->injected.nest_every,
				cell->injected.nest_depth);
		}
	}
	fclose(into);
	free(all);
	assert_recorded(got, "planned");
}

TESTS(lines_are_as_recorded, prints_are_as_recorded, prints_of_a_kernel_are_as_recorded,
      plans_are_as_recorded, the_slowest_decoding_counts)
