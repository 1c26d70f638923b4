// SPDX-License-Identifier: MIT
#include "results/compare/reference.h"
#include "base/json.h"
#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/metadata.h"
#include "results/samples.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *reference_dir(void)
{
	const char *asked = getenv("STAMPEDE_REFERENCES");

	return asked && *asked ? asked : REFERENCE_DIR;
}

/* ---- making ---- */

/* Copies what there is; neither host name nor path is among the keys. */
static void copy(json_t *to, const json_t *from, const char *const *keys, size_t count)
{
	json_t *value;
	size_t i;

	for (i = 0; i < count; i++) {
		value = json_object_get(from, keys[i]);
		if (value && !json_is_null(value))
			json_object_set(to, keys[i], value);
	}
}

/* Text that somebody chose may hold a path. */
static void copy_text(json_t *to, const char *key, const json_t *from, const char *from_key)
{
	const char *text = json_string_value(json_object_get(from, from_key));

	if (text && *text && !strchr(text, '/'))
		json_object_set_new(to, key, json_string(text));
}

static json_t *make_machine(const json_t *context)
{
	static const char *const of_cpu[] = { "vendor",	      "model",	  "family",
					      "model_number", "stepping", "online",
					      "smt",	      "turbo",	  "governor" };
	const json_t *stampede = json_object_get(context, "stampede");
	json_t *machine = json_object();

	copy(machine, json_object_get(stampede, "cpu"), of_cpu, COUNT(of_cpu));
	copy_text(machine, "hypervisor", json_object_get(stampede, "hypervisor"), "name");
	copy_text(machine, "architecture", json_object_get(stampede, "kernel"), "architecture");
	json_object_set(machine, "tsc_hz", json_object_get(json_object_get(stampede, "tsc"), "hz"));
	return machine;
}

static json_t *make_of(const json_t *run)
{
	const json_t *context = json_object_get(run, "context");
	const json_t *stampede = json_object_get(context, "stampede");
	const json_t *git = json_object_get(stampede, "git");
	const json_t *build = json_object_get(stampede, "build");
	json_t *of =
		json_pack("{s:s, s:O?, s:O?, s:O?}", "what", "run", "schema",
			  json_object_get(stampede, "schema"), "revision",
			  json_object_get(git, "revision"), "dirty", json_object_get(git, "dirty"));

	json_object_set_new(
		of, "date",
		json_stringn(json_text(context, "date"), strnlen(json_text(context, "date"), 10)));
	copy_text(of, "command", run, "command");
	copy_text(of, "compiler", build, "compiler");
	copy_text(of, "flags", build, "flags");
	return of;
}

static json_t *interval(const struct stats_interval *of)
{
	json_t *low = isfinite(of->low) ? json_real(of->low) : json_null();
	json_t *high = isfinite(of->high) ? json_real(of->high) : json_null();

	return json_pack("[f, o, o]", of->middle, low, high);
}

/* To each floor that the run has, from its repetitions. */
static json_t *make_ratios(const json_t *run, const json_t *line)
{
	static const char *const floors[] = { SAMPLES_FLOOR, SAMPLES_FLOOR_OLD };
	const struct samples_cell cell = { json_text(line, "row"), json_text(line, "workload") };
	const char *basis = json_text(line, "ratio_basis");
	json_t *ratios = json_object();
	struct stats_interval ratio;
	size_t i;

	for (i = 0; i < COUNT(floors); i++) {
		const struct samples_cell floor = { floors[i], cell.workload };

		ratio = samples_median(json_object_get(run, "benchmarks"), &cell,
				       *basis ? basis : "ticks", &floor);
		if (isfinite(ratio.middle))
			json_object_set_new(ratios, floors[i], interval(&ratio));
	}
	return ratios;
}

/* Of another row; only a run that sampled latencies says it. */
static bool is_variant(const json_t *run, const char *row)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(run, "tails"), i, one)
		if (!strcmp(json_text(one, "row"), row))
			return json_is_true(json_object_get(one, "variant"));
	return false;
}

/* ns after everything was evicted. */
static struct stats_interval cold_of(const json_t *run, const char *row)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(run, "cold"), i, one)
		if (!strcmp(json_text(one, "row"), row) &&
		    !strcmp(json_text(one, "evicted"), "all") &&
		    !json_is_true(json_object_get(one, "again")))
			return (struct stats_interval){ json_known(one, "ns"),
							json_known(one, "ns_95_low"),
							json_known(one, "ns_95_high") };
	return (struct stats_interval){ NAN, NAN, NAN };
}

static json_t *make_row(const json_t *run, const json_t *line)
{
	struct stats_interval cold = cold_of(run, json_text(line, "row"));
	static const char *const keys[] = {
		"row",
		"verdict",
		"ns",
		"ticks",
		"instructions",
		"instructions_source",
		"clock_reads",
		"atomics",
		"extended",
		"bytes",
		"header_bytes",
		"header_id_bytes",
		"worst_error_ticks",
		"repetitions",
		"disturbed",
		"ratio_basis",
	};
	json_t *row = json_object();
	struct stats_interval cheap = { json_known(line, "cheap_ratio"),
					json_known(line, "cheap_ratio_95_low"),
					json_known(line, "cheap_ratio_95_high") };

	copy(row, line, keys, COUNT(keys));
	if (is_variant(run, json_text(line, "row")))
		json_object_set_new(row, "variant", json_true());
	json_object_set_new(row, "ratio", make_ratios(run, line));
	if (cheap.middle > 0)
		json_object_set_new(row, "cheap_ratio", interval(&cheap));
	if (cold.middle > 0)
		json_object_set_new(row, "cold_ns", interval(&cold));
	return row;
}

/* The floor that the run's own ratios are to, and with them those of its needs. */
static const char *floor_of(const json_t *run)
{
	const json_t *stampede = json_object_get(json_object_get(run, "context"), "stampede");

	return json_integer_value(json_object_get(stampede, "schema")) < 3 ? SAMPLES_FLOOR_OLD :
									     SAMPLES_FLOOR;
}

json_t *reference_make(const json_t *run)
{
	json_t *rows = json_array(), *again = json_object_get(run, "again");
	const json_t *line;
	size_t i;

	json_array_foreach(json_object_get(run, "table"), i, line)
		if (!strcmp(json_text(line, "workload"), "steady"))
			json_array_append_new(rows, make_row(run, line));
	return json_pack("{s:i, s:o, s:o, s:s, s:O?, s:o, s:[]}", "reference", REFERENCE_FORM, "of",
			 make_of(run), "machine", make_machine(json_object_get(run, "context")),
			 "floor", floor_of(run), "noise", json_object_get(again, "noise"), "rows",
			 rows, "needs");
}

void reference_name(const json_t *reference, char *name, size_t size)
{
	const json_t *machine = json_object_get(reference, "machine");
	const json_t *family = json_object_get(machine, "family");
	const json_t *number = json_object_get(machine, "model_number");
	char model[64];

	metadata_model_alias(json_text(machine, "model"), model, sizeof(model));
	if (json_is_integer(family) && json_is_integer(number))
		snprintf(name, size, "%s-%" JSON_INTEGER_FORMAT "-%" JSON_INTEGER_FORMAT,
			 *model ? model : "cpu", json_integer_value(family),
			 json_integer_value(number));
	else
		snprintf(name, size, "%s", *model ? model : "cpu");
}
