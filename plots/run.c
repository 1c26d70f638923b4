// SPDX-License-Identifier: MIT
#include "plots/run.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/fields.h"
#include "plots/output.h"

/* As judge/check.c names them; a run may hold fewer. */
const char *const run_promises[RUN_PROMISES] = { "monotonic", "exact", "window", "wrap_proof",
						 "bounded" };
const char *const run_oracles[RUN_ORACLES] = { "exact",	       "window",    "monotonic",
					       "conservation", "structure", "counts",
					       "losses" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NUMBER(type, key) { #key, FIELD_NUMBER, offsetof(struct type, key) }
#define TEXT(type, key) { #key, FIELD_TEXT, offsetof(struct type, key) }
#define NAME(type, key) { #key, FIELD_NAME, offsetof(struct type, key) }
/* A median and its quartiles: x, x_low, x_high. */
#define SPREAD(type, key)                                               \
	{ #key, FIELD_NUMBER, offsetof(struct type, key.median) },      \
	{ #key "_low", FIELD_NUMBER, offsetof(struct type, key.low) },  \
	{ #key "_high", FIELD_NUMBER, offsetof(struct type, key.high) }

static const struct field table_fields[] = {
	NAME(table_row, row),
	TEXT(table_row, workload),
	TEXT(table_row, verdict),
	TEXT(table_row, why),
	TEXT(table_row, ratio_basis),
	TEXT(table_row, instructions_source),
	NUMBER(table_row, worst_error_ticks),
	NUMBER(table_row, bytes),
	NUMBER(table_row, header_bytes),
	NUMBER(table_row, alignment_bytes),
	NUMBER(table_row, subbuf_bytes),
	NUMBER(table_row, payload_bytes),
	SPREAD(table_row, ns),
	SPREAD(table_row, cycles),
	SPREAD(table_row, ratio),
	NUMBER(table_row, ratio_95_low),
	NUMBER(table_row, ratio_95_high),
	NUMBER(table_row, ticks),
	NUMBER(table_row, instructions),
	NUMBER(table_row, clock_reads),
	NUMBER(table_row, atomics),
	NUMBER(table_row, repetitions),
	{ "noisy", FIELD_FLAG, offsetof(struct table_row, noisy) },
	{ "disagrees", FIELD_FLAG, offsetof(struct table_row, disagrees) },
	{ "below_floor", FIELD_FLAG, offsetof(struct table_row, below_floor) },
	TEXT(table_row, floor),
	NUMBER(table_row, ratio_own),
	{ "above_clock_ns", FIELD_SIGNED, offsetof(struct table_row, above_clock_ns) },
	NUMBER(table_row, cheap_ratio),
	NUMBER(table_row, cheap_ratio_95_low),
	NUMBER(table_row, cheap_ratio_95_high),
	{ "left_out_ns", FIELD_SIGNED, offsetof(struct table_row, left_out_ns) },
	NUMBER(table_row, header_id_bytes),
	NUMBER(table_row, id_bytes_added),
};

static const struct field storm_fields[] = {
	NAME(storm_row, row),
	TEXT(storm_row, workload),
	TEXT(storm_row, verdict),
	NUMBER(storm_row, bits),
	NUMBER(storm_row, events),
	NUMBER(storm_row, nested),
	NUMBER(storm_row, hits),
	NUMBER(storm_row, seconds),
	NUMBER(storm_row, recording_seconds),
	NUMBER(storm_row, writer_share),
	NUMBER(storm_row, worst_error_ticks),
	NUMBER(storm_row, typical_error_log2),
	NUMBER(storm_row, inexact),
	NUMBER(storm_row, wraps_lost),
};

static const struct field step_fields[] = {
	NUMBER(late_step, asked_wraps),	 NUMBER(late_step, gap_wraps),
	NUMBER(late_step, wraps_lost),	 NUMBER(late_step, wrong),
	NUMBER(late_step, repetitions),	 NUMBER(late_step, error_ticks),
};

static const struct field late_fields[] = {
	NAME(late_row, row),
	NUMBER(late_row, bits),
};

static const struct field rate_fields[] = {
	NAME(rate_point, row),
	NUMBER(rate_point, events_per_second),
	NUMBER(rate_point, bytes_per_second),
	NUMBER(rate_point, header_bytes_per_second),
	NUMBER(rate_point, tsc_hz),
};

static const struct field injected_fields[] = {
	NAME(injected_cell, row),
	NAME(injected_cell, workload),
	NUMBER(injected_cell, wrap_share),
	NUMBER(injected_cell, nested_share),
	NUMBER(injected_cell, nested_depth),
	NUMBER(injected_cell, ratio),
};

static const struct field replay_fields[] = {
	NAME(replay_cell, row),
	NAME(replay_cell, gaps),
	TEXT(replay_cell, verdict),
	NUMBER(replay_cell, bytes),
	NUMBER(replay_cell, header_bytes),
	NUMBER(replay_cell, bytes_per_second),
};

static const struct field idle_fields[] = {
	NAME(idle_row, row),
};

static const char *const idle_names[IDLE_FIELDS] = { "beats_per_second", "wakeups_per_second",
						     "bytes_per_second" };

static const struct field tails_fields[] = {
	NAME(tails_cell, row),
	NAME(tails_cell, regime),
	TEXT(tails_cell, gaps),
	{ "variant", FIELD_FLAG, offsetof(struct tails_cell, variant) },
	NUMBER(tails_cell, samples),
	NUMBER(tails_cell, hits),
	NUMBER(tails_cell, p50),
	NUMBER(tails_cell, p99),
	NUMBER(tails_cell, p999), NUMBER(tails_cell, p9999),
	NUMBER(tails_cell, max),
	NUMBER(tails_cell, fence_p50),
};

static const struct field seek_fields[] = {
	NAME(seek_cell, row),
	NUMBER(seek_cell, mib),
	NUMBER(seek_cell, subbufs),
	NUMBER(seek_cell, probes),
	NUMBER(seek_cell, probes_most),
	NUMBER(seek_cell, seek_ns),
	NUMBER(seek_cell, read_ns),
};

static const struct field ties_fields[] = {
	NAME(ties_line, gaps),
	NUMBER(ties_line, tsc_hz),
};

static const struct field channels_fields[] = {
	NAME(channels_cell, gaps),
	NAME(channels_cell, compact),
	TEXT(channels_cell, normal),
	NUMBER(channels_cell, share),
	NUMBER(channels_cell, events),
	{ "saved_share", FIELD_SIGNED, offsetof(struct channels_cell, saved_share) },
	NUMBER(channels_cell, tied_wrong),
	NUMBER(channels_cell, inversions),
};

static const struct field repetition_fields[] = {
	NAME(repetition, name),
	TEXT(repetition, time_unit),
	NUMBER(repetition, real_time),
	NUMBER(repetition, cpu_time),
	NUMBER(repetition, ns),
	NUMBER(repetition, threads),
	NUMBER(repetition, cycles),
	NUMBER(repetition, ticks),
	NUMBER(repetition, repetition_index),
};

static const struct field warning_fields[] = {
	NAME(warning, name),
	NAME(warning, state),
	TEXT(warning, cause),
	TEXT(warning, remedy),
};

static const struct field harness_fields[] = {
	{ "loop_cycles", FIELD_SIGNED, offsetof(struct run, loop_cycles) },
	{ "loop_ns", FIELD_SIGNED, offsetof(struct run, loop_ns) },
	NUMBER(run, decode_events_per_second),
};

static int read_table(const struct place_in_file *where, const json_t *object, void *element)
{
	return fields_read(where, object, table_fields, COUNT(table_fields), element);
}

static int read_rate(const struct place_in_file *where, const json_t *object, void *element)
{
	return fields_read(where, object, rate_fields, COUNT(rate_fields), element);
}

static int read_injected(const struct place_in_file *where, const json_t *object, void *element)
{
	return fields_read(where, object, injected_fields, COUNT(injected_fields), element);
}

static int read_replay(const struct place_in_file *where, const json_t *object, void *element)
{
	return fields_read(where, object, replay_fields, COUNT(replay_fields), element);
}

static int read_repetition(const struct place_in_file *where, const json_t *object, void *element)
{
	struct repetition *one = element;
	int status = fields_read(where, object, repetition_fields, COUNT(repetition_fields), one);

	if (!status && isnan(one->ns) && run_verdict_is(one->time_unit, "ns"))
		one->ns = one->cpu_time;
	return status;
}

static int read_warning(const struct place_in_file *where, const json_t *object, void *element)
{
	return fields_read(where, object, warning_fields, COUNT(warning_fields), element);
}

static int read_step(const struct place_in_file *where, const json_t *object, void *element)
{
	return fields_read(where, object, step_fields, COUNT(step_fields), element);
}

static int fail_list(const struct place_in_file *where, const char *key, const char *of)
{
	return output_fail(PLOTS_HARNESS, "%s: %s.%s must be an array of %s; mend what wrote it, "
			   "or run again", where->file, where->path, key, of);
}

/* An array of numbers >= 0 of which the first `most` are kept; NAN for those it lacks. */
static int read_numbers(const struct place_in_file *where, const json_t *object, const char *key,
			double *numbers, size_t most)
{
	const json_t *list = json_object_get(object, key), *value;
	size_t i;

	for (i = 0; i < most; i++)
		numbers[i] = NAN;
	if (!list || json_is_null(list))
		return PLOTS_FINE;
	if (!json_is_array(list))
		return fail_list(where, key, "numbers >= 0");
	json_array_foreach(list, i, value) {
		if (!json_is_number(value) || json_number_value(value) < 0)
			return fail_list(where, key, "numbers >= 0");
		if (i < most)
			numbers[i] = json_number_value(value);
	}
	return PLOTS_FINE;
}

static int read_points(const struct place_in_file *where, const json_t *object,
		       struct tails_cell *cell)
{
	static const char of[] = "pairs of ticks and share, both ascending";
	const json_t *list = json_object_get(object, "ecdf"), *pair;
	struct tails_point last = { 0, 0 };
	size_t i;

	if (!list || json_is_null(list))
		return PLOTS_FINE;
	if (!json_is_array(list))
		return fail_list(where, "ecdf", of);
	cell->points = calloc(json_array_size(list) + 1, sizeof(*cell->points));
	if (!cell->points)
		return output_fail_memory();
	json_array_foreach(list, i, pair) {
		struct tails_point point = { json_number_value(json_array_get(pair, 0)),
					     json_number_value(json_array_get(pair, 1)) };

		if (json_array_size(pair) != 2 || !json_is_number(json_array_get(pair, 0)) ||
		    !json_is_number(json_array_get(pair, 1)) || point.ticks < last.ticks ||
		    point.share < last.share || point.share > 1 + 1e-9)
			return fail_list(where, "ecdf", of);
		cell->points[cell->point_count++] = last = point;
	}
	return PLOTS_FINE;
}

static int read_tails(const struct place_in_file *where, const json_t *object, void *element)
{
	int status = fields_read(where, object, tails_fields, COUNT(tails_fields), element);

	return status ? status : read_points(where, object, element);
}

static int read_seek(const struct place_in_file *where, const json_t *object, void *element)
{
	return fields_read(where, object, seek_fields, COUNT(seek_fields), element);
}

static int read_ties(const struct place_in_file *where, const json_t *object, void *element)
{
	struct ties_line *line = element;
	int status = fields_read(where, object, ties_fields, COUNT(ties_fields), line);

	return status ? status : read_numbers(where, object, "ties_per_million", line->ties,
					      RUN_CUTS);
}

static int read_channels(const struct place_in_file *where, const json_t *object, void *element)
{
	return fields_read(where, object, channels_fields, COUNT(channels_fields), element);
}

/* Reads the members of object.key, all of one kind, into an array. */
static int read_members(const struct place_in_file *where, const json_t *object, const char *key,
			enum field_kind kind, const char *const *names, size_t count, void *to)
{
	char path[256];
	struct place_in_file place = { .file = where->file, .path = path };
	size_t size = kind == FIELD_NUMBER ? sizeof(double) : sizeof(const char *);
	const json_t *members;
	json_t *none = json_object();
	int status = none ? fields_object(where, object, key, &members) : output_fail_memory();
	size_t i;

	snprintf(path, sizeof(path), "%s.%s", where->path, key);
	for (i = 0; !status && i < count; i++) {
		struct field field = { names[i], kind, i * size };

		status = fields_read(&place, members ? members : none, &field, 1, to);
	}
	json_decref(none);
	return status;
}

static int read_idle(const struct place_in_file *where, const json_t *object, void *element)
{
	struct idle_row *row = element;
	int status = fields_read(where, object, idle_fields, COUNT(idle_fields), row);

	if (!status)
		status = read_members(where, object, "idle_none", FIELD_NUMBER, idle_names,
				      IDLE_FIELDS, row->none);
	if (!status)
		status = read_members(where, object, "idle_rare", FIELD_NUMBER, idle_names,
				      IDLE_FIELDS, row->rare);
	return status;
}

static int read_storm(const struct place_in_file *where, const json_t *object, void *element)
{
	struct storm_row *row = element;
	int status = fields_read(where, object, storm_fields, COUNT(storm_fields), row);

	if (!status)
		status = read_members(where, object, "promises", FIELD_TEXT, run_promises,
				      RUN_PROMISES, row->promises);
	if (!status)
		status = read_members(where, object, "violations", FIELD_NUMBER, run_oracles,
				      RUN_ORACLES, row->violations);
	return status ? status : read_numbers(where, object, "delivered_by_source", row->delivered,
					      RUN_SOURCES);
}

static int compare_gaps(const void *a, const void *b)
{
	double left = ((const struct late_step *)a)->gap_wraps;
	double right = ((const struct late_step *)b)->gap_wraps;

	if (isnan(left) || isnan(right))
		return !!isnan(left) - !!isnan(right);
	return (left > right) - (left < right);
}

static int read_late(const struct place_in_file *where, const json_t *object, void *element)
{
	struct late_row *row = element;
	int status = fields_read(where, object, late_fields, COUNT(late_fields), row);
	void *steps = NULL;

	if (!status)
		status = fields_array(where, object, "steps", sizeof(*row->steps), read_step,
				      &steps, &row->step_count);
	row->steps = steps;
	/* A gap that was asked for is not the one that was had: a curve must not go back. */
	if (!status && steps)
		qsort(steps, row->step_count, sizeof(*row->steps), compare_gaps);
	return status;
}

/* One text or number of the context, deep inside: keys ends with NULL. */
static int read_deep(const struct place_in_file *where, const json_t *object,
		     const char *const *keys, enum field_kind kind, void *to)
{
	char path[256];
	struct place_in_file place = { .file = where->file, .path = path };
	struct field field = { NULL, kind, 0 };

	snprintf(path, sizeof(path), "%s", where->path);
	for (; keys[1]; keys++) {
		size_t length = strlen(path);

		if (fields_object(&place, object, keys[0], &object))
			return PLOTS_HARNESS;
		snprintf(path + length, sizeof(path) - length, ".%s", keys[0]);
	}
	field.key = keys[0];
	if (object)
		return fields_read(&place, object, &field, 1, to);
	if (kind == FIELD_NUMBER)
		*(double *)to = NAN;
	else
		*(const char **)to = NULL;
	return PLOTS_FINE;
}

static int read_machine(const char *file, const json_t *root, struct machine *machine)
{
	static const struct {
		const char *keys[4];
		enum field_kind kind;
		size_t offset;
	} fields[] = {
		{ { "host_name" }, FIELD_TEXT, offsetof(struct machine, host) },
		{ { "date" }, FIELD_TEXT, offsetof(struct machine, date) },
		{ { "num_cpus" }, FIELD_NUMBER, offsetof(struct machine, cpus) },
#define DEEP(a, b, kind, to) { { "stampede", a, b }, kind, offsetof(struct machine, to) }
		DEEP("cpu", "model", FIELD_TEXT, cpu),
		DEEP("hypervisor", "name", FIELD_TEXT, hypervisor),
		DEEP("kernel", "release", FIELD_TEXT, kernel),
		DEEP("build", "compiler", FIELD_TEXT, compiler),
		DEEP("build", "flags", FIELD_TEXT, flags),
		DEEP("git", "revision", FIELD_TEXT, revision),
		DEEP("tsc", "hz", FIELD_NUMBER, tsc_hz),
#undef DEEP
	};
	struct place_in_file where = { .file = file, .path = "context" };
	const json_t *context = json_object_get(root, "context");
	size_t i;

	for (i = 0; i < COUNT(fields); i++)
		if (read_deep(&where, context, fields[i].keys, fields[i].kind,
			      (char *)machine + fields[i].offset))
			return PLOTS_HARNESS;
	return PLOTS_FINE;
}

/* Other workloads of the checked build are not a storm. */
static void keep_storm_only(struct run *run)
{
	size_t i, kept = 0;

	for (i = 0; i < run->storm_count; i++)
		if (!run->storm[i].workload || !strcmp(run->storm[i].workload, "storm"))
			run->storm[kept++] = run->storm[i];
	run->storm_count = kept;
}

static int read_sections(struct run *run)
{
	struct place_in_file where = { .file = run->loaded.file, .path = "" };
	struct place_in_file harness_place = { .file = run->loaded.file, .path = "harness" };
	const json_t *root = run->loaded.json, *harness;
	json_t *none = json_object();
	int status = none ? read_machine(where.file, root, &run->machine) : output_fail_memory();
	void *list = NULL;

	if (!status)
		status = fields_object(&where, root, "harness", &harness);
	if (!status)
		status = fields_read(&harness_place, harness ? harness : none, harness_fields,
				     COUNT(harness_fields), run);
	json_decref(none);
#define SECTION(key, read, member, count)                                                      \
	do {                                                                                   \
		if (!status) {                                                                 \
			status = fields_array(&where, root, key, sizeof(*run->member), read,   \
					      &list, &run->count);                             \
			run->member = list;                                                    \
		}                                                                              \
	} while (0)
	SECTION("table", read_table, table, table_count);
	SECTION("stress", read_storm, storm, storm_count);
	SECTION("late_beat", read_late, late, late_count);
	SECTION("bytes_by_rate", read_rate, rates, rate_count);
	SECTION("injected", read_injected, injected, injected_count);
	SECTION("replay", read_replay, replay, replay_count);
	SECTION("idle", read_idle, idle, idle_count);
	SECTION("tails", read_tails, tails, tails_count);
	SECTION("precision", read_ties, ties, ties_count);
	SECTION("seek", read_seek, seek, seek_count);
	SECTION("channels", read_channels, channels, channels_count);
	SECTION("benchmarks", read_repetition, repetitions, repetition_count);
	SECTION("warnings", read_warning, warnings, warning_count);
#undef SECTION
	if (!status)
		keep_storm_only(run);
	return status;
}

static int find_directory(struct run *run)
{
	const char *slash = strrchr(run->loaded.file, '/');
	char *real;

	run->dir = slash ? strndup(run->loaded.file, (size_t)(slash - run->loaded.file)) :
			   strdup(".");
	if (!run->dir)
		return output_fail_memory();
	/* results/latest is a link: the page must name the run that it stands for. */
	real = realpath(run->dir, NULL);
	run->name = strdup(real && strrchr(real, '/')[1] ? strrchr(real, '/') + 1 : run->dir);
	free(real);
	return run->name ? PLOTS_FINE : output_fail_memory();
}

int run_load(const char *path, struct run *run)
{
	int status;

	memset(run, 0, sizeof(*run));
	status = record_load(NULL, path, &run->loaded);
	if (!status)
		status = find_directory(run);
	if (!status)
		status = read_sections(run);
	if (status)
		run_free(run);
	return status;
}

void run_free(struct run *run)
{
	size_t i;

	for (i = 0; i < run->late_count; i++)
		free(run->late[i].steps);
	free(run->table);
	free(run->storm);
	free(run->late);
	free(run->rates);
	free(run->injected);
	free(run->replay);
	free(run->idle);
	for (i = 0; i < run->tails_count; i++)
		free(run->tails[i].points);
	free(run->tails);
	free(run->ties);
	free(run->seek);
	free(run->channels);
	free(run->repetitions);
	free(run->warnings);
	free(run->dir);
	free(run->name);
	record_unload(&run->loaded);
	memset(run, 0, sizeof(*run));
}

const struct table_row *run_cell(const struct run *run, const char *row, const char *workload)
{
	size_t i;

	for (i = 0; i < run->table_count; i++)
		if (!strcmp(run->table[i].row, row) && run->table[i].workload &&
		    !strcmp(run->table[i].workload, workload))
			return &run->table[i];
	return NULL;
}

bool run_storm_checked(const struct storm_row *row)
{
	return !(row->events == 0);
}

bool run_storm_worst_declared(const struct storm_row *row)
{
	return row->inexact > 0 && row->violations[0] == 0;
}

bool run_verdict_is(const char *verdict, const char *word)
{
	return verdict && !strcmp(verdict, word);
}

double run_storm_bits(const struct run *run, const struct storm_row *row)
{
	size_t i;

	for (i = 0; i < run->storm_count; i++)
		if (&run->storm[i] != row && !strcmp(run->storm[i].row, row->row))
			return row->bits;
	return NAN;
}

double run_noise(const struct run *run)
{
	const json_t *noise = json_object_get(json_object_get(run->loaded.json, "again"), "noise");

	return json_is_number(noise) && json_number_value(noise) > 0 ? json_number_value(noise) : 0;
}
