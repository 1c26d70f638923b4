/* SPDX-License-Identifier: MIT */
/* The plan of a search in shares, and records of them, as files. */
#ifndef STAMPEDE_EXPLORE_SHARDS_INTERNAL_H
#define STAMPEDE_EXPLORE_SHARDS_INTERNAL_H

#include <jansson.h>

#include "explore/tasks.h"

#define SHARDS_SCHEMA 1
#define SHARDS_PATH 4096

/* Some of a task's schedules: of these starts, those of one part. */
struct piece {
	unsigned int task;
	struct starts starts;
	uint32_t part, parts;
	double seconds; /* about */
	unsigned int shard;
};

/* A plan that was read, and what it is of. */
struct shards {
	const char *directory;
	json_t *head; /* its first line */
	json_t *lines; /* the others, one for each shard */
	char hash[17]; /* of the file */
	struct explore_options options; /* as they were planned */
	struct tasks tasks;
};

/* Hash of a file's bytes as text. 0, or an exit code after a line on stderr. */
int shards_hash(const char *path, char text[17]);

/*
 * Hash of an explored object's bytes for the plan's list, under its file name; false, after a line
 * on stderr, if it cannot be read.
 */
bool shards_object(const struct tasks *tasks, const struct task *task, json_t *objects);

/*
 * Is the task's object the one that was planned? `seen`: those that were asked of, by file name. 0,
 * or an exit code after a line on stderr.
 */
int shards_same_object(const struct shards *shards, const struct task *task, json_t *seen);

void shards_record_path(const struct shards *shards, unsigned int shard, char path[SHARDS_PATH]);

/*
 * Reads the plan of a folder; `asked` is for what is not planned: where to say and record what. 0,
 * or an exit code after a line on stderr: none, damaged, or of another program.
 */
int shards_read(struct shards *shards, const struct explore_options *asked, const char *directory);
void shards_end(struct shards *shards);

/* For qsort(3) of pieces: as one process would come to them. */
int shards_in_order(const void *piece, const void *other);

/* The pieces of a shard; how many, or -1 after a line on stderr. At most `most`, its count. */
int shards_pieces_count(const struct shards *shards, unsigned int shard);
int shards_pieces(const struct shards *shards, unsigned int shard, struct piece *piece, int most);
unsigned int shards_count(const struct shards *shards);

/*
 * What a piece found, all of it, and the way back into a task of the loaded row's; false: it is not
 * whole, or no search of so many starts finds that.
 */
json_t *shards_found(const struct task *task);
bool shards_find(const json_t *found, uint64_t starts, struct task *task);

/* Adds to a record the hash of all the rest. */
void shards_seal(json_t *record);

/* What to do with a record that is not what the shard found. */
extern const char shards_remedy[];

/*
 * The shard's record in *record, NULL if there is none. 0, or an exit code after a line on stderr:
 * damaged, of another shard or plan.
 */
int shards_record(const struct shards *shards, unsigned int shard, json_t **record);

#endif
