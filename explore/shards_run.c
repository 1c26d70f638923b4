// SPDX-License-Identifier: MIT
/* One shard: searched, and recorded whole or not at all. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/exit.h"
#include "base/fail.h"
#include "base/json.h"
#include "explore/pace.h"
#include "explore/searched.h"
#include "explore/shards.h"
#include "explore/shards_internal.h"

/* Are the objects still those that the plan was made of? */
static int same_objects(const struct shards *shards, const struct piece *piece, int pieces)
{
	json_t *seen = json_object();
	int i, status = 0;

	for (i = 0; i < pieces && !status; i++)
		status = shards_same_object(shards, &shards->tasks.task[piece[i].task], seen);
	json_decref(seen);
	return status;
}

/* Searches it, and adds what it found. An exit code. */
static int run_piece(struct shards *shards, const struct piece *piece, json_t *found)
{
	const struct task *planned = &shards->tasks.task[piece->task];
	/* Its own: a task's pieces are recorded one by one. */
	struct task task = { .driver = planned->driver, .family = planned->family };
	int status = 0;
	json_t *json;

	shards->options.search.part = piece->part;
	shards->options.search.parts = piece->parts;
	task.searches =
		searched_task(&shards->tasks, &task, &piece->starts, shards->options.processes);
	if (task.searches < 0)
		status = tasks_failed(task.searches, tasks_row(&shards->tasks, &task));
	/* Of a row that cannot be searched so the merge has to know. */
	if (status && status != EXIT_UNSUPPORTED)
		return status;
	json = shards_found(&task);
	json_object_set_new(json, "task", json_integer(piece->task));
	json_object_set_new(json, "starts",
			    json_pack("[I,I]", (json_int_t)piece->starts.from,
				      (json_int_t)piece->starts.count));
	json_object_set_new(json, "part", json_pack("[i,i]", piece->part, piece->parts));
	json_array_append_new(found, json);
	return 0;
}

static int record(const struct shards *shards, unsigned int shard, double seconds, json_t *found)
{
	char path[SHARDS_PATH], host[256] = "";
	json_t *json;
	int status;

	gethostname(host, sizeof(host) - 1);
	json = json_pack("{s:i, s:i, s:s, s:s, s:f, s:O}", "schema", SHARDS_SCHEMA, "shard",
			 (int)shard, "plan", shards->hash, "host", host, "seconds", seconds,
			 "pieces", found);
	shards_seal(json);
	shards_record_path(shards, shard, path);
	status = json_out_as(path, json, JSON_INDENT(1));
	json_decref(json);
	return status;
}

static int run(struct shards *shards, unsigned int shard)
{
	int most = shards_pieces_count(shards, shard), pieces, i, status;
	struct piece *piece = calloc((size_t)most + 1, sizeof(*piece));
	json_t *found = json_array();
	double seconds = 0;

	pieces = piece ? shards_pieces(shards, shard, piece, most) : -1;
	status = pieces < 0 ? EXIT_USAGE : same_objects(shards, piece, pieces);
	for (i = 0; i < pieces; i++)
		seconds += pace_weight(shards->tasks.task[piece[i].task].family);
	pace_begin(seconds);
	for (i = 0; i < pieces && !status; i++)
		status = run_piece(shards, &piece[i], found);
	pace_clear();
	if (!status)
		status = record(shards, shard, child_cpu_seconds(), found);
	json_decref(found);
	free(piece);
	return status;
}

int shards_run(const struct explore_options *options)
{
	unsigned int shard = options->shard;
	struct shards shards;
	json_t *done = NULL;
	int status = shards_read(&shards, options, options->directory);

	if (!status && shard >= shards_count(&shards))
		status = fail_with(EXIT_USAGE, "--shard %u: the plan in %s has shards 0 to %u",
				   shard, options->directory, shards_count(&shards) - 1);
	if (!status)
		status = shards_record(&shards, shard, &done);
	if (done)
		printf("shard %u is done\n", shard);
	else if (!status)
		status = run(&shards, shard);
	json_decref(done);
	shards_end(&shards);
	return status;
}
