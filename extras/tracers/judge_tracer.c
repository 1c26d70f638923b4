// SPDX-License-Identifier: MIT
/* judge-tracer: are the times of a widely used tracer right (docs/tracers/README.md)? */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/options.h"
#include "base/signals.h"
#include "base/stats.h"
#include "extras/tracers/every.h"
#include "extras/tracers/instructions.h"
#include "extras/tracers/verdict.h"

struct judge_asked {
	const char *workload, *json, *keep, *gaps, *at, *trace;
	uint64_t events, rounds, every, seconds, depth, stride;
	bool list, price, cold, smallest;
};

/* Of an adapter's two files (docs/tracers/README.md): a newer one may say what we do not know. */
#define CONTRACT 1

/* One tracer: its folder and what adapter.json says. */
struct adapter {
	char folder[PATH_MAX];
	json_t *json;
};

static bool parse(int argc, char **argv, struct judge_asked *asked, int *status)
{
	const struct option_entry entries[] = {
		{ "workload", "NAME", "run only this workload of those in adapter.json",
		  OPTION_TEXT, .into = &asked->workload },
		{ "events", "N", "events per round (default 100k)", OPTION_NUMBER,
		  .into = &asked->events, .least = 10, .most = 100000000 },
		{ "rounds", "N", "rounds per workload (default 1)", OPTION_NUMBER,
		  .into = &asked->rounds, .least = 1, .most = 100000 },
		{ "every", "N", "read the clock around one event in N (default 1)", OPTION_NUMBER,
		  .into = &asked->every, .least = 1, .most = 1000000 },
		{ "timeout", "S", "seconds that a round may take (default 300)", OPTION_NUMBER,
		  .into = &asked->seconds, .least = 1, .most = 86400 },
		{ "gaps", "FILE", "workload replay: other gaps than syscalls_busy.csv", OPTION_TEXT,
		  .into = &asked->gaps, .rare = true },
		{ "depth", "N", "workload every: interrupt a handler's event, too (2)",
		  OPTION_NUMBER, .into = &asked->depth, .least = 1, .most = 2, .rare = true },
		{ "stride", "N", "workload every: each N-th instruction (default 1)", OPTION_NUMBER,
		  .into = &asked->stride, .least = 1, .most = 100000, .rare = true },
		{ "at", "PLAN:K", "workload every: only this plan, or this instruction of it",
		  OPTION_TEXT, .into = &asked->at, .rare = true },
		{ "trace", "FILE", "judge this recorded trace: its events carry their true times",
		  OPTION_TEXT, .into = &asked->trace, .rare = true },
		{ "keep", "DIR", "leave the files of the last round in DIR", OPTION_TEXT,
		  .into = &asked->keep },
		{ "smallest", NULL, "after a breach: halve the events as long as a round shows one",
		  OPTION_FLAG, .into = &asked->smallest },
		{ "price", NULL,
		  "print the cost of an event, the tracers taking turns, also as a\n"
		  "multiple of the cost of the first tracer named (floor)",
		  OPTION_FLAG, .into = &asked->price },
		{ "evict", NULL,
		  "with --price: of single events, each after the caches were evicted", OPTION_FLAG,
		  .into = &asked->cold, .rare = true },
		{ "list", NULL, "list the tracers that have an adapter", OPTION_FLAG,
		  .into = &asked->list },
		{ "json", "FILE", "write everything as JSON (- is standard output)", OPTION_OUT,
		  .into = &asked->json },
		{ .name = NULL },
	};
	const struct option_program program = {
		"usage: judge-tracer [options] NAME...\n"
		"       judge-tracer [options] DIR...\n"
		"Runs a tracer through its adapter (a folder of extras/tracers, or your own) and "
		"compares\n"
		"each time that its own reader reports with the clock before and after the call.\n",
		entries,
		"exit: 0 fine, 1 usage or a bad adapter, 2 a promise broken, 3 no resource,\n"
		"      4 no tracer can run here, 5 interrupted\n"
		"examples:\n"
		"  judge-tracer perf\n"
		"  judge-tracer --rounds 10 --workload signals lttng_ust\n"
		"  judge-tracer --price --rounds 11 floor packed_word lttng_ust ftrace\n",
		"tracers",
	};

	return options_parse(&program, argc, argv, status);
}

/* The folder of a name, or the folder itself. An exit code. */
static int open_adapter(const char *name, struct adapter *adapter)
{
	char path[PATH_MAX + 16];
	json_error_t error;
	double contract;

	if (strchr(name, '/'))
		snprintf(adapter->folder, sizeof(adapter->folder), "%s", name);
	else
		snprintf(adapter->folder, sizeof(adapter->folder), "%s/%s",
			 file_data("extras/tracers", path), name);
	snprintf(path, sizeof(path), "%s/adapter.json", adapter->folder);
	if (access(path, R_OK))
		return fail_with(EXIT_USAGE,
				 "no adapter: %s: %s; --list prints the adapters that exist", path,
				 strerror(errno));
	adapter->json = json_load_file(path, 0, &error);
	if (!adapter->json)
		return fail_with(EXIT_USAGE, "%s:%d: %s", path, error.line, error.text);
	contract = json_number(adapter->json, "contract");
	if (contract > CONTRACT)
		return fail_with(EXIT_USAGE,
				 "%s: contract %g; this judge-tracer knows %d and older", path,
				 contract, CONTRACT);
	if (!*json_text(adapter->json, "tracer") ||
	    !json_array_size(json_object_get(adapter->json, "workloads")))
		return fail_with(EXIT_USAGE, "%s: wants \"tracer\" and \"workloads\"", path);
	return EXIT_FINE;
}

/* Ctrl-C ends the adapter, which timeout(1) has put into a group of its own, and what it started.
 */
static volatile sig_atomic_t stopped;
static volatile pid_t running;

static void stop(int number)
{
	(void)number;
	stopped = 1;
	if (running > 0)
		kill(running, SIGTERM);
}

static bool is_every(const char *workload)
{
	return !strncmp(workload, "every", 5);
}

/* What extras/tracers/every.c and the adapter's `run` read. */
static void put_every(const struct adapter *adapter, const struct judge_asked *asked)
{
	const json_t *its = json_object_get(adapter->json, "every");
	const char *clock = json_string_value(json_object_get(its, "clock"));
	char text[32];

	snprintf(text, sizeof(text), "%d", (int)json_integer_value(json_object_get(its, "wrap")));
	setenv("EVERY_WRAP", text[0] == '0' ? "27" : text, 1);
	setenv("EVERY_THREADS", json_is_false(json_object_get(its, "threads")) ? "0" : "1", 1);
	setenv("EVERY_CLOCK", clock ? clock : "clock_gettime", 1);
	snprintf(text, sizeof(text), "%" PRIu64, asked->depth);
	setenv("EVERY_DEPTH", text, 1);
	snprintf(text, sizeof(text), "%" PRIu64, asked->stride);
	setenv("EVERY_STRIDE", text, 1);
	setenv("EVERY_AT", asked->at ? asked->at : "", 1);
}

/* Runs the adapter once: its truth and what it decoded are in `out`. An exit code. */
static int run_adapter(const struct adapter *adapter, const struct judge_asked *asked,
		       const char *workload, const char *out)
{
	char program[PATH_MAX + 16], seconds[32], events[32], every[32];
	const char *const argv[] = { "timeout", "-k",	  "5",	  seconds, program,
				     out,	workload, events, every,   NULL };
	int code;

	snprintf(program, sizeof(program), "%s/run", adapter->folder);
	snprintf(seconds, sizeof(seconds), "%" PRIu64, asked->seconds);
	snprintf(events, sizeof(events), "%" PRIu64, asked->events);
	snprintf(every, sizeof(every), "%" PRIu64, asked->every);
	put_every(adapter, asked);
	running = child_start(&(struct child_program){ .argv = argv });
	code = running > 0 ? child_wait(running) : EXIT_RESOURCE;
	running = 0;
	if (stopped)
		return fail_with(EXIT_INTERRUPTED, "interrupted; this round is not judged");
	if (!code)
		return code;
	if (is_every(workload) && every_ended(out, json_text(adapter->json, "tracer"), code))
		return code == EXIT_UNSUPPORTED ? code : EXIT_USAGE;
	if (code == EXIT_UNSUPPORTED)
		return code;
	return fail_with(EXIT_USAGE, "%s %s: %s; this tracer is not judged", program, workload,
			 code == 124 ? "not done in time (--timeout)" : "its adapter failed");
}

static int judge_workload(const struct adapter *adapter, const struct judge_asked *asked,
			  const char *workload, struct tracer_judged *judged,
			  struct every_sum *every)
{
	const struct tracer_measure measure = {
		.resolution = (uint64_t)json_number(adapter->json, "resolution"),
		.one_order = json_is_true(json_object_get(adapter->json, "one_order")),
		.sequence = json_is_true(json_object_get(adapter->json, "sequence")),
	};
	char out[64] = "/tmp/stampede-tracer-XXXXXX", truth[96], decoded[96];
	const char *const remove[] = { "rm", "-rf", "--", out, NULL };
	const char *const keep[] = { "cp", "-rT", "--", out, asked->keep, NULL };
	uint64_t round;
	int code = EXIT_FINE;

	for (round = 0; round < asked->rounds && !code; round++) {
		strcpy(out, "/tmp/stampede-tracer-XXXXXX");
		if (!mkdtemp(out))
			return fail_file("make", out, errno);
		snprintf(truth, sizeof(truth), "%s/truth", out);
		snprintf(decoded, sizeof(decoded), "%s/decoded", out);
		code = run_adapter(adapter, asked, workload, out);
		if (!code)
			code = tracer_judge(judged, truth, decoded, &measure);
		if (!code && is_every(workload))
			code = every_add(every, out, judged);
		if (asked->keep &&
		    child_run(&(struct child_program){ .argv = keep, .errors = "/dev/null" }, NULL))
			code = fail_with(EXIT_RESOURCE,
					 "cannot copy files into %s: give an empty folder",
					 asked->keep);
		child_run(&(struct child_program){ .argv = remove }, NULL);
	}
	return code;
}

/* broken, kept, no promise, not tried; a promise that is not made is a figure all the same. */
static const char *word(const struct adapter *adapter, const char *workload,
			const struct breaches *its, const char *promise)
{
	const json_t *says = json_object_get(json_object_get(adapter->json, "promises"), promise);
	const json_t *except;
	bool made = says;
	size_t i;

	json_array_foreach(json_object_get(says, "not"), i, except)
		made = made && strcmp(json_string_value(except) ? json_string_value(except) : "",
				      workload) != 0;

	return !its->tried ? "not tried" : !made ? "no promise" : its->seen ? "broken" : "kept";
}

static bool say(const struct adapter *adapter, const char *workload,
		const struct tracer_judged *judged, const struct every_sum *every, json_t *into)
{
	const char *unit = json_text(adapter->json, "unit"), *said;
	json_t *line = json_pack(
		"{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "tracer",
		json_text(adapter->json, "tracer"), "version", json_text(adapter->json, "version"),
		"workload", workload, "events", (json_int_t)judged->events, "decoded",
		(json_int_t)judged->decoded, "lost_counted", (json_int_t)judged->lost_counted,
		"equal", (json_int_t)judged->equal, "early", (json_int_t)judged->early, "late",
		(json_int_t)judged->late, "tolerance", (json_int_t)judged->tolerance);
	json_t *promises = json_object();
	bool broken = false;
	unsigned int i;

	printf("%s, %s: %" PRIu64 " events, %" PRIu64 " decoded, %" PRIu64 " counted as lost\n",
	       json_text(adapter->json, "tracer"), workload, judged->events, judged->decoded,
	       judged->lost_counted);
	if (is_every(workload)) {
		every_say(every);
		json_object_set_new(line, "every", every_json(every));
	}
	for (i = 0; i < TRACER_PROMISES; i++) {
		const struct breaches *its = &judged->promise[i];

		said = word(adapter, workload, its, tracer_promise_words[i]);
		broken = broken || !strcmp(said, "broken");
		json_object_set_new(
			promises, tracer_promise_words[i],
			json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "verdict", said, "tried",
				  (json_int_t)its->tried, "seen", (json_int_t)its->seen, "worst",
				  (json_int_t)its->worst, "stream", (json_int_t)its->stream, "seq",
				  (json_int_t)its->seq, "what", json_safe(its->what)));
		printf("  %-10s %-10s", tracer_promise_words[i], said);
		if (its->seen)
			printf(" %" PRIu64 " of %" PRIu64 "; worst: %" PRIu64 "/%" PRIu64 " %s",
			       its->seen, its->tried, its->stream, its->seq, its->what);
		else if (its->tried)
			printf(" tried %" PRIu64 " times", its->tried);
		if (its->seen && its->worst && i != PROMISE_OF_LOSSES)
			printf(", by %" PRIu64 " %s", its->worst, unit);
		printf("\n");
		if (*every->breach[i].where)
			printf("             in %s%s%s\n", every->breach[i].where,
			       *every->breach[i].at ? "; again: --at " : "", every->breach[i].at);
	}
	if (judged->early + judged->late)
		printf("  outside of their call: %" PRIu64 " early, %" PRIu64
		       " late; median %" PRIu64 ", 99 %% %" PRIu64 ", worst %" PRIu64 " %s\n",
		       judged->early, judged->late, histogram_percentile(&judged->outside, 0.5),
		       histogram_percentile(&judged->outside, 0.99), judged->outside.max, unit);
	json_object_set_new(line, "promises", promises);
	json_array_append_new(into, line);
	return broken;
}

static bool has_breach(const struct tracer_judged *judged)
{
	unsigned int i;

	for (i = 0; i < TRACER_PROMISES; i++)
		if (judged->promise[i].seen)
			return true;
	return false;
}

/* Halves the events while one of three rounds shows a breach; keeps such a round. An exit code. */
static int smallest(const struct adapter *adapter, struct judge_asked asked, const char *workload)
{
	struct tracer_judged *judged = calloc(1, sizeof(*judged));
	const char *keep = asked.keep;
	uint64_t found = asked.events;
	int code = judged ? EXIT_FINE : fail_memory("a verdict"), tries;

	asked.rounds = 3;
	asked.keep = NULL;
	for (asked.events /= 2; !code && asked.events; asked.events /= 2) {
		*judged = (struct tracer_judged){ 0 };
		code = judge_workload(adapter, &asked, workload, judged, NULL);
		if (code || !has_breach(judged))
			break;
		found = asked.events;
	}
	asked.events = found;
	asked.rounds = 1;
	asked.keep = keep;
	for (tries = 0; keep && !code && tries < 10 && (!tries || !has_breach(judged)); tries++) {
		*judged = (struct tracer_judged){ 0 };
		code = judge_workload(adapter, &asked, workload, judged, NULL);
	}
	free(judged);
	if (!code)
		printf("  smallest run with a breach: --workload %s --events %" PRIu64 "\n",
		       workload, found);
	return code;
}

static int judge(const char *name, const struct judge_asked *asked, json_t *into)
{
	struct adapter adapter = { .json = NULL };
	struct tracer_judged *judged = NULL;
	struct every_sum every;
	int code = open_adapter(name, &adapter), worst = EXIT_FINE;
	bool found = false;
	json_t *workload;
	size_t i;

	if (!code)
		json_array_foreach(json_object_get(adapter.json, "workloads"), i, workload) {
			const char *text = json_string_value(workload);

			if (!text || (asked->workload && strcmp(text, asked->workload)) ||
			    !strcmp(text, "trace") != !!asked->trace)
				continue;
			found = true;
			free(judged);
			every = (struct every_sum){ 0 };
			judged = calloc(1, sizeof(*judged));
			code = judged ? judge_workload(&adapter, asked, text, judged, &every) :
					fail_memory("a verdict");
			/* What was seen before a round that failed was seen. */
			if (judged && (!code || has_breach(judged)) &&
			    say(&adapter, text, judged, &every, into))
				worst = EXIT_BROKEN;
			if (!code && asked->smallest && !is_every(text) && has_breach(judged))
				code = smallest(&adapter, *asked, text);
			if (code)
				break;
		}
	if (!code && !found)
		code = fail_with(EXIT_USAGE, "%s has no workload '%s'", name,
				 asked->workload ? asked->workload :
				 asked->trace	 ? "trace" :
						   "");
	free(judged);
	json_decref(adapter.json);
	return code == EXIT_INTERRUPTED || worst == EXIT_FINE ? code : worst;
}

/* ---- prices ---- */

#define PRICED_MOST 32

struct priced {
	struct adapter adapter;
	int code; /* why it has no price */
	double *ns, *ratio, *judging; /* by round; judging: what the truth adds */
	size_t rounds;
};

/* The medians of the batches that a round wrote, bare and judged; NAN: there are none. */
static void batches(const char *path, double ns[2])
{
	double bare[64], judged[64];
	size_t count = 0;
	FILE *file = fopen(path, "r");

	while (file && count < 64 && fscanf(file, "%lf %lf", &bare[count], &judged[count]) == 2)
		count++;
	if (file)
		fclose(file);
	stats_sort(bare, count);
	stats_sort(judged, count);
	ns[0] = stats_quantile(bare, count, 0.5);
	ns[1] = stats_quantile(judged, count, 0.5);
}

static void price_once(struct priced *one, const struct judge_asked *asked, double ns[2])
{
	char out[] = "/tmp/stampede-tracer-XXXXXX", path[64];
	const char *const remove[] = { "rm", "-rf", "--", out, NULL };

	if (!mkdtemp(out)) {
		one->code = fail_file("make", out, errno);
		return;
	}
	one->code = run_adapter(&one->adapter, asked, asked->cold ? "price-cold" : "price", out);
	snprintf(path, sizeof(path), "%s/price", out);
	if (!one->code)
		batches(path, ns);
	if (!one->code && isnan(ns[0]))
		one->code =
			fail_with(EXIT_USAGE, "%s/run: no prices in %s; this tracer is not priced",
				  one->adapter.folder, path);
	child_run(&(struct child_program){ .argv = remove }, NULL);
}

static void say_price(struct priced *one, json_t *into)
{
	struct stats_interval ns, ratio;
	double judging;

	stats_sort(one->judging, one->rounds);
	judging = stats_quantile(one->judging, one->rounds, 0.5);
	stats_sort(one->ns, one->rounds);
	stats_sort(one->ratio, one->rounds);
	ns = stats_median(one->ns, one->rounds);
	ratio = stats_median(one->ratio, one->rounds);
	if (!one->rounds)
		return;
	printf("%-44s %9.1f ns %8.2f", json_text(one->adapter.json, "tracer"), ns.middle,
	       ratio.middle);
	if (!isnan(ratio.low))
		printf(" (95 %%: %.2f to %.2f)", ratio.low, ratio.high);
	if (judging > 0)
		printf("; judging adds %.1f ns", judging);
	printf("\n");
	json_array_append_new(into, json_pack("{s:s, s:f, s:f, s:f, s:I}", "tracer",
					      json_text(one->adapter.json, "tracer"), "ns",
					      ns.middle, "ratio", ratio.middle, "judging", judging,
					      "rounds", (json_int_t)one->rounds));
}

/* Rounds in which each has its turn, so that a noisy machine is as noisy to all. */
static int price(char *const names[], int count, const struct judge_asked *asked, json_t *into)
{
	struct priced all[PRICED_MOST] = { 0 };
	int i, code = EXIT_FINE, worst = EXIT_FINE, priced = 0;
	double ns[2], first;
	uint64_t round;

	if (count > PRICED_MOST)
		return fail_with(EXIT_USAGE, "--price takes at most %d tracers", PRICED_MOST);
	for (i = 0; i < count && !code; i++) {
		code = open_adapter(names[i], &all[i].adapter);
		all[i].ns = calloc(asked->rounds, sizeof(double));
		all[i].ratio = calloc(asked->rounds, sizeof(double));
		all[i].judging = calloc(asked->rounds, sizeof(double));
	}
	for (round = 0; round < asked->rounds && !code && !stopped; round++)
		for (i = 0, first = NAN; i < count && !stopped; i++) {
			ns[0] = ns[1] = NAN;
			if (!all[i].code)
				price_once(&all[i], asked, ns);
			first = i ? first : ns[0];
			if (isnan(first)) /* the others are multiples of it */
				break;
			if (all[i].code)
				continue;
			all[i].ns[all[i].rounds] = ns[0];
			all[i].judging[all[i].rounds] = ns[1] - ns[0];
			all[i].ratio[all[i].rounds++] = ns[0] / first;
		}
	for (i = 0; i < count; i++) {
		if (!code)
			say_price(&all[i], into);
		priced += all[i].rounds > 0;
		if (!worst && all[i].code != EXIT_UNSUPPORTED)
			worst = all[i].code;
		json_decref(all[i].adapter.json);
		free(all[i].ns);
		free(all[i].ratio);
		free(all[i].judging);
	}
	if (!code && !priced && count > 1)
		fail_with(EXIT_USAGE,
			  "--price: the others are multiples of %s, which has none; "
			  "name another tracer first",
			  names[0]);
	code = code ? code : worst;
	return stopped ? EXIT_INTERRUPTED : code || priced ? code : EXIT_UNSUPPORTED;
}

static int list(void)
{
	struct dirent **names;
	char folder[PATH_MAX], path[2 * PATH_MAX];
	int count = scandir(file_data("extras/tracers", folder), &names, NULL, alphasort), i;

	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s/adapter.json", folder, names[i]->d_name);
		if (!access(path, R_OK))
			puts(names[i]->d_name);
		free(names[i]);
	}
	if (count < 0)
		return fail_file("read", folder, errno);
	free(names);
	return EXIT_FINE;
}

int main(int argc, char **argv)
{
	char gaps[PATH_MAX], trace[PATH_MAX];
	struct judge_asked asked = {
		.events = 100000,
		.rounds = 1,
		.every = 1,
		.seconds = 300,
		.depth = 1,
		.stride = 1,
		.gaps = file_data("workloads/gaps/syscalls_busy.csv", gaps),
	};
	int status = EXIT_FINE, code, judged = 0;
	unsigned int plan;
	json_t *json;

	if (!parse(argc, argv, &asked, &status))
		return status;
	if (asked.list)
		return list();
	if (asked.at && (sscanf(asked.at, "%u", &plan) != 1 ||
			 asked.at[strspn(asked.at, ":0123456789")] || plan >= EVERY_FIRST + 2))
		return fail_with(EXIT_USAGE, "--at %s: wants PLAN, PLAN:K or PLAN:K:L", asked.at);
	if (optind == argc)
		return fail_with(EXIT_USAGE, "which tracer? judge-tracer --list names them");
	if (access(asked.gaps, R_OK))
		return fail_file("read", asked.gaps, errno);
	setenv("GAPS", asked.gaps, 1);
	if (asked.keep &&
	    ((mkdir(asked.keep, 0777) && errno != EEXIST) || access(asked.keep, W_OK | X_OK)))
		return fail_file("write", asked.keep, errno);
	if (asked.trace && !realpath(asked.trace, trace))
		return fail_file("read", asked.trace, errno);
	setenv("TRACE", asked.trace ? trace : "", 1);
	json_own_stdout(asked.json);
	json = json_array();
	if (signals_stop(stop))
		return EXIT_RESOURCE;
	/* One that cannot be run, or runs wrongly, does not keep the others from being judged. */
	if (asked.price) {
		status = price(argv + optind, argc - optind, &asked, json);
		judged = 1;
		optind = argc;
	}
	for (; optind < argc && !stopped; optind++) {
		code = judge(argv[optind], &asked, json);
		judged += code == EXIT_FINE || code == EXIT_BROKEN;
		if (code != EXIT_UNSUPPORTED &&
		    (status == EXIT_FINE || code == EXIT_BROKEN || code == EXIT_INTERRUPTED))
			status = code;
	}
	if (!judged && status == EXIT_FINE)
		status = EXIT_UNSUPPORTED;
	if (asked.json && json_out(asked.json, json))
		status = EXIT_RESOURCE;
	json_decref(json);
	return status;
}
