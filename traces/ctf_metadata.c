// SPDX-License-Identifier: MIT
#include "traces/ctf_metadata.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/wide.h"
#include "schemes/format/format_ctf.h"
#include "traces/ctf_layout.h"

/* ---- the clock ---- */

struct clock_text {
	uint64_t hz;
	bool dated; /* and the rest says something */
	int64_t offset_s;
	uint64_t offset; /* ticks, less than a second */
	uint64_t precision; /* ticks */
};

/*
 * A reader's time is offset_s + (offset + cycles) / freq: exact at the pair, whatever the rate was
 * rounded to, as the offset is counted with the rate that is declared.
 */
static void date_clock(const struct ctf_description *d, struct clock_text *clock)
{
	uint64_t real = d->pair.ns[WALL_REALTIME], cycles = d->pair.ticks >> d->cut_bits;

	clock->dated = true;
	clock->offset_s = (int64_t)(real / WALL_NS_PER_SECOND) - (int64_t)(cycles / clock->hz);
	clock->offset = wide_scale(real % WALL_NS_PER_SECOND, clock->hz, WALL_NS_PER_SECOND);
	if (clock->offset < cycles % clock->hz) {
		clock->offset += clock->hz;
		clock->offset_s--;
	}
	clock->offset -= cycles % clock->hz;
	clock->precision = wide_scale(d->pair.error_ns, clock->hz, WALL_NS_PER_SECOND) + 1;
}

static struct clock_text clock_of(const struct ctf_description *d)
{
	struct clock_text clock = { .hz = d->hz ? d->hz : WALL_NS_PER_SECOND };

	/* To the nearest: the rate of a counter without its low bits. */
	clock.hz = d->cut_bits ? ((clock.hz >> (d->cut_bits - 1)) + 1) >> 1 : clock.hz;
	if (d->hz && clock.hz)
		date_clock(d, &clock);
	return clock;
}

/* ---- kinds of events ---- */

typedef int put_event_fn(FILE *text, const char *name, uint32_t id, json_t *payload);

/* Who records it makes an event's kind: the task, the beat, three levels of nested writers. */
static int put_events(FILE *text, const struct ctf_description *d, put_event_fn *put)
{
	static const char *const kinds[EVENT_KINDS] = { "event", "beat", "nested_1", "nested_2",
							"nested_3" };
	static const struct {
		uint32_t first;
		const char *suffix;
	} forms[] = { { EVENT_FIXED, "" },
		      { EVENT_FIXED_HIGH, "_high" },
		      { EVENT_SIZED, "_sized" } };
	json_t *payload;
	uint32_t kind;
	char name[32];
	unsigned int i;
	int error;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		for (kind = 0; kind < EVENT_KINDS; kind++) {
			snprintf(name, sizeof(name), "%s%s", kinds[kind], forms[i].suffix);
			payload = ctf_layout_payload(d, forms[i].first + kind);
			if (!payload)
				return -ENOMEM;
			error = put(text, name, forms[i].first + kind, payload);
			json_decref(payload);
			if (error)
				return error;
		}
	return d->format.kind == FORMAT_CTF_WORD && d->format.stamp_event ?
		       put(text, "stamp", CTF_ID_STAMP, NULL) :
		       0;
}

/* ---- CTF 1.8: the text of a class ---- */

static void put_class(FILE *text, const json_t *class);

static bool is_clock(const json_t *class)
{
	const char *role = json_string_value(json_array_get(json_object_get(class, "roles"), 0));

	return role && strstr(role, "default-clock-timestamp");
}

static void put_integer(FILE *text, const json_t *class)
{
	const json_t *labels = json_object_get(class, "mappings"), *range;
	const char *name, *comma = " ";

	fprintf(text, "%sinteger { size = %.0f; align = %.0f;%s }", labels ? "enum : " : "",
		json_number(class, "length"), json_number(class, "alignment"),
		is_clock(class) ? " map = clock.ticks.value;" : "");
	if (!labels)
		return;
	fputs(" {", text);
	json_object_foreach((json_t *)(uintptr_t)labels, name, range) {
		range = json_array_get(range, 0);
		fprintf(text, "%s%s = %" JSON_INTEGER_FORMAT, comma, name,
			json_integer_value(json_array_get(range, 0)));
		if (!json_equal(json_array_get(range, 0), json_array_get(range, 1)))
			fprintf(text, " ... %" JSON_INTEGER_FORMAT,
				json_integer_value(json_array_get(range, 1)));
		comma = ", ";
	}
	fputs(" }", text);
}

/* What is behind the name of a field: the length of an array. */
static void put_length(FILE *text, const json_t *class)
{
	const json_t *path =
		json_object_get(json_object_get(class, "length-field-location"), "path");

	if (path)
		fprintf(text, "[%s]", json_string_value(json_array_get(path, 0)));
	else if (json_object_get(class, "element-field-class"))
		fprintf(text, "[%.0f]", json_number(class, "length"));
}

static void put_fields(FILE *text, const json_t *fields)
{
	const json_t *field, *class;
	size_t i;

	fputs(" {\n", text);
	json_array_foreach(fields, i, field) {
		class = json_object_get(field, "field-class");
		if (!strcmp(json_text(class, "type"), "optional"))
			continue;
		put_class(text, class);
		fprintf(text, " %s", json_text(field, "name"));
		put_length(text, class);
		fputs(";\n", text);
	}
	fputc('}', text);
}

static void put_class(FILE *text, const json_t *class)
{
	const char *type = json_text(class, "type");
	const json_t *path;

	if (!strcmp(type, "structure")) {
		fputs("struct", text);
		put_fields(text, json_object_get(class, "member-classes"));
		if (json_number(class, "minimum-alignment") > 1)
			fprintf(text, " align(%.0f)", json_number(class, "minimum-alignment"));
	} else if (!strcmp(type, "variant")) {
		path = json_object_get(json_object_get(class, "selector-field-location"), "path");
		fprintf(text, "variant <%s>",
			json_string_value(json_array_get(path, json_array_size(path) - 1)));
		put_fields(text, json_object_get(class, "options"));
	} else if (json_object_get(class, "element-field-class")) {
		put_class(text, json_object_get(class, "element-field-class"));
	} else {
		put_integer(text, class);
	}
}

/* `of := class;`. The class is released. */
static int put_statement(FILE *text, const char *of, json_t *class)
{
	if (!class)
		return -ENOMEM;
	fprintf(text, "%s := ", of);
	put_class(text, class);
	fputs(";\n", text);
	json_decref(class);
	return 0;
}

static int put_event_text(FILE *text, const char *name, uint32_t id, json_t *payload)
{
	fprintf(text,
		"\nevent {\n\tname = \"%s\";\n\tid = %" PRIu32 ";\n\tstream_id = 0;\n\tfields := ",
		name, id);
	if (payload)
		put_class(text, payload);
	else
		fputs("struct { }", text);
	fputs(";\n};\n", text);
	return 0;
}

static void put_clock_text(FILE *text, const struct clock_text *clock)
{
	fprintf(text, "\nclock {\n\tname = ticks;\n\tfreq = %" PRIu64 ";\n", clock->hz);
	if (clock->dated)
		fprintf(text,
			"\toffset_s = %" PRId64 ";\n\toffset = %" PRIu64 ";\n\tprecision = %" PRIu64
			";\n\tabsolute = true;\n",
			clock->offset_s, clock->offset, clock->precision);
	fputs("};\n", text);
}

static int write_text(FILE *text, const struct ctf_description *d)
{
	const struct clock_text clock = clock_of(d);
	int error;

	fputs("/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n\t", text);
	error = put_statement(text, "packet.header", ctf_layout_packet_header());
	fputs("};\n\nenv {\n\ttracer_name = \"stampede\";\n};\n", text);
	put_clock_text(text, &clock);
	fputs("\nstream {\n\tid = 0;\n\t", text);
	if (!error)
		error = put_statement(text, "packet.context", ctf_layout_packet_context(d));
	if (!error)
		error = put_statement(text, "event.header", ctf_layout_event_header(d));
	fputs("};\n", text);
	return error ? error : put_events(text, d, put_event_text);
}

/* ---- CTF 2: fragments of JSON ---- */

/* Releases the fragment. */
static int put_fragment(FILE *text, json_t *fragment)
{
	int error;

	fputc(0x1e, text);
	error = fragment ? json_dumpf(fragment, text, JSON_COMPACT) : -1;
	fputc('\n', text);
	json_decref(fragment);
	/* ferror() says so if it was the file's fault. */
	return error && !ferror(text) ? -ENOMEM : 0;
}

static int put_event_fragment(FILE *text, const char *name, uint32_t id, json_t *payload)
{
	return put_fragment(text,
			    json_pack("{s:s, s:s, s:I, s:O*}", "type", "event-record-class", "name",
				      name, "id", (json_int_t)id, "payload-field-class", payload));
}

static json_t *clock_fragment(const struct clock_text *clock)
{
	json_t *fragment = json_pack("{s:s, s:s, s:s, s:I}", "type", "clock-class", "id", "ticks",
				     "name", "ticks", "frequency", (json_int_t)clock->hz);

	if (!clock->dated)
		return fragment;
	json_object_set_new(fragment, "origin", json_string("unix-epoch"));
	json_object_set_new(fragment, "offset-from-origin",
			    json_pack("{s:I, s:I}", "seconds", (json_int_t)clock->offset_s,
				      "cycles", (json_int_t)clock->offset));
	json_object_set_new(fragment, "precision", json_integer((json_int_t)clock->precision));
	return fragment;
}

static int write_fragments(FILE *text, const struct ctf_description *d)
{
	const struct clock_text clock = clock_of(d);
	int error = put_fragment(text, json_pack("{s:s, s:i}", "type", "preamble", "version", 2));

	if (!error)
		error = put_fragment(text, json_pack("{s:s, s:{s:s}, s:o}", "type", "trace-class",
						     "environment", "tracer_name", "stampede",
						     "packet-header-field-class",
						     ctf_layout_packet_header()));
	if (!error)
		error = put_fragment(text, clock_fragment(&clock));
	if (!error)
		error = put_fragment(
			text,
			json_pack("{s:s, s:i, s:s, s:o, s:o}", "type", "data-stream-class", "id", 0,
				  "default-clock-class-id", "ticks", "packet-context-field-class",
				  ctf_layout_packet_context(d), "event-record-header-field-class",
				  ctf_layout_event_header(d)));
	return error ? error : put_events(text, d, put_event_fragment);
}

int ctf_metadata_write(FILE *text, const struct ctf_description *d)
{
	return d->ctf2 ? write_fragments(text, d) : write_text(text, d);
}
