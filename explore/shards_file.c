// SPDX-License-Identifier: MIT
/* The plan's file and the records', read and understood. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/exit.h"
#include "base/json.h"
#include "base/table.h"
#include "explore/load.h"
#include "explore/replay/replay.h"
#include "explore/shards_internal.h"

#define SEED 0
#define REPLAY_BYTES (WORLD_ACTIONS_MAX * 32)

static void hash_text(const void *bytes, size_t count, char text[17])
{
	snprintf(text, 17, "%016" PRIx64, table_hash(bytes, count, SEED));
}

/* The whole file, to be freed; NULL: errno says why not. */
static char *read_whole(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	long size;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END) && (size = ftell(file)) >= 0 && !fseek(file, 0, SEEK_SET)) {
		text = malloc((size_t)size + 1);
		*bytes = text ? fread(text, 1, (size_t)size, file) : 0;
		if (text)
			text[*bytes] = '\0';
	}
	fclose(file);
	return text;
}

int shards_hash(const char *path, char text[17])
{
	size_t bytes;
	char *whole = read_whole(path, &bytes);

	if (!whole)
		return fail_file("read", path, errno);
	hash_text(whole, bytes, text);
	free(whole);
	return 0;
}

/* Its path, and its file name in that. */
static const char *object_path(const struct tasks *tasks, const struct task *task,
			       char path[SHARDS_PATH])
{
	const char *name;

	load_path(tasks->options, tasks_row(tasks, task), task->family, path, SHARDS_PATH);
	name = strrchr(path, '/');
	return name ? name + 1 : path;
}

bool shards_object(const struct tasks *tasks, const struct task *task, json_t *objects)
{
	char path[SHARDS_PATH], hash[17];
	const char *name = object_path(tasks, task, path);

	if (json_object_get(objects, name))
		return true;
	if (shards_hash(path, hash))
		return false;
	json_object_set_new(objects, name, json_string(hash));
	return true;
}

int shards_same_object(const struct shards *shards, const struct task *task, json_t *seen)
{
	const json_t *planned = json_object_get(shards->head, "objects");
	char path[SHARDS_PATH];
	const char *name = object_path(&shards->tasks, task, path);

	if (!shards_object(&shards->tasks, task, seen))
		return EXIT_RESOURCE;
	if (json_equal(json_object_get(planned, name), json_object_get(seen, name)))
		return 0;
	return fail_with(EXIT_USAGE,
			 "%s is not the object that was planned: put that one back, or make a new "
			 "plan",
			 name);
}

void shards_record_path(const struct shards *shards, unsigned int shard, char path[SHARDS_PATH])
{
	snprintf(path, SHARDS_PATH, "%s/shard-%u.json", shards->directory, shard);
}

/* ---- the plan ---- */

static int read_lines(struct shards *shards, char *text, const char *path)
{
	char *line = text, *end;
	json_t *json;

	shards->lines = json_array();
	for (; *line; line = end + 1) {
		end = strchr(line, '\n');
		json = end ? json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES, NULL) :
			     NULL;
		if (!json)
			return fail_with(EXIT_USAGE, "%s is damaged: make a new plan", path);
		if (!shards->head)
			shards->head = json;
		else
			json_array_append_new(shards->lines, json);
	}
	if (json_number(shards->head, "schema") != SHARDS_SCHEMA)
		return fail_with(EXIT_USAGE, "%s is no plan of this version: make a new one", path);
	if (json_number(shards->head, "shards") != shards_count(shards))
		return fail_with(EXIT_USAGE, "%s has not all its shards: make a new plan", path);
	return 0;
}

/* The same options again, but for how and where the user wants to see what comes of them. */
static int parse_again(struct shards *shards, const struct explore_options *asked)
{
	const json_t *arguments = json_object_get(shards->head, "arguments");
	int argc = (int)json_array_size(arguments) + 1, i, status = EXIT_USAGE;
	char **argv = calloc((size_t)argc + 1, sizeof(*argv));

	if (!argv)
		return fail_memory("a plan's arguments");
	argv[0] = (char *)(uintptr_t) "explore";
	for (i = 1; i < argc; i++)
		argv[i] = (char *)(uintptr_t)json_string_value(
			json_array_get(arguments, (size_t)i - 1));
	shards->options = *asked;
	shards->options.processes = asked->processes_asked ? asked->processes : 1;
	if (!explore_options_again(argc, argv, &shards->options))
		status = fail_with(EXIT_USAGE, "the plan's own options are not understood: make a "
					       "new plan");
	else
		status = 0;
	free(argv);
	return status;
}

static int begin_tasks(struct shards *shards)
{
	const struct driver *rows[DRIVERS_MAX];
	int count = shards->options.object ? 0 : tasks_rows(&shards->options, rows);

	if (count < 0)
		return -count;
	return tasks_begin(&shards->tasks, &shards->options, rows, (unsigned int)count);
}

int shards_read(struct shards *shards, const struct explore_options *asked, const char *directory)
{
	char path[SHARDS_PATH], program[17], *text;
	size_t bytes;
	int status;

	*shards = (struct shards){ .directory = directory };
	snprintf(path, sizeof(path), "%s/plan.jsonl", directory);
	text = read_whole(path, &bytes);
	if (!text)
		return fail_file("read", path, errno);
	hash_text(text, bytes, shards->hash);
	status = read_lines(shards, text, path);
	free(text);
	if (!status)
		status = shards_hash("/proc/self/exe", program);
	if (!status && strcmp(program, json_text(shards->head, "program")))
		status = fail_with(EXIT_USAGE,
				   "%s was made by another build of explore (%s, this one is %s): "
				   "use that, or make a new plan",
				   path, json_text(shards->head, "program"), program);
	status = status ? status : parse_again(shards, asked);
	return status ? status : begin_tasks(shards);
}

void shards_end(struct shards *shards)
{
	if (shards->tasks.task)
		tasks_end(&shards->tasks);
	json_decref(shards->head);
	json_decref(shards->lines);
}

unsigned int shards_count(const struct shards *shards)
{
	return (unsigned int)json_array_size(shards->lines);
}

int shards_in_order(const void *piece, const void *other)
{
	const struct piece *a = piece, *b = other;

	if (a->task != b->task)
		return a->task < b->task ? -1 : 1;
	if (a->starts.from != b->starts.from)
		return a->starts.from < b->starts.from ? -1 : 1;
	return a->part < b->part ? -1 : a->part > b->part;
}

static const json_t *pieces_of(const struct shards *shards, unsigned int shard)
{
	return json_object_get(json_array_get(shards->lines, shard), "pieces");
}

int shards_pieces_count(const struct shards *shards, unsigned int shard)
{
	return (int)json_array_size(pieces_of(shards, shard));
}

int shards_pieces(const struct shards *shards, unsigned int shard, struct piece *piece, int most)
{
	const json_t *one, *pieces = pieces_of(shards, shard);
	json_int_t task, from, count, part, parts;
	size_t i;

	if (json_array_size(pieces) > (size_t)most)
		goto damaged;
	json_array_foreach(pieces, i, one) {
		if (json_unpack((json_t *)(uintptr_t)one, "{s:I, s:[I,I], s:[I,I], s:F}", "task",
				&task, "starts", &from, &count, "part", &part, &parts, "seconds",
				&piece[i].seconds) ||
		    task < 0 || task >= shards->tasks.count || part < 0 || part >= parts ||
		    parts > SEARCH_PARTS_MAX || from < 0 || count < 1)
			goto damaged;
		piece[i].task = (unsigned int)task;
		piece[i].starts = (struct starts){ (uint64_t)from, (uint64_t)count };
		piece[i].part = (uint32_t)part;
		piece[i].parts = (uint32_t)parts;
		piece[i].shard = shard;
	}
	return (int)i;
damaged:
	fail_line("%s/plan.jsonl: the line of shard %u is damaged: make a new plan",
		  shards->directory, shard);
	return -1;
}

/* ---- what was found ---- */

/* All of struct findings that adds up or stands for itself. */
static const struct member {
	const char *name;
	size_t at;
} members[] = {
#define MEMBER(name) \
	{ \
#name, offsetof(struct findings, name) \
	}
	MEMBER(schedules),    MEMBER(stops),	    MEMBER(states), MEMBER(inexact),
	MEMBER(extended),     MEMBER(decoded),	    MEMBER(stuck),  MEMBER(damage.schedules),
	MEMBER(damage.wrong), MEMBER(damage.worst),
#undef MEMBER
};

static uint64_t *member_of(const struct findings *findings, size_t at)
{
	return (uint64_t *)((uintptr_t)findings + at);
}

static json_t *numbers(const uint64_t *value, size_t count)
{
	json_t *array = json_array();
	size_t i;

	for (i = 0; i < count; i++)
		json_array_append_new(array, json_integer((json_int_t)value[i]));
	return array;
}

static bool take_number(const json_t *number, uint64_t *value)
{
	*value = (uint64_t)json_integer_value(number);
	return json_is_integer(number) && json_integer_value(number) >= 0;
}

static bool take_numbers(const json_t *array, uint64_t *value, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!take_number(json_array_get(array, i), &value[i]))
			return false;
	return json_array_size(array) == count;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

json_t *shards_found(const struct task *task)
{
	const struct findings *findings = &task->findings;
	const struct failure *first = &findings->first;
	json_t *json = json_pack("{s:i, s:f, s:i}", "searches", task->searches, "seconds",
				 findings->seconds, "until", (int)findings->damage.until);
	char replay[REPLAY_BYTES];
	size_t i;

	for (i = 0; i < COUNT(members); i++)
		json_object_set_new(json, members[i].name,
				    json_integer((json_int_t)*member_of(findings, members[i].at)));
	json_object_set_new(json, "verdicts",
			    numbers(findings->verdicts, COUNT(findings->verdicts)));
	json_object_set_new(json, "objections",
			    numbers(findings->objections, COUNT(findings->objections)));
	if (!first->verdict)
		return json;
	replay_format(first->action, first->actions, replay, sizeof(replay));
	json_object_set_new(json, "first",
			    json_pack("{s:s, s:i, s:i, s:I, s:I}", "replay", replay, "verdict",
				      first->verdict, "oracle", first->oracle, "phase",
				      (json_int_t)task->first.start.phase, "extra",
				      (json_int_t)task->first.start.extra));
	return json;
}

/* Of the loaded row's. */
static bool find_first(const json_t *json, struct task *task)
{
	struct failure *first = &task->findings.first;
	json_int_t phase, extra;
	const char *replay;
	int verdict, oracle, actions;

	if (json_unpack((json_t *)(uintptr_t)json, "{s:s, s:i, s:i, s:I, s:I}", "replay", &replay,
			"verdict", &verdict, "oracle", &oracle, "phase", &phase, "extra", &extra))
		return false;
	actions = *replay ? replay_parse(replay, first->action, WORLD_ACTIONS_MAX) : 0;
	if (actions < 0)
		return false;
	first->actions = (uint8_t)actions;
	first->verdict = (uint8_t)verdict;
	first->oracle = (uint8_t)oracle;
	family_search(task->family, &task->first);
	task->first.start.phase = (uint64_t)phase;
	task->first.start.extra = (uint32_t)extra;
	return true;
}

/* What is the first failure has to be among what was counted. */
static bool first_adds_up(const struct findings *findings)
{
	const struct failure *first = &findings->first;
	uint64_t broken = findings->verdicts[VERDICT_BROKEN];

	if (!first->verdict)
		return findings->verdicts[VERDICT_KEPT] == findings->schedules;
	if (first->oracle >= FINDINGS || first->verdict >= COUNT(findings->verdicts) ||
	    !findings->verdicts[first->verdict])
		return false;
	return first->verdict == VERDICT_BROKEN ? findings->objections[first->oracle] > 0 : !broken;
}

/*
 * Whoever changes a record may seal it again. Then one number does not go with the others: each
 * schedule has one verdict, a broken one has objections, and each start was searched.
 */
static bool adds_up(const struct task *task, uint64_t starts)
{
	const struct findings *findings = &task->findings;
	uint64_t verdicts = 0, broken = findings->verdicts[VERDICT_BROKEN], objections = 0;
	size_t i;

	if (task->searches == -ENOTSUP)
		return true;
	for (i = 0; i < COUNT(findings->verdicts); i++)
		verdicts += findings->verdicts[i];
	for (i = 0; i < COUNT(findings->objections); i++) {
		if (findings->objections[i] > broken)
			return false;
		objections += findings->objections[i];
	}
	return task->searches >= 0 && (uint64_t)task->searches == starts &&
	       verdicts == findings->schedules && objections >= broken &&
	       findings->stuck <= findings->schedules &&
	       findings->damage.schedules <= findings->schedules &&
	       !findings->damage.schedules == !findings->damage.wrong && first_adds_up(findings);
}

bool shards_find(const json_t *found, uint64_t starts, struct task *task)
{
	struct findings *findings = &task->findings;
	const json_t *first = json_object_get(found, "first");
	json_int_t until;
	size_t i;

	*findings = (struct findings){ .schedules = 0 };
	if (json_unpack((json_t *)(uintptr_t)found, "{s:i, s:F, s:I}", "searches", &task->searches,
			"seconds", &findings->seconds, "until", &until) ||
	    until < 0 || until >= DAMAGE_ENDS)
		return false;
	findings->damage.until = (enum damage_end)until;
	for (i = 0; i < COUNT(members); i++)
		if (!take_number(json_object_get(found, members[i].name),
				 member_of(findings, members[i].at)))
			return false;
	return take_numbers(json_object_get(found, "verdicts"), findings->verdicts,
			    COUNT(findings->verdicts)) &&
	       take_numbers(json_object_get(found, "objections"), findings->objections,
			    COUNT(findings->objections)) &&
	       (!first || find_first(first, task)) && adds_up(task, starts);
}

/* ---- records ---- */

static void hash_rest(const json_t *record, char hash[17])
{
	json_t *rest = json_copy((json_t *)(uintptr_t)record);
	char *text;

	json_object_del(rest, "hash");
	text = json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS);
	hash_text(text ? text : "", text ? strlen(text) : 0, hash);
	free(text);
	json_decref(rest);
}

void shards_seal(json_t *record)
{
	char hash[17];

	hash_rest(record, hash);
	json_object_set_new(record, "hash", json_string(hash));
}

static bool is_whole(const json_t *record)
{
	char hash[17];

	if (!record)
		return false;
	hash_rest(record, hash);
	return !strcmp(hash, json_text(record, "hash"));
}

const char shards_remedy[] = "remove it, and do that shard again";

int shards_record(const struct shards *shards, unsigned int shard, json_t **record)
{
	char path[SHARDS_PATH], *text;
	unsigned int of;
	size_t bytes;
	int status = 0;

	shards_record_path(shards, shard, path);
	*record = NULL;
	text = read_whole(path, &bytes);
	if (!text)
		return errno == ENOENT ? 0 : fail_file("read", path, errno);
	*record = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	of = (unsigned int)json_number(*record, "shard");
	if (!is_whole(*record))
		status = fail_with(EXIT_USAGE, "%s is damaged: %s", path, shards_remedy);
	else if (json_number(*record, "schema") != SHARDS_SCHEMA)
		status = fail_with(EXIT_USAGE, "%s is of another version: %s", path, shards_remedy);
	else if (strcmp(shards->hash, json_text(*record, "plan")))
		status = fail_with(EXIT_USAGE, "%s is of another plan or binary: %s", path,
				   shards_remedy);
	else if (of != shard)
		status = fail_with(EXIT_USAGE, "%s is shard %u a second time: %s", path, of,
				   shards_remedy);
	if (!status)
		return 0;
	json_decref(*record);
	*record = NULL;
	return status;
}
