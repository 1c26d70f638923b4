// SPDX-License-Identifier: MIT
/* What there is to do, cut into pieces and dealt out. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/exit.h"
#include "base/fail.h"
#include "base/file.h"
#include "explore/estimate.h"
#include "explore/load.h"
#include "explore/shards.h"
#include "explore/shards_internal.h"

/*
 * Fewer, and one wrong estimate is a whole shard's; more, and parts of a search come to the same
 * states again: packed_word's long tier in 64 shards took 1.18 times as long as in one process
 * with 8.
 */
#define PIECES_PER_SHARD 2
#define PARTS_MOST 256

/*
 * Where each state is gone on from once, what first actions lead to the same one is one part's, and
 * there are some tens of such states: of nested_retry's every instruction with 45 parts the last 17
 * found nothing. The first part has the most, and the later an interrupt comes, the less is left.
 */
#define PARTS_OF_STATES 16
#define STATES_AGAIN 1.1 /* times as long as in one: parts come to the same states */

/* What is known of a task before it is done. */
struct outlook {
	struct prospect is;
	double seconds; /* of CPU time in one process, about */
};

/* A plan in the making. */
struct deal {
	struct tasks tasks;
	json_t *objects;
	struct outlook *outlook; /* of each task */
	struct piece *piece;
	size_t pieces, room;
	double *load; /* seconds of each shard */
	unsigned int shards;
	json_t *head;
};

static int add_piece(struct deal *deal, const struct piece *piece)
{
	void *more;

	if (deal->pieces == deal->room) {
		deal->room = 2 * deal->room + 1024;
		more = realloc(deal->piece, deal->room * sizeof(*piece));
		if (!more)
			return fail_memory("the plan's pieces");
		deal->piece = more;
	}
	deal->piece[deal->pieces++] = *piece;
	return 0;
}

/* A part's share of a search by states, about: what packed_word's and nested_retry's took in 16. */
static double share_of_states(uint32_t part, uint32_t parts)
{
	double weight = 1 + 2.0 * (parts - part) / parts + (part ? 0 : 3.0 * parts / 16);

	return STATES_AGAIN * weight / (parts + (parts + 1) + 3.0 * parts / 16);
}

/* Pieces of about `target` seconds: some starts each, or parts of one. */
static int cut(struct deal *deal, unsigned int task, double target)
{
	const struct outlook *outlook = &deal->outlook[task];
	uint64_t starts = outlook->is.starts, at, groups;
	/* Rounded up, but for what a division leaves of a whole number. */
	double seconds = outlook->seconds, wanted = ceil(seconds / target - 1e-6), share;
	uint32_t most = outlook->is.by_states ? PARTS_OF_STATES : PARTS_MOST;
	struct piece piece = { .task = task, .parts = 1 };
	int status = 0;

	groups = wanted < 1 ? 1 : wanted < (double)starts ? (uint64_t)wanted : starts;
	if (wanted > (double)starts)
		piece.parts = (uint32_t)ceil(wanted / (double)starts);
	if (piece.parts > most)
		piece.parts = most;
	/* What begins with one action is one part's. */
	if (piece.parts > outlook->is.firsts)
		piece.parts = outlook->is.firsts ? (uint32_t)outlook->is.firsts : 1;
	for (at = 0; at < groups; at++) {
		piece.starts.from = starts * at / groups;
		piece.starts.count = starts * (at + 1) / groups - piece.starts.from;
		for (piece.part = 0; piece.part < piece.parts && !status; piece.part++) {
			share = outlook->is.by_states && piece.parts > 1 ?
					share_of_states(piece.part, piece.parts) :
					1.0 / piece.parts;
			piece.seconds =
				seconds * (double)piece.starts.count / (double)starts * share;
			status = add_piece(deal, &piece);
		}
	}
	return status;
}

/* How long the task takes, about, and from how many starts; one that is too large from none. */
static int look_at(struct deal *deal, unsigned int i, const struct estimate *estimate)
{
	const struct explore_options *options = deal->tasks.options;
	struct outlook *outlook = &deal->outlook[i];
	struct task *task = &deal->tasks.task[i];
	const char *row = tasks_row(&deal->tasks, task);
	int error = load_row(options, row, task->family);

	if (error && error != -ENOTSUP)
		return tasks_failed(error, row);
	/* A shard finds out again what stands in the way, and records it. */
	*outlook =
		(struct outlook){ .is.starts = error != 0, .seconds = error ? ESTIMATE_LEAST : 0 };
	if (!error && (options->single || !family_too_large(task->family, options->tier))) {
		outlook->is = family_prospect(task->family, &options->search);
		outlook->seconds = estimate_seconds(estimate, row, task->family, &outlook->is);
	}
	return shards_object(&deal->tasks, task, deal->objects) ? 0 : EXIT_RESOURCE;
}

static int look(struct deal *deal, const struct estimate *estimate, double *sum)
{
	unsigned int i;
	int status = 0;

	for (i = 0; i < deal->tasks.count && !status; i++) {
		status = look_at(deal, i, estimate);
		*sum += deal->outlook[i].seconds;
	}
	return status;
}

static int longest_first(const void *a, const void *b)
{
	const struct piece *one = a, *other = b;

	if (one->seconds != other->seconds)
		return one->seconds < other->seconds ? 1 : -1;
	return shards_in_order(a, b);
}

/* Each goes to the shard that has least so far. */
static void deal_out(struct deal *deal)
{
	unsigned int shard, least;
	size_t i;

	qsort(deal->piece, deal->pieces, sizeof(*deal->piece), longest_first);
	for (i = 0; i < deal->pieces; i++) {
		for (shard = least = 0; shard < deal->shards; shard++)
			least = deal->load[shard] < deal->load[least] ? shard : least;
		deal->piece[i].shard = least;
		deal->load[least] += deal->piece[i].seconds;
	}
}

static json_t *piece_json(const struct deal *deal, const struct piece *piece)
{
	const struct task *task = &deal->tasks.task[piece->task];
	char budget[128];

	family_words(task->family, budget, sizeof(budget));
	return json_pack("{s:s, s:s, s:i, s:f, s:[I,I], s:[i,i], s:f}", "row",
			 tasks_row(&deal->tasks, task), "budget", budget, "task", (int)piece->task,
			 "schedules", deal->outlook[piece->task].is.schedules, "starts",
			 (json_int_t)piece->starts.from, (json_int_t)piece->starts.count, "part",
			 (int)piece->part, (int)piece->parts, "seconds", piece->seconds);
}

static int put_line(FILE *out, json_t *json)
{
	int failed = json_dumpf(json, out, JSON_COMPACT) || fputc('\n', out) == EOF;

	json_decref(json);
	return failed;
}

/* A file_writer of a struct deal. */
static int write_plan(FILE *out, void *arg)
{
	const struct deal *deal = arg;
	unsigned int shard;
	json_t *pieces;
	int failed = put_line(out, json_incref(deal->head));
	size_t i;

	for (shard = 0; shard < deal->shards && !failed; shard++) {
		pieces = json_array();
		for (i = 0; i < deal->pieces; i++)
			if (deal->piece[i].shard == shard)
				json_array_append_new(pieces, piece_json(deal, &deal->piece[i]));
		failed = put_line(out, json_pack("{s:i, s:f, s:o}", "shard", (int)shard, "seconds",
						 deal->load[shard], "pieces", pieces));
	}
	return failed;
}

/* The command line's options but those of the plan. */
static json_t *arguments_of(int argc, char **argv)
{
	static const char *const ours[] = { "--plan", "--shards", "--times" };
	json_t *arguments = json_array();
	size_t length, k;
	int i;

	for (i = 1; i < argc; i++) {
		length = strcspn(argv[i], "=");
		for (k = 0; k < sizeof(ours) / sizeof(ours[0]); k++)
			if (length > 2 && length <= strlen(ours[k]) &&
			    !strncmp(argv[i], ours[k], length))
				break;
		if (k < sizeof(ours) / sizeof(ours[0]))
			i += !argv[i][length];
		else
			json_array_append_new(arguments, json_string(argv[i]));
	}
	return arguments;
}

static int make(struct deal *deal, const struct explore_options *options, int argc, char **argv)
{
	struct estimate estimate;
	double sum = 0;
	char program[17];
	unsigned int i;
	int status = shards_hash("/proc/self/exe", program);

	if (!status)
		status = estimate_begin(&estimate, options->times);
	if (status)
		return status;
	status = look(deal, &estimate, &sum);
	estimate_end(&estimate);
	for (i = 0; i < deal->tasks.count && !status; i++)
		if (deal->outlook[i].is.starts)
			status = cut(deal, i, sum / deal->shards / PIECES_PER_SHARD);
	if (status)
		return status;
	deal_out(deal);
	deal->head = json_pack("{s:i, s:i, s:f, s:s, s:s, s:s, s:O, s:o}", "schema", SHARDS_SCHEMA,
			       "shards", (int)deal->shards, "seconds", sum, "program", program,
			       "compiler", __VERSION__, "flags", EXPLORED_FLAGS, "objects",
			       deal->objects, "arguments", arguments_of(argc, argv));
	return 0;
}

static double longest(const struct deal *deal)
{
	double seconds = 0;
	unsigned int shard;

	for (shard = 0; shard < deal->shards; shard++)
		seconds = deal->load[shard] > seconds ? deal->load[shard] : seconds;
	return seconds;
}

static int put(struct deal *deal, const char *directory)
{
	char path[SHARDS_PATH];
	int error;

	if (mkdir(directory, 0777) && errno != EEXIST)
		return fail_file("make", directory, errno);
	snprintf(path, sizeof(path), "%s/plan.jsonl", directory);
	error = file_put_new(AT_FDCWD, path, write_plan, deal);
	if (error == EEXIST)
		return fail_with(EXIT_USAGE,
				 "%s is there: a plan is made once, in a folder of its own", path);
	if (error)
		return fail_file("write", path, error);
	printf("%zu pieces in %u shards, %.0f s in all and %.0f s the longest, about: %s\n",
	       deal->pieces, deal->shards, json_real_value(json_object_get(deal->head, "seconds")),
	       longest(deal), path);
	return 0;
}

int shards_plan(const struct explore_options *options, int argc, char **argv)
{
	const struct driver *rows[DRIVERS_MAX];
	struct deal deal = { .objects = json_object(), .shards = options->shards };
	int count = options->object ? 0 : tasks_rows(options, rows), status;

	if (count < 0)
		return -count;
	status = tasks_begin(&deal.tasks, options, rows, (unsigned int)count);
	if (status)
		return status;
	deal.outlook = calloc(deal.tasks.count + 1, sizeof(*deal.outlook));
	deal.load = calloc(deal.shards, sizeof(*deal.load));
	status = deal.outlook && deal.load ? make(&deal, options, argc, argv) :
					     fail_memory("a plan");
	if (!status)
		status = put(&deal, options->plan);
	tasks_end(&deal.tasks);
	json_decref(deal.objects);
	json_decref(deal.head);
	free(deal.outlook);
	free(deal.load);
	free(deal.piece);
	return status;
}
