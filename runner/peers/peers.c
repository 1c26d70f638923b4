// SPDX-License-Identifier: MIT
/* build/peers: the same payload through the real tracers and through ours, turn by turn. */
#include <getopt.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "peer.h"
#include "place.h"
#include "ticks.h"

#define PEERS_MAX 24
#define ROUNDS_MAX 1000

struct peers {
	struct peer peer[PEERS_MAX];
	unsigned int count;
	double *ns[PEERS_MAX];
	double *cycles[PEERS_MAX];
	unsigned int rounds; /* done */
};

static volatile sig_atomic_t stopped;

static const char help[] =
	"usage: build/peers [--schemes LIST] [--rounds N] [--cpu C] [--json FILE]\n"
	"\n"
	"Records 8 bytes of payload per event with our rows, with LTTng-UST and with the running\n"
	"kernel's ring buffer, each in a process of its own on one CPU, in turns. Prints medians\n"
	"of ns, cycles and bytes per event, and the ratio to the first row.\n"
	"\n"
	"  --schemes LIST   our rows, the first is what the others are compared with\n"
	"                   (packed_word extended_header nested_stamps full_tsc)\n"
	"  --rounds N       turns of each (21)\n"
	"  --cpu C          the CPU that they take turns on (chosen)\n"
	"  --json FILE      every turn too\n"
	"\n"
	"The kernel needs root and tracefs; LTTng needs lttng-tools and liblttng-ust-dev. Who is\n"
	"not to be had is left out, and the reason said.\n";

static void on_signal(int signal)
{
	(void)signal;
	stopped = 1;
}

static void add(struct peers *peers, const char *name, const struct peer_kind *kind,
		const char *words)
{
	struct peer *peer = &peers->peer[peers->count++];

	snprintf(peer->name, sizeof(peer->name), "%s", name);
	peer->kind = kind;
	peer->words = words;
	peer->ours = kind == &peer_ours;
}

/* The rows that are asked for, in the order given. */
static int add_ours(struct peers *peers, const char *schemes)
{
	char *list = strdup(schemes), *at, *save;
	const struct driver *found[DRIVERS_MAX];
	char exact[PEER_NAME_BYTES];

	for (at = strtok_r(list, " ,", &save); at; at = strtok_r(NULL, " ,", &save)) {
		snprintf(exact, sizeof(exact), "%s%s", at[0] == '=' ? "" : "=", at);
		if (driver_select(drivers_timed, exact, found, DRIVERS_MAX) != 1 ||
		    peers->count > PEERS_MAX - 4) {
			free(list);
			return -1;
		}
		add(peers, found[0]->row, &peer_ours, NULL);
	}
	free(list);
	return peers->count ? 0 : -1;
}

static int by_size(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median(const double *values, unsigned int count)
{
	double sorted[ROUNDS_MAX];

	memcpy(sorted, values, count * sizeof(*values));
	qsort(sorted, count, sizeof(*sorted), by_size);
	return count ? count % 2 ? sorted[count / 2] :
				   (sorted[count / 2 - 1] + sorted[count / 2]) / 2 :
		       -1;
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
	printf("%8.2f\n", ratio(peers, i));
}

static void print_all(const struct peers *peers)
{
	unsigned int i;

	printf("%-22s %8s %8s %8s %8s\n", "", "ns", "cycles", "bytes", "ratio");
	for (i = 0; i < peers->count; i++)
		if (!peers->peer[i].why[0])
			print_row(peers, i);
	for (i = 0; i < peers->count; i++)
		if (peers->peer[i].why[0])
			printf("skipped %s: %s\n", peers->peer[i].name, peers->peer[i].why);
	printf("\nMedians of %u turns; ns of the thread's CPU time per event of 8 bytes; bytes with "
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
	int error;

	for (i = 0; i < peers->count; i++) {
		const struct peer *peer = &peers->peer[i];

		json_array_append_new(
			all, json_pack("{s:s, s:b, s:s?, s:o, s:o, s:f, s:s?}", "peer", peer->name, "ours",
				       peer->ours, "skipped", peer->why[0] ? peer->why : NULL, "ns",
				       turns(peers->ns[i], peers->rounds), "cycles",
				       turns(peers->cycles[i], peers->rounds), "bytes_per_event",
				       peer->bytes, "words", peer->words));
	}
	error = json_dump_file(all, path, JSON_INDENT(1));
	json_decref(all);
	if (error)
		fprintf(stderr, "stampede: --json: cannot write %s\n", path);
	return error;
}

/* One turn of each that is left. */
static bool play_round(struct peers *peers)
{
	struct peer_sample sample;
	unsigned int i;

	for (i = 0; i < peers->count; i++) {
		if (peers->peer[i].why[0])
			continue;
		if (!peer_turn(&peers->peer[i], &sample)) {
			if (!i)
				return false;
			continue;
		}
		peers->ns[i][peers->rounds] = sample.ns;
		peers->cycles[i][peers->rounds] = sample.cycles;
	}
	peers->rounds++;
	return true;
}

static int play(struct peers *peers, unsigned int rounds, unsigned int pu)
{
	bool terminal = isatty(STDERR_FILENO);
	unsigned int i, round;

	for (i = 0; i < peers->count; i++) {
		peers->ns[i] = calloc(ROUNDS_MAX, sizeof(double));
		peers->cycles[i] = calloc(ROUNDS_MAX, sizeof(double));
		if (peers->peer[i].kind == &peer_lttng && !stopped)
			lttng_begin(&peers->peer[i]);
		peer_start(&peers->peer[i], pu);
	}
	if (peers->peer[0].why[0]) {
		fprintf(stderr, "stampede: %s: %s\n", peers->peer[0].name, peers->peer[0].why);
		return 3;
	}
	/* The first one warms caches, and is not counted. */
	if (!play_round(peers))
		return 1;
	peers->rounds = 0;
	for (round = 0; round < rounds && !stopped; round++) {
		if (terminal)
			fprintf(stderr, "\rround %u of %u", round + 1, rounds);
		if (!play_round(peers))
			return 1;
	}
	if (terminal)
		fprintf(stderr, "\r%30s\r", "");
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

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "schemes", required_argument, NULL, 's' }, { "rounds", required_argument, NULL, 'r' },
		{ "cpu", required_argument, NULL, 'c' },     { "json", required_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },	     { NULL, 0, NULL, 0 },
	};
	const char *schemes = "packed_word extended_header nested_stamps full_tsc", *json = NULL;
	const char *cpu = NULL;
	static struct peers peers;
	unsigned long rounds = 21;
	unsigned int i, pu;
	char *end = NULL;
	int option, status;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		if (option == 's')
			schemes = optarg;
		else if (option == 'c')
			cpu = optarg;
		else if (option == 'j')
			json = optarg;
		else if (option == 'r')
			rounds = strtoul(optarg, &end, 10);
		else
			return 1;
	}
	if (optind < argc || !rounds || rounds > ROUNDS_MAX || (end && *end)) {
		fprintf(stderr, "stampede: see build/peers --help\n");
		return 1;
	}
	if (add_ours(&peers, schemes))
		return 1;
	add(&peers, "lttng-ust", &peer_lttng,
	    "a library that any process may load: run-time enabling, contexts, per-event "
	    "filters,\n  reference-counted sessions, buffers shared with another process; "
	    "its own clock_gettime clock");
	add(&peers, "lttng-ust, ticks", &peer_lttng,
	    "the same with a clock plugin that reads the counter our rows read");
	add(&peers, "kernel", &peer_kernel,
	    "trace_marker_raw: copying from user space, preemption and recursion guards, "
	    "event filters,\n  wake-ups of readers; the system call itself is taken out");
	if (choose_cpu(cpu, &pu))
		return 3;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	signal(SIGPIPE, SIG_IGN);
	ticks_hz();
	status = play(&peers, (unsigned int)rounds, pu);
	for (i = 0; i < peers.count; i++)
		peer_stop(&peers.peer[i]);
	lttng_end_all();
	if (!geteuid())
		kernel_end_all();
	if (!status && peers.rounds)
		print_all(&peers);
	if (!status && json && write_json(&peers, json))
		status = 1;
	return status ? status : stopped ? 5 : 0;
}
