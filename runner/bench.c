// SPDX-License-Identifier: MIT
/* bench: is it right, what does it cost, which one do I take - for all rows, in one run. */
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/bench.h"
#include "timing/cell.h"
#include "timing/gbench.h"
#include "base/json_out.h"
#include "layout/layout_experiments.h"
#include "results/machine.h"
#include "results/metadata.h"
#include "base/options.h"
#include "results/compare/reference.h"
#include "workloads/seek_curve.h"
#include "timing/summary.h"
#include "workloads/tails.h"
#include "place/ticks.h"

extern char **environ;

static const char usage[] =
	"usage: bench [options]\n"
	"  --quick                fewer and shorter repetitions, under 30 s\n"
	"  --full                 every row, every cell of wraps and nested, longer runs, tails\n"
	"  --schemes \"A B\"        rows or prefixes (default: all but variants; floor always)\n"
	"  --workloads \"X Y\"      such as steady storm wraps (default: all; --list shows them)\n"
	"  --repetitions N        rounds of the timed part (default 41, quick 7)\n"
	"  --budget SECONDS       to wait for cores that neighbours share, and for more rounds of\n"
	"                         what is noisy (default 12, quick 13, full 240)\n"
	"  --cpus LIST            such as 0,2-3 (default: one per core first)\n"
	"  --seed N               of the order of cells and of the storm (default 1)\n"
	"  --results DIR          where runs are recorded (default results)\n"
	"  --resume               finish the newest run in DIR that was interrupted or killed\n"
	"  --json FILE            the whole record, bench.json, once more (- is standard output)\n"
	"  --list                 rows and workloads\n"
	"exit: 0 fine, 1 usage, 2 a promise broken, 3 no resource, 5 interrupted,\n"
	"      7 more than half of the ratios are too noisy to rank by (not with --quick)\n"
	"examples:\n"
	"  bench --quick\n"
	"  bench --schemes \"extended_header packed_word\" --workloads \"steady storm\"\n"
	"  bench --full --seed 7 --budget 600\n"
	"  bench --resume\n";

static void on_interrupt(int signal)
{
	(void)signal;
	stress_stop = 1;
}

static int parse(int argc, char **argv, struct bench *bench)
{
	static const struct option longs[] = {
		{ "quick", no_argument, NULL, 'q' },
		{ "full", no_argument, NULL, 'f' },
		{ "schemes", required_argument, NULL, 's' },
		{ "workloads", required_argument, NULL, 'w' },
		{ "repetitions", required_argument, NULL, 'n' },
		{ "budget", required_argument, NULL, 'b' },
		{ "cpus", required_argument, NULL, 'c' },
		{ "seed", required_argument, NULL, 'r' },
		{ "results", required_argument, NULL, 'd' },
		{ "json", required_argument, NULL, 'j' },
		{ "resume", no_argument, NULL, 'u' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool good = true;
	int option;

	opterr = 0;
	while (good && (option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if (option == 'q')
			bench->quick = true;
		else if (option == 'f')
			bench->full = true;
		else if (option == 'j')
			bench->json = optarg;
		else if (option == 'u')
			bench->resume = true;
		else if (option == 's')
			bench->schemes = optarg;
		else if (option == 'w')
			bench->workloads = optarg;
		else if (option == 'c')
			bench->cpus = optarg;
		else if (option == 'd')
			bench->results = optarg;
		else if (option == 'n')
			good = option_number("--repetitions", optarg, 1, 1000, &bench->repetitions);
		else if (option == 'b')
			good = bench->budget_set = option_number("--budget", optarg, 0, 86400,
								 &bench->budget);
		else if (option == 'r')
			good = option_number("--seed", optarg, 0, UINT32_MAX, &bench->seed);
		else if (option == 'l')
			return bench_list(), 1 + EXIT_FINE;
		else if (option == 'h')
			return fputs(usage, stdout), 1 + EXIT_FINE;
		else
			return 1 + option_refused(argv[optind - 1]);
	}
	if (good && bench->quick && bench->full) {
		fprintf(stderr, "stampede: --quick and --full exclude each other\n");
		good = false;
	}
	if (good && optind < argc)
		return 1 + option_refused(argv[optind]);
	return good ? 0 : 1 + EXIT_USAGE;
}

/* Plots and the report page are a program of their own, which reads only the record. */
static int make_plots(const char *program, const char *directory, bool quiet)
{
	char path[4096], *slash;
	char *argv[] = { path, (char *)directory, quiet ? "--quiet" : NULL, NULL };
	int status;
	pid_t pid;

	snprintf(path, sizeof(path), "%s", program);
	slash = strrchr(path, '/');
	snprintf(slash ? slash + 1 : path, sizeof(path) - (size_t)(slash ? slash + 1 - path : 0),
		 "plots");
	if (posix_spawn(&pid, path, NULL, NULL, argv, environ) || waitpid(pid, &status, 0) < 0) {
		fprintf(stderr, "stampede: cannot run %s; the results are complete without it\n",
			path);
		return EXIT_USAGE;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_USAGE;
}

static void print_end(const struct bench *bench, const char *directory)
{
	printf("\nsteady: one thread, events back to back%s.\n"
	       "Times are medians of %u repetitions, and more where it takes them, in shuffled "
	       "rounds, a\nprocess for each, of which the undisturbed part counts; ratio to the "
	       "lowest floor, round by\nround, in %s, with half of its 95 %% interval; cheap: the "
	       "same with a clock\nthat costs next to nothing; above: ns less one clock read alone.\n"
	       "worst err: ticks that a decoded stamp was off by under the storms; h+id: bytes of "
	       "header with\nan event id (+: two of them added).\n",
	       bench->workload[WORKLOAD_threads] ? "; threads: one on each CPU" : "",
	       bench->rounds.rounds,
	       bench->have_cycles ? "core cycles" : "TSC ticks (no PMU here)");
	printf("harness loop without a scheme %.2f %s per event; decoding, all oracles %.0f M "
	       "events/s\n", bench->loop_cycles, bench->have_cycles ? "cycles" : "ticks",
	       bench->decode_events_per_second / 1e6);
	printf("\nresults  %s/bench.json\n", directory);
	fflush(stdout);
}

/* A quick run has too few rounds to be asked for a ranking. */
static int noise_exit(const struct bench *bench, const struct bench_noise *noise)
{
	return bench_too_noisy(noise) && !bench->quick ? EXIT_NOISY : EXIT_FINE;
}

/* What the noise leaves of the ranking. */
static void print_noise(const struct bench *bench, const struct bench_noise *noise)
{
	if (noise->disturbed)
		printf("%zu of %zu repetitions left out: their cores were shared (a loop around "
		       "nothing took 20 %% longer)\n", noise->disturbed, noise->repetitions);
	if (noise->noisy)
		printf("~: %zu of %zu ratios are not known to %.0f %% after %.0f s of waiting and "
		       "further rounds (--budget)\n", noise->noisy, noise->cells,
		       100 * summary_half_width, bench->rounds.spent_seconds);
	if (!bench_too_noisy(noise))
		return;
	if (bench->quick)
		puts("a quick run has too few rounds to rank by time; make bench has them");
	else
		fprintf(stderr, "stampede: too noisy to rank by time: stop other work or give "
				"--budget; verdicts, bytes and counts hold\n");
}

/* The record as it was written; nothing else may stand on standard output. */
static int finish_as_json(const struct bench *bench, const char *program, const char *directory)
{
	bool on_stdout = !strcmp(bench->json, "-");
	struct record_loaded loaded;
	int error = record_load(NULL, directory, &loaded);

	if (error)
		return error;
	error = json_out(bench->json, loaded.json);
	record_unload(&loaded);
	return error ? error : make_plots(program, directory, on_stdout);
}

static void print_all(const struct bench *bench, const struct bench_noise *noise,
		      const char *directory)
{
	summary_print(stdout, bench->table);
	bench_print_figures(bench, bench->again);
	if (bench->full)
		tails_print(stdout, bench->tails);
	if (json_array_size(bench->seek))
		seek_curve_print(stdout, bench->seek);
	bench_print_injected(bench);
	if (bench->full) {
		layout_print_precision(stdout, bench->precision);
		layout_print_channels(stdout, bench->channels);
	}
	print_noise(bench, noise);
	print_end(bench, directory);
}

/* The last lines: how this run differs from what is kept of the nearest machine. */
static void print_reference(const char *directory)
{
	json_t *all = reference_load(reference_dir()), *mine;
	struct record_loaded loaded;

	if (!record_load(NULL, directory, &loaded)) {
		mine = reference_make(loaded.json);
		reference_print(stdout, all, mine);
		json_decref(mine);
		record_unload(&loaded);
	}
	json_decref(all);
}

static int finish(struct bench *bench, const char *program, int status)
{
	struct bench_noise noise;
	char directory[4096];
	int error;

	snprintf(directory, sizeof(directory), "%s", record_dir(bench->record));
	if (status == EXIT_INTERRUPTED || status == EXIT_RESOURCE || status == EXIT_USAGE) {
		progress_end(&bench->progress);
		if (status == EXIT_INTERRUPTED)
			fprintf(stderr, "stampede: interrupted; what is done is in %s, and "
					"make bench RESUME=1 finishes it\n",
				directory);
		record_abort(bench->record);
		return status;
	}
	bench_sections(bench);
	error = record_finish(bench->record);
	progress_end(&bench->progress);
	if (error)
		return error;
	noise = bench_noise(bench);
	if (bench->json) {
		error = finish_as_json(bench, program, directory);
	} else {
		print_all(bench, &noise, directory);
		error = make_plots(program, directory, false);
		print_reference(directory);
	}
	return status ? status : error ? error : noise_exit(bench, &noise);
}

int main(int argc, char **argv)
{
	struct bench bench = { .results = "results", .seed = 1 };
	struct sigaction interrupt = { .sa_handler = on_interrupt };
	int status;

	if (argc > 1 && !strcmp(argv[1], CELL_PROCESS_OPTION))
		return cell_process_main(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	status = parse(argc, argv, &bench);
	if (status)
		return status - 1;
	sigaction(SIGINT, &interrupt, NULL);
	status = bench_open(&bench, argv[0]);
	if (!status) {
		status = bench_measure(&bench);
		status = finish(&bench, argv[0], status);
	}
	bench_close(&bench);
	return status;
}
