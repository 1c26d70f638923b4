// SPDX-License-Identifier: MIT
#include "traces/ctf_metadata.h"

#include <inttypes.h>

#include "base/wide.h"
#include "schemes/format/format_ctf.h"

/* Bits that records and payloads start at multiples of. */
static uint32_t record_align(const struct ctf_description *d)
{
	if (d->format.kind == FORMAT_CTF_PACKED || d->format.kind == FORMAT_CTF_SYNC)
		return 32; /* whole words */
	return d->align_bytes ? 8 * d->align_bytes : 8;
}

/* ---- pieces of a header ---- */

/* An unsigned integer of `bits` bits that lies wherever the field before it ends. */
static void put_bits(FILE *text, uint32_t bits, const char *name)
{
	if (bits)
		fprintf(text, "\t\t\tinteger { size = %" PRIu32 "; align = 1; } %s;\n", bits, name);
}

static void put_clock(FILE *text, uint32_t bits, const char *name)
{
	fprintf(text,
		"\t\t\tinteger { size = %" PRIu32 "; align = 1; map = clock.ticks.value; } %s;\n",
		bits, name);
}

/* The short time in `room` bits. */
static void put_low(FILE *text, const struct ctf_description *d, uint32_t room)
{
	uint32_t bits = d->stamp_bits - d->cut_bits;

	put_clock(text, bits, "time");
	put_bits(text, room - bits, "unused");
}

/* A whole stamp: 64 bits, of which the cut ones are no part of the clock. */
static void put_stamp(FILE *text, const struct ctf_description *d, const char *name)
{
	put_bits(text, d->cut_bits, "cut");
	put_clock(text, 64 - d->cut_bits, name);
}

/*
 * babeltrace2 says once per trace that it makes nothing of this field ("User field found in event
 * header"): it knows an id and times there, and CTF 1.8 any field. It can be no field of an event's
 * context, which comes behind the whole header: the stamp comes behind the size.
 *
 * Everything behind the id has align = 1: a field of a larger alignment in the variant would give
 * that to the struct around it, which begins behind 5 bits.
 */
static void put_size(FILE *text)
{
	fputs("\t\t\tenum : u16_t { small = 0 ... 65534, large = 65535 } size;\n", text);
}

/* The size that did not fit into 16 bits. */
static void put_large(FILE *text)
{
	fputs("\t\t\tvariant <size> { struct { } small; struct { u32_t size; } large; } more;\n",
	      text);
}

/* ---- the forms ---- */

static void word_header(FILE *text, const struct ctf_description *d)
{
	uint32_t bits = d->format.id_bits, rest = 32 - bits, top = (1u << bits) - 1;

	fprintf(text,
		"\t\tenum : integer { size = %" PRIu32 "; align = 1; } { compact = 0 ... %" PRIu32
		", ",
		bits, d->format.stamp_event ? top - 4 : top - 3);
	if (d->format.stamp_event)
		fprintf(text, "stamp = %" PRIu32 ", ", top - 3);
	fprintf(text, "full = %" PRIu32 ", sized = %" PRIu32 ", high = %" PRIu32 " } id;\n",
		top - 2, top - 1, top);
	fputs("\t\tvariant <id> {\n\t\tstruct {\n", text);
	put_low(text, d, rest);
	fputs("\t\t} compact;\n", text);
	if (d->format.stamp_event) {
		fputs("\t\tstruct {\n", text);
		put_low(text, d, rest);
		put_stamp(text, d, "stamp");
		fputs("\t\t} stamp;\n", text);
	}
	fputs("\t\tstruct {\n", text);
	put_low(text, d, rest);
	fputs("\t\t\tu16_t id;\n", text);
	put_size(text);
	put_stamp(text, d, "stamp");
	put_large(text);
	fputs("\t\t} full;\n\t\tstruct {\n", text);
	put_low(text, d, rest);
	fputs("\t\t\tu16_t id;\n", text);
	put_size(text);
	put_large(text);
	fputs("\t\t} sized;\n\t\tstruct {\n", text);
	put_low(text, d, rest);
	fputs("\t\t\tu16_t id;\n\t\t} high;\n\t\t} v;\n", text);
}

static void put_optional_stamp(FILE *text, const struct ctf_description *d)
{
	fputs("\t\t\tvariant <full> { struct { } brief; struct {\n", text);
	put_stamp(text, d, "stamp");
	fputs("\t\t\t} whole; } s;\n", text);
}

/* One bit says of any id that the whole stamp follows. */
static void flag_header(FILE *text, const struct ctf_description *d)
{
	uint32_t bits = d->format.id_bits, top = (1u << bits) - 1;

	fputs("\t\tenum : integer { size = 1; align = 1; } { brief = 0, whole = 1 } full;\n", text);
	fprintf(text,
		"\t\tenum : integer { size = %" PRIu32 "; align = 1; } { compact = 0 ... %" PRIu32
		", sized = %" PRIu32 ", high = %" PRIu32 " } id;\n",
		bits, top - 2, top - 1, top);
	put_low(text, d, 31 - bits);
	fputs("\t\tvariant <id> {\n\t\tstruct {\n", text);
	put_optional_stamp(text, d);
	fputs("\t\t} compact;\n\t\tstruct {\n\t\t\tu16_t id;\n", text);
	put_size(text);
	put_optional_stamp(text, d);
	put_large(text);
	fputs("\t\t} sized;\n\t\tstruct {\n\t\t\tu16_t id;\n", text);
	put_optional_stamp(text, d);
	fputs("\t\t} high;\n\t\t} v;\n", text);
}

static void large_header(FILE *text, const struct ctf_description *d)
{
	put_low(text, d, 8u * d->format.stamp_bytes);
	if (d->format.escape)
		fputs("\t\t\tenum : u16_t { plain = 0 ... 65534, whole = 65535 } id;\n", text);
	else
		fputs("\t\t\tu16_t id;\n", text);
	put_size(text);
	put_large(text);
	if (!d->format.escape)
		return;
	fputs("\t\tvariant <id> { struct { } plain; struct {\n\t\t\tu16_t id;\n", text);
	put_stamp(text, d, "stamp");
	fputs("\t\t} whole; } v;\n", text);
}

static void packed_header(FILE *text, const struct ctf_description *d)
{
	fputs("\t\tenum : integer { size = 5; align = 1; } "
	      "{ compact = 0 ... 30, escape = 31 } id;\n"
	      "\t\tvariant <id> {\n\t\tstruct {\n",
	      text);
	put_low(text, d, 27);
	fprintf(text,
		"\t\t} compact;\n\t\tstruct {\n\t\t\tenum : integer { size = 27; align = 1; } "
		"{ plain = 0 ... %d, sized = %d ... 134217727 } id;\n",
		EVENT_SIZED - 1, EVENT_SIZED);
	put_stamp(text, d, "stamp");
	fputs("\t\t\tvariant <id> { struct { } plain; struct { u32_t size; } sized; } more;\n"
	      "\t\t} escape;\n\t\t} v;\n",
	      text);
}

/* Behind the id of a record: low bits, and the size that some ids have. */
static void sync_rest(FILE *text, const struct ctf_description *d)
{
	fputs("\t\tstruct {\n", text);
	put_low(text, d, 32u - d->format.id_bits);
	fputs("\t\t} plain;\n\t\tstruct {\n", text);
	put_low(text, d, 32u - d->format.id_bits);
	fputs("\t\t\tu32_t size;\n\t\t} sized;\n", text);
}

/* The highest id is no event: the whole stamp, and then an event's own header. */
static void sync_header(FILE *text, const struct ctf_description *d)
{
	uint32_t bits = d->format.id_bits, top = (1u << bits) - 1;
	char ids[100];

	snprintf(ids, sizeof(ids),
		 "enum : integer { size = %" PRIu32 "; align = 1; } "
		 "{ plain = 0 ... %d, sized = %d ... %" PRIu32,
		 bits, EVENT_SIZED - 1, EVENT_SIZED, top - 1);
	fprintf(text, "\t\t%s, sync = %" PRIu32 " } id;\n\t\tvariant <id> {\n", ids, top);
	sync_rest(text, d);
	fputs("\t\tstruct {\n", text);
	put_bits(text, 32 - bits, "unused");
	put_stamp(text, d, "stamp");
	fprintf(text, "\t\t\t%s } id;\n\t\tvariant <id> {\n", ids);
	sync_rest(text, d);
	fputs("\t\t} v;\n\t\t} sync;\n\t\t} v;\n", text);
}

static void event_header(FILE *text, const struct ctf_description *d)
{
	fputs("\tevent.header := struct {\n", text);
	if (d->format.kind == FORMAT_CTF_PACKED)
		packed_header(text, d);
	else if (d->format.kind == FORMAT_CTF_SYNC)
		sync_header(text, d);
	else if (d->format.kind == FORMAT_CTF_LARGE)
		large_header(text, d);
	else if (d->format.flag)
		flag_header(text, d);
	else
		word_header(text, d);
	fprintf(text, "\t} align(%" PRIu32 ");\n", record_align(d));
}

/* ---- events ---- */

static void put_event(FILE *text, const struct ctf_description *d, uint32_t id, const char *name)
{
	uint32_t align = record_align(d);

	fprintf(text,
		"\nevent {\n\tname = \"%s\";\n\tid = %" PRIu32
		";\n\tstream_id = 0;\n\tfields := struct {\n\t\tuint64_t stamp;\n",
		name, id);
	if (!d->timed) {
		fputs("\t\tuint64_t entry;\n\t\tuint64_t exit;\n"
		      "\t\tinteger { size = 30; align = 1; } sequence;\n"
		      "\t\tinteger { size = 10; align = 1; } recorded_id;\n"
		      "\t\tinteger { size = 19; align = 1; } extra;\n"
		      "\t\tinteger { size = 1; align = 1; } inexact;\n"
		      "\t\tinteger { size = 4; align = 1; } context;\n",
		      text);
		if (event_is_sized(id))
			fputs("\t\tuint8_t filler[extra];\n", text);
		else if (d->filler_bytes)
			fprintf(text, "\t\tuint8_t filler[%" PRIu32 "];\n", d->filler_bytes);
	}
	/* A last field of no bits: the padding behind the payload belongs to the event. */
	if (align > 8)
		fprintf(text, "\t\tstruct { } align(%" PRIu32 ") tail;\n", align);
	fprintf(text, "\t} align(%" PRIu32 ");\n};\n", align);
}

static void put_stream(FILE *text, const struct ctf_description *d)
{
	fputs("\nstream {\n\tid = 0;\n\tpacket.context := struct {\n", text);
	put_stamp(text, d, "timestamp_begin");
	/* A struct has each name once. */
	put_bits(text, d->cut_bits, "cut_of_end");
	put_clock(text, 64 - d->cut_bits, "timestamp_end");
	fputs("\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n"
	      "\t\tuint64_t packet_seq_num;\n\t\tuint64_t events_discarded;\n"
	      "\t\tuint32_t cpu_id;\n\t\tuint32_t reserved;\n\t};\n",
	      text);
	event_header(text, d);
	fputs("};\n", text);
}

/* Who records it makes an event's kind: the task, the beat, three levels of nested writers. */
static void put_kinds(FILE *text, const struct ctf_description *d, uint32_t first,
		      const char *suffix)
{
	static const char *const kinds[EVENT_KINDS] = { "event", "beat", "nested_1", "nested_2",
							"nested_3" };
	char name[32];
	uint32_t kind;

	for (kind = 0; kind < EVENT_KINDS; kind++) {
		snprintf(name, sizeof(name), "%s%s", kinds[kind], suffix);
		put_event(text, d, first + kind, name);
	}
}

/*
 * A reader's time is offset_s + (offset + cycles) / freq: exact at the pair, whatever the rate was
 * rounded to, as the offset is counted with the rate that is declared.
 */
static void put_date(FILE *text, const struct ctf_description *d, uint64_t hz)
{
	uint64_t real = d->pair.ns[WALL_REALTIME], cycles = d->pair.ticks >> d->cut_bits;
	int64_t seconds = (int64_t)(real / WALL_NS_PER_SECOND) - (int64_t)(cycles / hz);
	uint64_t offset = wide_scale(real % WALL_NS_PER_SECOND, hz, WALL_NS_PER_SECOND);

	if (offset < cycles % hz) {
		offset += hz;
		seconds--;
	}
	offset -= cycles % hz;
	fprintf(text,
		"\toffset_s = %" PRId64 ";\n\toffset = %" PRIu64 ";\n\tprecision = %" PRIu64
		";\n\tabsolute = true;\n",
		seconds, offset, wide_scale(d->pair.error_ns, hz, WALL_NS_PER_SECOND) + 1);
}

static void put_clock_class(FILE *text, const struct ctf_description *d)
{
	uint64_t hz = d->hz ? d->hz : WALL_NS_PER_SECOND;

	/* To the nearest: the rate of a counter without its low bits. */
	hz = d->cut_bits ? ((hz >> (d->cut_bits - 1)) + 1) >> 1 : hz;
	fprintf(text, "\nclock {\n\tname = ticks;\n\tfreq = %" PRIu64 ";\n", hz);
	if (d->hz && hz)
		put_date(text, d, hz);
	fputs("};\n", text);
}

void ctf_metadata_write(FILE *text, const struct ctf_description *d)
{
	static const unsigned int bits[] = { 8, 16, 32, 64 };
	static const struct {
		uint32_t first;
		const char *suffix;
	} forms[] = { { EVENT_FIXED, "" },
		      { EVENT_FIXED_HIGH, "_high" },
		      { EVENT_SIZED, "_sized" } };
	unsigned int i;

	fputs("/* CTF 1.8 */\n\n", text);
	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		fprintf(text,
			"typealias integer { size = %u; align = 8; } := uint%u_t;\n"
			"typealias integer { size = %u; align = 1; } := u%u_t;\n",
			bits[i], bits[i], bits[i], bits[i]);
	fputs("\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
	      "\tpacket.header := struct {\n\t\tuint32_t magic;\n\t\tuint32_t stream_id;\n\t};\n"
	      "};\n\nenv {\n\ttracer_name = \"stampede\";\n};\n",
	      text);
	put_clock_class(text, d);
	put_stream(text, d);
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		put_kinds(text, d, forms[i].first, forms[i].suffix);
	if (d->format.kind == FORMAT_CTF_WORD && d->format.stamp_event)
		fprintf(text,
			"\nevent {\n\tname = \"stamp\";\n\tid = %d;\n\tstream_id = 0;\n"
			"\tfields := struct { };\n};\n",
			CTF_ID_STAMP);
}
