// SPDX-License-Identifier: MIT
/* run-stress: every stamp of chosen rows checked under real interrupts. */
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/options.h"
#include "base/progress.h"
#include "base/signals.h"
#include "workloads/engine/engine.h"
#include "workloads/engine/export.h"

#define EXPORT_MIB 64 /* per row, unless the user says otherwise */
#define PAYLOAD_MOST 500000 /* the largest sub-buffer has 262144 bytes */
#define PAYLOAD_RANDOM 200
#define ENTRIES_MOST 32

/* The options given. */
static struct asked {
	const char *schemes;
	const char *workload;
	const char *build;
	const char *cpus;
	const char *json;
	const char *export;
	const char *option[WORKLOADS_MAX]; /* of single workloads, by workload_index() */
	uint64_t export_mib;
	int ctf; /* enum export_ctf */
	double seconds;
	uint64_t levels;
	uint64_t threads;
	uint64_t bits;
	uint64_t skew;
	uint64_t seed;
	struct payload {
		uint64_t extra_bytes;
		bool random;
	} payload;
	bool shared;
	bool traced;
	bool list;
} given = { .build = "checked",
	    .seconds = 2,
	    .levels = 3,
	    .threads = 1,
	    .seed = 1,
	    .export_mib = EXPORT_MIB };

static bool take_payload(const char *text, void *into)
{
	struct payload *payload = into;

	payload->random = !strcmp(text, "random");
	if (payload->random)
		payload->extra_bytes = PAYLOAD_RANDOM;
	return payload->random ||
	       option_number("--payload", text, 0, PAYLOAD_MOST, &payload->extra_bytes);
}

/* The options of single workloads, behind `entries` that there are. */
static void add_options(struct option_entry *entries, size_t count)
{
	unsigned int i;

	for (i = 0; workloads[i] && count + 1 < ENTRIES_MOST; i++) {
		const struct workload_engine *engine = workloads[i]->engine;

		if (engine && engine->option.name)
			entries[count++] = (struct option_entry){
				.name = engine->option.name,
				.argument = engine->option.argument,
				.help = engine->option.text,
				.kind = OPTION_TEXT,
				.into = &given.option[i],
			};
	}
	entries[count] = (struct option_entry){ .name = NULL };
}

static const struct option_entry own_options[] = {
	{ "list", NULL, "list rows and workloads", OPTION_FLAG, .into = &given.list },
	/* --scheme, as everywhere, is short for it */
	{ "schemes", "\"A B\"",
	  "rows; \"name*\": all that begin with name (default: all but variants)", OPTION_TEXT,
	  .into = &given.schemes },
	{ "workload", "NAME", "default storm", OPTION_TEXT, .into = &given.workload },
	{ "seconds", "N", "duration per row (default 2)", OPTION_REAL, &given.seconds, .low = 0.1,
	  .high = 86400 },
	{ "build", "NAME",
	  "checked (default), or timed: the code, geometry and width that bench\n"
	  "times, for workloads steady, threads, storm and stall",
	  OPTION_TEXT, .into = &given.build },
	{ "levels", "1..3", "nesting levels of the storm (default 3)", OPTION_NUMBER, &given.levels,
	  .least = 1, .most = 3, .rare = true },
	{ "threads", "N", "pinned writers, each with its own ring (default 1)", OPTION_NUMBER,
	  &given.threads, .least = 1, .most = ENGINE_THREADS_MAX },
	{ "shared", NULL, "2 or 3 threads write into one ring (rows *_locked)", OPTION_FLAG,
	  .into = &given.shared, .rare = true },
	{ "cpus", "LIST", "CPUs, such as 0,2-3 (default: one per core first)", OPTION_TEXT,
	  .into = &given.cpus },
	{ "bits", "N", "a wrap is 2^N ticks, 8..27 (default: the row's own)", OPTION_NUMBER,
	  &given.bits, .least = 8, .most = 27 },
	{ "skew", "TICKS", "each CPU's clock lags the previous CPU's by TICKS", OPTION_NUMBER,
	  &given.skew, .least = 1, .most = ENGINE_SKEW_MOST, .rare = true },
	{ "traced", NULL, "each read of the clock records an event", OPTION_FLAG,
	  .into = &given.traced, .rare = true },
	{ "payload", "N|random", "payload bytes after the check's 32 bytes; random: 0..200",
	  OPTION_TAKEN, &given.payload, .take = take_payload },
	{ "seed", "N", "seed of ring geometry, modes and round lengths (default 1)", OPTION_NUMBER,
	  &given.seed, .most = UINT32_MAX },
	{ "json", "FILE", "write the results to FILE at the end (- is standard output)", OPTION_OUT,
	  .into = &given.json },
	{ "export", "DIR",
	  "write the events as traces, CTF or ftrace sub-buffers, into\n"
	  "DIR/<row>/epoch-<n>, for read-trace and babeltrace2",
	  OPTION_TEXT, .into = &given.export },
	{ "ctf", "V", "which CTF: 1.8 (default) or 2", OPTION_WORD, .into = &given.ctf,
	  .words = export_ctf_words, .rare = true },
	{ "export-mib", "N", "MiB of traces per row, plus one drain at most (default 64)",
	  OPTION_NUMBER, &given.export_mib, .least = 1, .most = 1000000, .rare = true },
};

static bool parse(int argc, char **argv, int *status)
{
	struct option_entry entries[ENTRIES_MOST];
	const struct option_program program = {
		.usage = "usage: run-stress [options]\n",
		.entries = entries,
		.after = "exit: 0 promises kept, 1 usage, 2 a promise broken, 3 no resource, 4 not "
			 "possible here,\n      5 interrupted\n"
			 "examples:\n"
			 "  run-stress --schemes nested_stamps --seconds 60 --bits 16\n"
			 "  run-stress --workload late_beat --schemes heartbeat\n"
			 "  run-stress --workload replay --gaps workloads/gaps/syscalls_busy.csv\n",
	};

	memcpy(entries, own_options, sizeof(own_options));
	add_options(entries, sizeof(own_options) / sizeof(own_options[0]));
	return options_parse(&program, argc, argv, status);
}

/* A width that all chosen rows can have: who cuts low bits of the stamp needs more than those. */
static int check_bits(const struct asked *asked, const struct driver **rows, int count)
{
	int i;

	for (i = 0; asked->bits && i < count; i++) {
		if (asked->bits > rows[i]->desc->cut_bits)
			continue;
		return fail_with(EXIT_USAGE,
				 "--bits %" PRIu64 " leaves no bit of time to %s, which "
				 "cuts the low %u; give more bits, or other --schemes",
				 asked->bits, rows[i]->row, rows[i]->desc->cut_bits);
	}
	return 0;
}

static bool is_sharable(const struct workload_engine *engine)
{
	return engine && engine->sharable;
}

static bool is_timeable(const struct workload_engine *engine)
{
	return engine && engine->timeable;
}

/* "steady, threads and storm": those that `are`. */
static const char *names_of(bool (*are)(const struct workload_engine *engine), char text[256])
{
	unsigned int i, left = 0;
	size_t length = 0;

	text[0] = '\0';
	for (i = 0; workloads[i]; i++)
		left += are(workloads[i]->engine);
	for (i = 0; workloads[i]; i++) {
		if (!are(workloads[i]->engine) || length > 200)
			continue;
		left--;
		length +=
			(size_t)snprintf(text + length, 256 - length, "%.30s%s", workloads[i]->name,
					 left > 1 ? ", " :
					 left	  ? " and " :
						    "");
	}
	return text;
}

/* The rows of the build that is asked for; whatever the timed one has for a constant is one. */
static int find_build(const struct asked *asked, const struct workload *workload,
		      const struct driver *const **drivers)
{
	static const char *const builds[] = { "checked", "timed", NULL };
	char names[256];
	int build = option_word("--build", asked->build, builds);

	if (build < 0)
		return EXIT_USAGE;
	*drivers = build ? drivers_timed : drivers_checked;
	if (build && (asked->skew || asked->traced))
		return fail_with(EXIT_USAGE, "--build timed reads the machine's clock: leave out "
					     "--skew and --traced");
	if (!build || (is_timeable(workload->engine) && !asked->bits &&
		       !asked->payload.extra_bytes && !asked->shared && !asked->export))
		return 0;
	return fail_with(EXIT_USAGE,
			 "--build timed is for %s, without --bits, --payload, --shared "
			 "and --export: its payload, widths and geometry are constants",
			 names_of(is_timeable, names));
}

static int list_all(void)
{
	unsigned int i;

	for (i = 0; drivers_checked[i]; i++)
		driver_list(stdout, drivers_checked[i]);
	workload_list(stdout);
	return EXIT_FINE;
}

/* Its own option, and none of another's. */
static int check_option(const struct asked *asked, const struct workload *workload)
{
	unsigned int i, own = workload_index(workload);

	for (i = 0; workloads[i]; i++)
		if (asked->option[i] && i != own)
			return fail_with(EXIT_USAGE, "--%s is for --workload %s, not for %s",
					 workloads[i]->engine->option.name, workloads[i]->name,
					 workload->name);
	if (!asked->option[own] && workload->engine->option.missing)
		return fail_with(EXIT_USAGE, "%s", workload->engine->option.missing);
	return 0;
}

/* The workload's preconditions. An exit code, after a line on stderr. */
static int check_workload(const struct place *place, struct asked *asked,
			  const struct workload *workload)
{
	const struct workload_engine *engine = workload->engine;
	int error = check_option(asked, workload);

	if (error)
		return error;
	if (asked->ctf && !asked->export)
		return fail_with(EXIT_USAGE, "--ctf goes with --export");
	if (asked->export && engine->no_export)
		return fail_with(EXIT_UNSUPPORTED, "%s", engine->no_export);
	if (asked->export && engine_export_directory(asked->export))
		return EXIT_RESOURCE;
	if (engine->two_cpus && hwloc_bitmap_weight(place->allowed) < 2)
		return fail_with(EXIT_UNSUPPORTED,
				 "%s skipped: it needs two CPUs, and only CPU %s is allowed here",
				 workload->name, place->allowed_text);
	if (asked->threads < engine->threads_least || engine->threads_least == engine->threads_most)
		asked->threads = engine->threads ? engine->threads : asked->threads;
	if (engine->threads_most && asked->threads > engine->threads_most)
		return fail_with(EXIT_USAGE, "%s takes --threads up to %u", workload->name,
				 engine->threads_most);
	return 0;
}

static int check_clock(const struct asked *asked, const struct workload *workload)
{
	if (asked->skew && asked->threads < 2)
		return fail_with(EXIT_USAGE,
				 "--skew needs writers on several CPUs: --threads 2 --shared, or a "
				 "workload with several (%s has one)",
				 workload->name);
	if (asked->skew && asked->traced)
		return fail_with(EXIT_USAGE,
				 "--skew and --traced exclude each other: one clock at a time");
	return 0;
}

static int check_shared(const struct asked *asked, const struct workload *workload)
{
	char names[256];

	if (!asked->shared)
		return 0;
	if (asked->threads < 2 || asked->threads > CHECK_WRITERS_MAX)
		return fail_with(EXIT_USAGE, "--shared takes --threads 2 or %d", CHECK_WRITERS_MAX);
	if (!workload->engine->sharable && workload->engine->spread != SPREAD_SHARED)
		return fail_with(EXIT_USAGE, "--shared is for %s, not for %s",
				 names_of(is_sharable, names), workload->name);
	return 0;
}

/* CPUs for the writers, for a reader and, if one is left, for the sender of the storm. */
static int plan_cpus(const struct place *place, const struct asked *asked,
		     struct engine_config *config, struct place_plan *plan)
{
	int allowed = hwloc_bitmap_weight(place->allowed);
	const struct workload_engine *engine = config->workload->engine;
	int error;

	config->threads = (unsigned int)asked->threads;
	config->has_sender = engine_has_storm(config->workload) && config->threads == 1 &&
			     allowed > 1 && (!asked->cpus || strpbrk(asked->cpus, ",-"));
	config->cpus = config->threads + config->has_sender + engine->reader;
	if (engine->spread == SPREAD_MOVING)
		config->cpus = allowed < 2 ? 1 : 2;
	/* A reader beside several writers makes do with the CPU of one of them. */
	else if (engine->spread == SPREAD_SHARED && allowed == (int)config->threads)
		config->cpus = config->threads;
	error = place_plan(place, asked->cpus, config->cpus, plan);
	config->pu = plan->pu;
	config->place = place;
	return error;
}

/* Keeps the rows that the workload takes, or several writers; says which others were asked for. */
static int choose_able(const struct asked *asked, const struct workload *workload,
		       const struct driver **rows, int count)
{
	const struct workload_engine *engine = workload->engine;
	int i, kept = 0;
	bool takes;

	for (i = 0; i < count; i++) {
		takes = asked->shared ? rows[i]->desc->shared_promises != 0 :
					!engine->takes || engine->takes(rows[i]);
		if (takes)
			rows[kept++] = rows[i];
		else if (asked->schemes && asked->shared)
			fail_line("%s is for the writers of one CPU; left out", rows[i]->row);
		else if (asked->schemes)
			fail_line(engine->left_out, rows[i]->row);
	}
	return kept;
}

/* The rows to run. An exit code. */
static int choose_rows(const struct asked *asked, const struct workload *workload,
		       const struct driver **rows, int *count)
{
	const struct driver *const *drivers;
	int error = find_build(asked, workload, &drivers);

	if (error)
		return error;
	*count = driver_select(drivers, asked->schemes, rows, DRIVERS_MAX);
	if (*count < 0 || check_bits(asked, rows, *count))
		return EXIT_USAGE;
	if (!asked->shared)
		*count = driver_omit_variants(asked->schemes, rows, *count);
	*count = driver_omit_unsupported(rows, *count);
	*count = choose_able(asked, workload, rows, *count);
	return *count ? 0 : EXIT_UNSUPPORTED;
}

/* One row, and its traces if they are wanted. */
static int run_row(const struct asked *asked, struct engine_config *config,
		   struct engine_result *result, struct progress *progress)
{
	static struct engine_export export;
	bool exports = asked->export && !export_refused(config->driver, asked->ctf == EXPORT_CTF_2);
	int error = 0, closed = 0;

	config->export = exports ? &export : NULL;
	if (exports)
		error = engine_export_open(&export, asked->export, config->driver->row,
					   asked->export_mib << 20, asked->ctf == EXPORT_CTF_2);
	if (!error)
		error = engine_run(config, result);
	progress_end(progress);
	if (!error)
		engine_print(config, result);
	if (exports)
		closed = engine_export_close(&export);
	return error ? error : closed;
}

static int run_rows(const struct asked *asked, struct engine_config *config,
		    const struct driver **rows, int count)
{
	json_t *json = asked->json ? json_array() : NULL;
	static struct engine_result result;
	int i, error = 0, broken = 0, worst = EXIT_FINE;
	struct progress progress;

	engine_print_head(config);
	progress_begin(&progress, count * asked->seconds);
	for (i = 0; i < count && !workload_stop && !error; i++) {
		config->driver = rows[i];
		progress_step(&progress, config->workload->name, rows[i]->row);
		error = run_row(asked, config, &result, &progress);
		if (error)
			break;
		progress_done(&progress, asked->seconds);
		if (json)
			json_array_append_new(json, engine_json(config, &result));
		broken += engine_verdict(config, &result) == VERDICT_BROKEN;
	}
	worst = broken ? EXIT_BROKEN : EXIT_FINE;
	if (!error)
		printf("%d of %d rows ran: %d broken\n", i, count, broken);
	if (!error && workload_stop)
		fail_line("interrupted: the last row ran for a part of its time, and %d rows never "
			  "ran%s%s",
			  count - i, i < count ? ", the first of them " : "",
			  i < count ? rows[i]->row : "");
	if (json && !error)
		error = json_out(asked->json, json);
	json_decref(json);
	if (error)
		return error;
	return workload_stop && worst == EXIT_FINE ? EXIT_INTERRUPTED : worst;
}

static int run(struct asked *asked, const struct workload *workload, const struct driver **rows,
	       int count)
{
	struct place place = { .topology = NULL };
	struct place_plan cpus = { .pu = NULL };
	struct engine_config config = {
		.workload = workload,
		.seconds = asked->seconds,
		/* One is the clock's. */
		.levels = asked->traced && asked->levels >= ENGINE_TRACED_LEVEL ?
				  ENGINE_TRACED_LEVEL - 1 :
				  (unsigned int)asked->levels,
		.bits = (uint32_t)asked->bits,
		.extra_bytes = (uint32_t)asked->payload.extra_bytes,
		.random_extra = asked->payload.random,
		.seed = asked->seed,
		.shared = asked->shared,
		.clock = { .skew_ticks = asked->skew, .traced = asked->traced },
		.option = asked->option[workload_index(workload)],
	};
	int status = place_open(&place);

	if (!status)
		status = check_workload(&place, asked, workload);
	if (!status)
		status = check_shared(asked, workload);
	if (!status)
		status = check_clock(asked, workload);
	if (!status)
		status = plan_cpus(&place, asked, &config, &cpus);
	if (!status && (interrupts_install() || signals_stop(workload_interrupt)))
		status = EXIT_RESOURCE;
	if (!status)
		status = run_rows(asked, &config, rows, count);
	place_plan_free(&cpus);
	place_close(&place);
	return status;
}

/* The first that is a storm. */
static const struct workload *usual_workload(void)
{
	unsigned int i;

	for (i = 0; workloads[i] && !engine_has_storm(workloads[i]); i++)
		;
	return workloads[i];
}

int main(int argc, char **argv)
{
	const struct driver *rows[DRIVERS_MAX];
	const struct workload *workload;
	int status, count;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!parse(argc, argv, &status))
		return status;
	json_own_stdout(given.json);
	if (given.list)
		return list_all();
	workload = given.workload ? workload_find(given.workload, strlen(given.workload)) :
				    usual_workload();
	if (!workload)
		return EXIT_USAGE;
	if (!workload->engine)
		return fail_with(EXIT_UNSUPPORTED, "%s", workload->instead);
	given.shared |= workload->engine->spread == SPREAD_SHARED;
	status = choose_rows(&given, workload, rows, &count);
	return status ? status : run(&given, workload, rows, count);
}
