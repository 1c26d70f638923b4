// SPDX-License-Identifier: MIT
/* run-stress: every stamp of chosen rows checked under real interrupts. */
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_out.h"
#include "base/options.h"
#include "workloads/stress.h"
#include "workloads/stress_export.h"
#include "workloads/stress_print.h"

#define EXPORT_MIB 64 /* per row, unless the user says otherwise */
#define PAYLOAD_MOST 500000 /* the largest sub-buffer has 262144 bytes */

struct options {
	const char *schemes;
	const char *workload;
	const char *build;
	const char *cpus;
	const char *json;
	const char *gaps;
	const char *export;
	uint64_t export_mib;
	uint64_t seconds;
	uint64_t levels;
	uint64_t threads;
	uint64_t bits;
	uint64_t extra_bytes;
	uint64_t seed;
	bool random_extra;
	bool shared;
	bool list;
};

static const char usage[] =
	"usage: run-stress [options]\n"
	"  --list                 rows and workloads\n"
	"  --schemes \"A B\"        rows, or prefixes of rows (default: all but variants)\n"
	"  --workload NAME        default storm\n"
	"  --seconds N            per row (default 2)\n"
	"  --build NAME           checked, or timed: the code that bench times, in its geometry, of\n"
	"                         steady, threads and storm (default checked)\n"
	"  --levels 1..3          nesting levels of the storm (default 3)\n"
	"  --threads N            pinned writers, a ring each (default 1)\n"
	"  --shared               2 or 3 threads in one ring (rows that allow it: *_locked)\n"
	"  --cpus LIST            such as 0,2-3 (default: one per core first)\n"
	"  --bits N               a wrap is 2^N ticks, 8..27 (default: the row's)\n"
	"  --gaps FILE            of replay, such as workloads/gaps/syscalls_busy.csv\n"
	"  --payload N|random     bytes behind the 32 of the check, random: 0..200\n"
	"  --seed N               of ring geometry, modes and round lengths (default 1)\n"
	"  --json FILE            results, written when all is done (- is standard output)\n"
	"  --export DIR           what is recorded, as traces: CTF 1.8 or ftrace sub-buffers, in\n"
	"                         DIR/<row>/epoch-<n> (read-trace and babeltrace2 read them)\n"
	"  --export-mib N         of them per row, at most a drain more (default 64)\n"
	"exit: 0 promises kept, 1 usage, 2 a promise broken, 3 no resource, 4 not possible here,\n"
	"      5 interrupted\n"
	"examples:\n"
	"  run-stress --schemes nested_stamps --seconds 60 --bits 16\n"
	"  run-stress --workload late_beat --schemes heartbeat\n"
	"  run-stress --workload replay --gaps workloads/gaps/syscalls_busy.csv\n";

static void on_interrupt(int signal)
{
	(void)signal;
	stress_stop = 1;
}

static const struct option longs[] = {
	{ "list", no_argument, NULL, 'l' },
	{ "schemes", required_argument, NULL, 's' }, /* --scheme, as everywhere, is short for it */
	{ "workload", required_argument, NULL, 'w' },
	{ "build", required_argument, NULL, 'd' },
	{ "seconds", required_argument, NULL, 't' },
	{ "levels", required_argument, NULL, 'n' },
	{ "threads", required_argument, NULL, 'j' },
	{ "shared", no_argument, NULL, 'a' },
	{ "cpus", required_argument, NULL, 'c' },
	{ "bits", required_argument, NULL, 'b' },
	{ "gaps", required_argument, NULL, 'g' },
	{ "payload", required_argument, NULL, 'p' },
	{ "seed", required_argument, NULL, 'r' },
	{ "json", required_argument, NULL, 'o' },
	{ "export", required_argument, NULL, 'e' },
	{ "export-mib", required_argument, NULL, 'm' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* 0: go on; otherwise 1 + exit code. */
static int parse(int argc, char **argv, struct options *options)
{
	bool good = true;
	int option;

	opterr = 0;
	while (good && (option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if (option == 'a')
			options->shared = true;
		else if (option == 'l')
			options->list = true;
		else if (option == 's')
			options->schemes = optarg;
		else if (option == 'w')
			options->workload = optarg;
		else if (option == 'd')
			options->build = optarg;
		else if (option == 'c')
			options->cpus = optarg;
		else if (option == 'g')
			options->gaps = optarg;
		else if (option == 'o')
			options->json = optarg;
		else if (option == 'e')
			options->export = optarg;
		else if (option == 'm')
			good = option_number("--export-mib", optarg, 1, 1000000,
					     &options->export_mib);
		else if (option == 't')
			good = option_number("--seconds", optarg, 1, 86400, &options->seconds);
		else if (option == 'n')
			good = option_number("--levels", optarg, 1, 3, &options->levels);
		else if (option == 'j')
			good = option_number("--threads", optarg, 1, STRESS_THREADS_MAX,
					     &options->threads);
		else if (option == 'b')
			good = option_number("--bits", optarg, 8, 27, &options->bits);
		else if (option == 'r')
			good = option_number("--seed", optarg, 0, UINT32_MAX, &options->seed);
		else if (option == 'p' && !strcmp(optarg, "random"))
			options->random_extra = true, options->extra_bytes = 200;
		else if (option == 'p')
			good = option_number("--payload", optarg, 0, PAYLOAD_MOST,
					     &options->extra_bytes);
		else if (option == 'h')
			return fputs(usage, stdout), 1 + EXIT_FINE;
		else
			return 1 + option_refused(argv[optind - 1]);
	}
	if (good && optind < argc)
		return 1 + option_refused(argv[optind]);
	return good ? 0 : 1 + EXIT_USAGE;
}

/* A width that all chosen rows can have: who cuts low bits of the stamp needs more than those. */
static int check_bits(const struct options *options, const struct driver **rows, int count)
{
	int i;

	for (i = 0; options->bits && i < count; i++) {
		if (options->bits > rows[i]->desc->cut_bits)
			continue;
		fprintf(stderr,
			"stampede: --bits %" PRIu64 " leaves no bit of time to %s, which cuts the "
			"low %u; give more, or choose others with --schemes\n",
			options->bits, rows[i]->row, rows[i]->desc->cut_bits);
		return EXIT_USAGE;
	}
	return 0;
}

static int find_workload(const char *name, enum workload *workload)
{
	unsigned int i;

	for (i = 0; i < WORKLOADS; i++)
		if (!strcmp(name, workload_names[i])) {
			*workload = (enum workload)i;
			return 0;
		}
	option_unknown("workload", name, strlen(name), workload_names);
	return EXIT_USAGE;
}

/* The rows of the build that is asked for; whatever the timed one has for a constant is one. */
static int find_build(const struct options *options, enum workload workload,
		      const struct driver *const **drivers)
{
	*drivers = drivers_checked;
	if (!strcmp(options->build, "checked"))
		return 0;
	*drivers = drivers_timed;
	if (strcmp(options->build, "timed")) {
		fprintf(stderr, "stampede: --build %s: not one of checked, timed\n", options->build);
		return EXIT_USAGE;
	}
	if (stress_may_time(workload) && !options->bits && !options->extra_bytes &&
	    !options->shared && !options->export)
		return 0;
	fprintf(stderr, "stampede: --build timed is for steady, threads and storm, without --bits, "
			"--payload, --shared and --export: its payload, widths and geometry are "
			"constants\n");
	return EXIT_USAGE;
}

static int list_all(void)
{
	unsigned int i;

	for (i = 0; drivers_checked[i]; i++)
		driver_list(stdout, drivers_checked[i]);
	for (i = 0; i < WORKLOADS; i++)
		printf("%-30s %s\n", workload_name((enum workload)i),
		       workload_text((enum workload)i));
	return EXIT_FINE;
}

/* What single workloads cannot do without. An exit code, after a line on stderr. */
static int prepare(const struct place *place, struct options *options,
		   struct stress_config *config, struct gaps *gaps)
{
	if (config->workload == WORKLOAD_nested) {
		fprintf(stderr, "stampede: nested is timed by bench; under real signals it is the "
				"workload storm\n");
		return EXIT_UNSUPPORTED;
	}
	if (config->workload == WORKLOAD_seek) {
		fprintf(stderr, "stampede: seek is measured by bench: make bench WORKLOADS=seek\n");
		return EXIT_UNSUPPORTED;
	}
	if (options->gaps && config->workload != WORKLOAD_replay) {
		fprintf(stderr, "stampede: --gaps is for --workload replay, not for %s\n",
			workload_name(config->workload));
		return EXIT_USAGE;
	}
	if (options->export && config->workload == WORKLOAD_late_beat) {
		fprintf(stderr, "stampede: late_beat starts its ring anew for every beat; "
				"--export is for other workloads\n");
		return EXIT_UNSUPPORTED;
	}
	if (config->workload == WORKLOAD_replay) {
		if (!options->gaps)
			fprintf(stderr, "stampede: replay takes its gaps from a file: --gaps "
					"workloads/gaps/syscalls_busy.csv, for one\n");
		if (!options->gaps || gaps_read(options->gaps, gaps))
			return EXIT_USAGE;
		config->gaps = gaps;
	}
	if (config->workload == WORKLOAD_handoff) {
		options->threads = 2;
		if (hwloc_bitmap_weight(place->allowed) < 2) {
			fprintf(stderr, "stampede: handoff skipped: it takes two CPUs, and CPU %s "
					"is all that is allowed here\n", place_allowed_text(place));
			return EXIT_UNSUPPORTED;
		}
	}
	if (config->workload == WORKLOAD_migrate && options->threads < 2)
		options->threads = 3;
	if (config->workload == WORKLOAD_migrate && options->threads > CHECK_WRITERS_MAX) {
		fprintf(stderr, "stampede: migrate takes --threads 2 or 3\n");
		return EXIT_USAGE;
	}
	config->rare_seconds = config->seconds / 2;
	return 0;
}

/* CPUs for the writers and, if one is left, for the sender of the storm. */
static int plan(const struct place *place, const struct options *options,
		struct stress_config *config, struct place_plan *plan)
{
	unsigned int threads = (unsigned int)options->threads;
	int allowed = hwloc_bitmap_weight(place->allowed);
	int status;

	config->threads = threads;
	config->has_sender = stress_has_storm(config->workload) && threads == 1 && allowed > 1 &&
			     (!options->cpus || strpbrk(options->cpus, ",-"));
	config->cpus = allowed < 2 ? 1 : 2;
	status = place_plan(place, options->cpus,
			    config->workload == WORKLOAD_migrate ? config->cpus :
								   threads + config->has_sender,
			    plan);
	config->pu = plan->pu;
	config->place = place;
	return (int)status;
}

/* Keeps the rows that several writers may share; says which others were asked for. */
static int choose_shared(const struct options *options, const struct driver **rows, int count)
{
	int i, kept = 0;

	if (options->threads < 2 || options->threads > CHECK_WRITERS_MAX) {
		fprintf(stderr, "stampede: --shared takes --threads 2 or 3\n");
		return -EXIT_USAGE;
	}
	if (strcmp(options->workload, "storm") && strcmp(options->workload, "steady") &&
	    strcmp(options->workload, "threads")) {
		fprintf(stderr, "stampede: --shared is for steady, threads and storm, not for %s\n",
			options->workload);
		return -EXIT_USAGE;
	}
	for (i = 0; i < count; i++) {
		if (rows[i]->desc->shared_promises)
			rows[kept++] = rows[i];
		else if (options->schemes)
			fprintf(stderr, "stampede: %s is for the writers of one CPU; left out\n",
				rows[i]->row);
	}
	return kept ? kept : -EXIT_UNSUPPORTED;
}

/* Keeps the rows whose threads may move between CPUs. */
static int choose_migrate(const struct options *options, const struct driver **rows, int count)
{
	int i, kept = 0;

	for (i = 0; i < count; i++) {
		if (rows[i]->join)
			rows[kept++] = rows[i];
		else if (options->schemes)
			fprintf(stderr, "stampede: threads of %s cannot move between CPUs; left out\n",
				rows[i]->row);
	}
	return kept;
}

/* One row, and its traces if they are wanted. */
static int run_row(const struct options *options, struct stress_config *config,
		   struct stress_result *result)
{
	static struct stress_export export;
	int error, closed;

	if (!options->export || export_refused(config->driver)) {
		config->export = NULL;
		error = stress_run(config, result);
		if (!error)
			stress_print(config, result);
		return error;
	}
	error = stress_export_open(&export, options->export, config->driver->row,
				   options->export_mib << 20);
	config->export = &export;
	if (!error)
		error = stress_run(config, result);
	if (!error)
		stress_print(config, result);
	closed = stress_export_close(&export);
	return error ? error : closed;
}

static int run_rows(const struct options *options, struct stress_config *config,
		    const struct driver **rows, int count)
{
	struct stress_result result;
	int i, error, worst = EXIT_FINE;
	json_t *json = options->json ? json_array() : NULL;

	stress_print_head(config);
	for (i = 0; i < count && !stress_stop; i++) {
		config->driver = rows[i];
		error = run_row(options, config, &result);
		if (error)
			return error;
		if (json)
			json_array_append_new(json, stress_json(config, &result));
		if (stress_verdict(&result) == VERDICT_BROKEN)
			worst = EXIT_BROKEN;
	}
	if (json) {
		error = json_out(options->json, json);
		json_decref(json);
		if (error)
			return error;
	}
	return stress_stop && worst == EXIT_FINE ? EXIT_INTERRUPTED : worst;
}

int main(int argc, char **argv)
{
	struct options options = {
		.workload = "storm", .build = "checked", .seconds = 2, .levels = 3, .threads = 1, .seed = 1,
		.export_mib = EXPORT_MIB
	};
	const struct driver *const *drivers, *rows[DRIVERS_MAX];
	struct sigaction interrupt = { .sa_handler = on_interrupt };
	struct stress_config config = { .driver = NULL };
	struct place place = { .topology = NULL };
	struct place_plan cpus = { .pu = NULL };
	struct gaps gaps;
	int status, count;

	setvbuf(stdout, NULL, _IOLBF, 0);
	status = parse(argc, argv, &options);
	if (status)
		return status - 1;
	if (options.list)
		return list_all();
	if (find_workload(options.workload, &config.workload) ||
	    find_build(&options, config.workload, &drivers))
		return EXIT_USAGE;
	count = driver_select(drivers, options.schemes, rows, DRIVERS_MAX);
	if (count < 0 || check_bits(&options, rows, count))
		return EXIT_USAGE;
	if (!options.shared)
		count = driver_omit_variants(options.schemes, rows, count);
	count = driver_omit_unsupported(rows, count);
	if (config.workload == WORKLOAD_migrate)
		count = choose_migrate(&options, rows, count);
	if (!count)
		return EXIT_UNSUPPORTED;
	if (options.shared) {
		count = choose_shared(&options, rows, count);
		if (count < 0)
			return -count;
	}
	config.shared = options.shared;
	config.seconds = (double)options.seconds;
	config.levels = (unsigned int)options.levels;
	config.bits = (uint32_t)options.bits;
	config.extra_bytes = (uint32_t)options.extra_bytes;
	config.random_extra = options.random_extra;
	config.seed = options.seed;
	status = place_open(&place);
	if (!status)
		status = prepare(&place, &options, &config, &gaps);
	if (!status)
		status = plan(&place, &options, &config, &cpus);
	if (!status && (interrupts_install() || sigaction(SIGINT, &interrupt, NULL)))
		status = EXIT_RESOURCE;
	if (!status)
		status = run_rows(&options, &config, rows, count);
	place_plan_free(&cpus);
	place_close(&place);
	return status;
}
