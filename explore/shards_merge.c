// SPDX-License-Identifier: MIT
/* What all shards found, said as one search. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "base/fail.h"
#include "base/json.h"
#include "explore/load.h"
#include "explore/shards.h"
#include "explore/shards_internal.h"

#define LIST_BYTES 400

/* Adds "5-9,12"; what is too long for a line ends in "...". */
static void list_add(char *list, unsigned int first, unsigned int last)
{
	size_t used = strlen(list);

	if (used > LIST_BYTES - 64) {
		if (strcmp(list + used - 3, "..."))
			strcat(list, ",...");
		return;
	}
	snprintf(list + used, LIST_BYTES - used, last > first ? "%s%u-%u" : "%s%u", used ? "," : "",
		 first, last);
}

/* Reads every record. How many are missing, with their list, or -exit code. */
static int read_all(const struct shards *shards, json_t **record, char *missing)
{
	unsigned int count = shards_count(shards), i, first = 0;
	int absent = 0, status;

	for (i = 0; i < count; i++) {
		status = shards_record(shards, i, &record[i]);
		if (status)
			return -status;
		absent += !record[i];
		if (!record[i] && (!i || record[i - 1]))
			first = i;
		if (record[i] && i && !record[i - 1])
			list_add(missing, first, i - 1);
	}
	if (count && !record[count - 1])
		list_add(missing, first, count - 1);
	return absent;
}

static bool is_piece(const json_t *found, const struct piece *piece)
{
	json_int_t task, from, count, part, parts;

	return !json_unpack((json_t *)(uintptr_t)found, "{s:I, s:[I,I], s:[I,I]}", "task", &task,
			    "starts", &from, &count, "part", &part, &parts) &&
	       task == piece->task && (uint64_t)from == piece->starts.from &&
	       (uint64_t)count == piece->starts.count && part == piece->part &&
	       parts == piece->parts;
}

/* Its searches count once for all its parts. */
static void add(struct task *task, const struct task *one, const struct piece *piece)
{
	struct failure was = task->findings.first;

	if (one->searches < 0)
		task->searches = one->searches;
	if (one->searches < 0 || task->searches < 0)
		return;
	task->searches += piece->part ? 0 : one->searches;
	findings_add(&task->findings, &one->findings);
	if (memcmp(&was, &task->findings.first, sizeof(was)))
		task->first = one->first;
}

/* A piece of a shard, and what it found; pieces are sorted by what comes first. */
struct harvested {
	struct piece piece;
	const json_t *json;
};

struct harvest {
	struct shards shards;
	json_t **record;
	struct harvested *found;
	size_t count;
};

/* A record that is whole, and that no shard writes. */
static int refuse(const struct harvest *harvest, unsigned int shard, const char *why)
{
	char path[SHARDS_PATH];

	shards_record_path(&harvest->shards, shard, path);
	return fail_with(EXIT_USAGE, "%s %s: %s", path, why, shards_remedy);
}

/* One shard's pieces, if they are those that it was to do. An exit code. */
static int gather(struct harvest *harvest, unsigned int shard)
{
	const json_t *all = json_object_get(harvest->record[shard], "pieces");
	int most = shards_pieces_count(&harvest->shards, shard), pieces, i;
	struct piece *piece = calloc((size_t)most + 1, sizeof(*piece));
	struct harvested *more =
		realloc(harvest->found, (harvest->count + (size_t)most + 1) * sizeof(*more));
	bool good = json_array_size(all) == (size_t)most;

	harvest->found = more ? more : harvest->found;
	if (!piece || !more) {
		free(piece);
		return fail_memory("the shards' pieces");
	}
	pieces = shards_pieces(&harvest->shards, shard, piece, most);
	for (i = 0; i < pieces && good; i++) {
		good = is_piece(json_array_get(all, (size_t)i), &piece[i]);
		harvest->found[harvest->count++] =
			(struct harvested){ piece[i], json_array_get(all, (size_t)i) };
	}
	free(piece);
	if (pieces < 0)
		return EXIT_USAGE;
	return good ? 0 : refuse(harvest, shard, "has other pieces than were planned");
}

/* Into its task. An exit code. */
static int add_found(struct harvest *harvest, const struct harvested *found)
{
	struct shards *shards = &harvest->shards;
	struct task *task = &shards->tasks.task[found->piece.task];
	struct task one = { .driver = task->driver, .family = task->family };

	/* The first failure's search is one of the loaded row. */
	if (json_object_get(found->json, "first") &&
	    load_row(shards->tasks.options, tasks_row(&shards->tasks, task), task->family))
		return EXIT_RESOURCE;
	if (!shards_find(found->json, found->piece.starts.count, &one))
		return refuse(harvest, found->piece.shard, "has numbers that no search finds");
	if (one.searches < 0 && task->searches >= 0 && !tasks_failed_before(&shards->tasks, task))
		fail_line("%s cannot be searched: shard %u said why",
			  tasks_row(&shards->tasks, task), found->piece.shard);
	add(task, &one, &found->piece);
	return 0;
}

/* Has the plan each start's parts of the task once, from `at` on? Moves it behind them. */
static bool covers(const struct harvest *harvest, size_t *at, unsigned int task, uint64_t starts)
{
	const struct piece *piece;
	uint64_t from = 0;
	uint32_t part = 0;

	for (; *at < harvest->count && harvest->found[*at].piece.task == task; (*at)++) {
		piece = &harvest->found[*at].piece;
		if (piece->starts.from != from || piece->part != part)
			return false;
		part = part + 1 == piece->parts ? 0 : part + 1;
		from += part ? 0 : piece->starts.count;
	}
	return from == starts && !part;
}

/* As the plan has them: too large ones have none, and what cannot be searched is tried once. */
static int count_starts(const struct tasks *tasks, const struct task *task, uint64_t *starts)
{
	int error = load_row(tasks->options, tasks_row(tasks, task), task->family);

	if (error && error != -ENOTSUP)
		return tasks_failed(error, tasks_row(tasks, task));
	*starts = error ? 1 : family_starts(task->family, &tasks->options->search);
	if (!error && !tasks->options->single &&
	    family_too_large(task->family, tasks->options->tier))
		*starts = 0;
	return 0;
}

/* Counted again, and not as the plan was made: nothing is left out of it, or in it twice. */
static int check_plan(const struct harvest *harvest)
{
	const struct tasks *tasks = &harvest->shards.tasks;
	const struct task *task;
	uint64_t starts = 0;
	unsigned int i;
	size_t at = 0;
	int status;

	for (i = 0; i < tasks->count; i++) {
		task = &tasks->task[i];
		status = count_starts(tasks, task, &starts);
		if (status)
			return status;
		if (!covers(harvest, &at, i, starts))
			return fail_with(EXIT_USAGE,
					 "the plan in %s has not all of %s, each once: make "
					 "a new one",
					 harvest->shards.directory, tasks_row(tasks, task));
	}
	return 0;
}

/* The starts are counted, and what broke is shown, by the objects that were searched. */
static int same_objects(const struct shards *shards)
{
	json_t *seen = json_object();
	unsigned int i;
	int status = 0;

	for (i = 0; i < shards->tasks.count && !status; i++)
		status = shards_same_object(shards, &shards->tasks.task[i], seen);
	json_decref(seen);
	return status;
}

static int merge(struct harvest *harvest)
{
	struct tasks *tasks = &harvest->shards.tasks;
	unsigned int shard;
	int status = same_objects(&harvest->shards);
	size_t i;

	for (shard = 0; shard < shards_count(&harvest->shards) && !status; shard++)
		status = gather(harvest, shard);
	if (status)
		return status;
	qsort(harvest->found, harvest->count, sizeof(*harvest->found), shards_in_order);
	status = check_plan(harvest);
	for (i = 0; i < harvest->count && !status; i++)
		status = add_found(harvest, &harvest->found[i]);
	if (!status && !tasks->options->object)
		printf("%-26s %-44s %4s %12s\n", "row", "searched", "runs", "schedules");
	while (tasks->taken < tasks->count && !status)
		status = tasks_take(tasks, true);
	return status ? status : tasks->worst;
}

/* 0 if all are there, or an exit code after a line on stderr. */
static int read_records(struct harvest *harvest)
{
	const struct shards *shards = &harvest->shards;
	char missing[LIST_BYTES] = "";
	int absent;

	harvest->record = calloc(shards_count(shards) + 1, sizeof(json_t *));
	if (!harvest->record)
		return fail_memory("the shards' records");
	absent = read_all(shards, harvest->record, missing);
	if (absent <= 0)
		return -absent;
	return fail_with(EXIT_INTERRUPTED,
			 "%d of %u shards are missing: %s; do each by: explore --shard K %s",
			 absent, shards_count(shards), missing, shards->directory);
}

int shards_merge(const struct explore_options *options)
{
	struct harvest harvest = { .record = NULL };
	int status = shards_read(&harvest.shards, options, options->directory);
	unsigned int i;

	if (!status)
		status = read_records(&harvest);
	if (!status)
		status = merge(&harvest);
	for (i = 0; harvest.record && i < shards_count(&harvest.shards); i++)
		json_decref(harvest.record[i]);
	free(harvest.record);
	free(harvest.found);
	shards_end(&harvest.shards);
	return status;
}
