// SPDX-License-Identifier: MIT
/* build/peers: the same payload through the real tracers and through ours, turn by turn. */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "judge/driver.h"
#include "base/json.h"
#include "base/options.h"
#include "base/progress.h"
#include "extras/peers/peer.h"
#include "runner/place/place.h"
#include "base/stats.h"
#include "runner/place/ticks.h"

#define PEERS_MAX 24
#define ROUNDS_MAX 1000
#define ROUND_SECONDS 0.1 /* about */

static const struct peer others[] = {
#define PEER(its_name, its_kind, its_carries, its_words) \
	{ .name = its_name, .kind = &its_kind, .carries = its_carries, .words = its_words },
#include "extras/peers/tracers.def"
#undef PEER
};
#define OTHERS (sizeof(others) / sizeof(others[0]))

struct peers {
	struct peer peer[PEERS_MAX];
	unsigned int count;
	double *ns[PEERS_MAX];
	double *cycles[PEERS_MAX];
	unsigned int rounds; /* done */
};

static volatile sig_atomic_t stopped;

static void on_signal(int signal)
{
	(void)signal;
	stopped = 1;
}

static void add(struct peers *peers, const struct peer *peer)
{
	peers->peer[peers->count++] = *peer;
}

/* What the row's records tell. */
static const char *carried(const struct driver *row)
{
	if (row->desc->untimed)
		return "id";
	return driver_id_bytes_lacking(row) > 0 ? "stamp, no id" : "stamp, id";
}

static void add_row(struct peers *peers, const struct driver *row)
{
	struct peer peer = { .kind = &peer_ours, .carries = carried(row), .ours = true };

	snprintf(peer.name, sizeof(peer.name), "%s", row->row);
	add(peers, &peer);
}

/* The rows that are asked for, in the order given. An exit code, after a line on stderr. */
static int add_ours(struct peers *peers, const char *schemes)
{
	char *list = strdup(schemes), *at, *save;
	const struct driver *found[DRIVERS_MAX];
	char exact[PEER_NAME_BYTES];
	int error = 0;

	for (at = strtok_r(list, " ,", &save); at && !error; at = strtok_r(NULL, " ,", &save)) {
		snprintf(exact, sizeof(exact), "%s%s", at[0] == '=' ? "" : "=", at);
		if (peers->count == PEERS_MAX - OTHERS) {
			fail_line("--schemes takes at most %zu rows", PEERS_MAX - OTHERS);
			error = EXIT_USAGE;
		} else if (driver_select(drivers_timed, exact, found, DRIVERS_MAX) != 1) {
			error = EXIT_USAGE;
		} else {
			add_row(peers, found[0]);
		}
	}
	free(list);
	if (error || peers->count)
		return error;
	fail_line("--schemes names no row: give rows, such as packed_word");
	return EXIT_USAGE;
}

static double median(const double *values, unsigned int count)
{
	double sorted[ROUNDS_MAX];

	memcpy(sorted, values, count * sizeof(*values));
	stats_sort(sorted, count);
	return stats_median(sorted, count).middle;
}

/* Each round's ratio to the first row, then their median: what a neighbour did hits both. */
static double ratio(const struct peers *peers, unsigned int i)
{
	double ratios[ROUNDS_MAX];
	unsigned int round;

	for (round = 0; round < peers->rounds; round++)
		ratios[round] = peers->ns[i][round] / peers->ns[0][round];
	return median(ratios, peers->rounds);
}

static void print_row(const struct peers *peers, unsigned int i)
{
	const struct peer *peer = &peers->peer[i];
	double cycles = median(peers->cycles[i], peers->rounds);

	printf("%-22s %8.1f ", peer->name, median(peers->ns[i], peers->rounds));
	if (cycles >= 0)
		printf("%8.1f ", cycles);
	else
		printf("%8s ", "n/a");
	if (peer->bytes >= 0)
		printf("%8.2f ", peer->bytes);
	else
		printf("%8s ", "n/a");
	printf("%8.2f  %s\n", ratio(peers, i), peer->carries);
}

static void print_all(const struct peers *peers)
{
	unsigned int i;

	printf("%-22s %8s %8s %8s %8s  %s\n", "", "ns", "cycles", "bytes", "ratio", "carries");
	for (i = 0; i < peers->count; i++)
		if (!peers->peer[i].why[0])
			print_row(peers, i);
	for (i = 0; i < peers->count; i++)
		if (peers->peer[i].why[0])
			printf("skipped %s: %s\n", peers->peer[i].name, peers->peer[i].why);
	printf("\nMedians of %u turns; ns of the thread's CPU time per event of 8 bytes; bytes "
	       "with "
	       "headers,\npayload and the sub-buffers' share; ratio to %s in the same round.\n",
	       peers->rounds, peers->peer[0].name);
	for (i = 0; i < peers->count; i++)
		if (!peers->peer[i].why[0] && peers->peer[i].words)
			printf("%s: %s\n", peers->peer[i].name, peers->peer[i].words);
}

static json_t *turns(const double *values, unsigned int count)
{
	json_t *array = json_array();
	unsigned int i;

	for (i = 0; i < count; i++)
		json_array_append_new(array, values[i] < 0 ? json_null() : json_real(values[i]));
	return array;
}

static int write_json(const struct peers *peers, const char *path)
{
	json_t *all = json_array();
	unsigned int i;
	int status;

	for (i = 0; i < peers->count; i++) {
		const struct peer *peer = &peers->peer[i];

		json_array_append_new(
			all,
			json_pack("{s:s, s:b, s:s?, s:o, s:o, s:f, s:s?, s:s}", "peer", peer->name,
				  "ours", peer->ours, "skipped", peer->why[0] ? peer->why : NULL,
				  "ns", turns(peers->ns[i], peers->rounds), "cycles",
				  turns(peers->cycles[i], peers->rounds), "bytes_per_event",
				  peer->bytes, "words", peer->words, "carries", peer->carries));
	}
	status = json_out(path, all);
	json_decref(all);
	return status;
}

/* One turn of each that is left. False, after a line on stderr: not even of the first. */
static bool play_round(struct peers *peers)
{
	struct peer_sample sample;
	unsigned int i;

	for (i = 0; i < peers->count; i++) {
		if (peers->peer[i].why[0])
			continue;
		if (!peer_turn(&peers->peer[i], &sample)) {
			if (i)
				continue;
			fail_line("%s: %s", peers->peer[0].name, peers->peer[0].why);
			return false;
		}
		peers->ns[i][peers->rounds] = sample.ns;
		peers->cycles[i][peers->rounds] = sample.cycles;
	}
	peers->rounds++;
	return true;
}

static int play(struct peers *peers, unsigned int rounds, unsigned int pu)
{
	struct progress progress;
	unsigned int i, round;

	for (i = 0; i < peers->count; i++) {
		peers->ns[i] = calloc(ROUNDS_MAX, sizeof(double));
		peers->cycles[i] = calloc(ROUNDS_MAX, sizeof(double));
		if (peers->peer[i].kind->begin && !stopped)
			peers->peer[i].kind->begin(&peers->peer[i]);
		peer_start(&peers->peer[i], pu);
	}
	if (peers->peer[0].why[0]) {
		fail_line("%s: %s", peers->peer[0].name, peers->peer[0].why);
		return EXIT_RESOURCE;
	}
	/* The first one warms caches, and is not counted. */
	if (!play_round(peers))
		return EXIT_USAGE;
	peers->rounds = 0;
	progress_begin(&progress, rounds * ROUND_SECONDS);
	for (round = 0; round < rounds && !stopped; round++) {
		progress_step(&progress, "peers", "all in turns");
		if (!play_round(peers))
			return EXIT_USAGE;
		progress_done(&progress, ROUND_SECONDS);
	}
	progress_end(&progress);
	return 0;
}

static int choose_cpu(const char *list, unsigned int *pu)
{
	struct place_plan plan;
	struct place place;
	int error = place_open(&place);

	if (error)
		return error;
	error = place_plan(&place, list, 1, &plan);
	if (!error) {
		*pu = plan.pu[0];
		place_plan_free(&plan);
	}
	place_close(&place);
	return error;
}

struct arguments {
	const char *schemes;
	const char *cpu;
	const char *json;
	uint64_t rounds;
};

static bool parse(int argc, char **argv, struct arguments *arguments, int *status)
{
	const struct option_entry entries[] = {
		{ "schemes", "LIST",
		  "our rows; the others are compared with the first\n"
		  "(packed_word extended_header nested_stamps full_tsc)",
		  OPTION_TEXT, .into = &arguments->schemes },
		{ "rounds", "N", "turns of each tracer (21)", OPTION_NUMBER,
		  .into = &arguments->rounds, .least = 1, .most = ROUNDS_MAX },
		{ "cpu", "C", "the CPU on which the tracers take turns (default: chosen)",
		  OPTION_TEXT, .into = &arguments->cpu },
		{ "json", "FILE",
		  "write every turn there (- is standard output, without the table)", OPTION_TEXT,
		  .into = &arguments->json },
		{ .name = NULL },
	};
	const struct option_program program = {
		"usage: peers [--schemes LIST] [--rounds N] [--cpu C] [--json FILE]\n"
		"\n"
		"Records 8 bytes of payload per event with our rows, LTTng-UST and the running "
		"kernel's ring\n"
		"buffer, in turns on one CPU, each in a process of its own. Prints medians of ns,\n"
		"cycles and bytes per event, and the ratio to the first row.\n"
		"\n",
		entries,
		"\n"
		"The kernel needs root and tracefs; LTTng needs lttng-tools and liblttng-ust-dev. "
		"A tracer\n"
		"that is not available is left out, with the reason.\n"
		"exit: 0 fine, 1 usage or harness, 3 no resource, 5 interrupted\n"
		"examples:\n"
		"  peers --rounds 41\n"
		"  peers --schemes \"packed_word nested_stamps\" --cpu 1 --json peers.json\n",
		NULL,
	};

	return options_parse(&program, argc, argv, status);
}

static void add_others(struct peers *peers)
{
	unsigned int i;

	for (i = 0; i < OTHERS; i++)
		add(peers, &others[i]);
}

/* Everybody's turns, and nothing left of them. An exit code, after a line on stderr. */
static int play_all(struct peers *peers, unsigned int rounds, unsigned int pu)
{
	unsigned int i;
	int status;

	ticks_hz();
	status = play(peers, rounds, pu);
	for (i = 0; i < peers->count; i++)
		peer_stop(&peers->peer[i]);
	for (i = 0; i < peers->count; i++)
		if (peers->peer[i].kind->end)
			peers->peer[i].kind->end();
	return status;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {
		.schemes = "packed_word extended_header nested_stamps full_tsc",
		.rounds = 21,
	};
	static struct peers peers;
	unsigned int pu;
	int status;

	if (!parse(argc, argv, &arguments, &status))
		return status;
	status = add_ours(&peers, arguments.schemes);
	if (status)
		return status;
	add_others(&peers);
	if (choose_cpu(arguments.cpu, &pu))
		return EXIT_RESOURCE;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	signal(SIGPIPE, SIG_IGN);
	status = play_all(&peers, (unsigned int)arguments.rounds, pu);
	if (!status && peers.rounds && (!arguments.json || strcmp(arguments.json, "-") != 0))
		print_all(&peers);
	if (!status && arguments.json)
		status = write_json(&peers, arguments.json);
	return status ? status : stopped ? EXIT_INTERRUPTED : EXIT_FINE;
}
