// SPDX-License-Identifier: MIT
#include "traces/ctf_layout.h"

#include <string.h>

#include "schemes/format/format_ctf.h"

#define CLOCK_ROLE "default-clock-timestamp"
#define ID_ROLE "event-record-class-id"

/* Bits that records and payloads start at multiples of. */
static uint32_t record_align(const struct ctf_description *d)
{
	if (d->format.kind == FORMAT_CTF_PACKED || d->format.kind == FORMAT_CTF_SYNC)
		return 32; /* whole words */
	return d->align_bytes ? 8 * d->align_bytes : 8;
}

/* ---- classes ---- */

static json_t *structure(uint32_t align)
{
	return json_pack("{s:s, s:i, s:[]}", "type", "structure", "minimum-alignment", (int)align,
			 "member-classes");
}

static json_t *integer(uint32_t bits, uint32_t align, const char *role)
{
	json_t *class =
		json_pack("{s:s, s:i, s:s, s:i}", "type", "fixed-length-unsigned-integer", "length",
			  (int)bits, "byte-order", "little-endian", "alignment", (int)align);

	if (role)
		json_object_set_new(class, "roles", json_pack("[s]", role));
	return class;
}

/* Adds a member and returns its class. */
static json_t *put(json_t *to, const char *name, json_t *class)
{
	json_array_append_new(json_object_get(to, "member-classes"),
			      json_pack("{s:s, s:O}", "name", name, "field-class", class));
	json_decref(class);
	return class;
}

static json_t *ranges(uint64_t low, uint64_t high)
{
	return json_pack("[[I, I]]", (json_int_t)low, (json_int_t)high);
}

/* A variant that hangs on `selector`, `up` structures further out. */
static json_t *put_variant(json_t *to, const char *name, unsigned int up, const char *selector)
{
	json_t *path = json_array();

	while (up--)
		json_array_append_new(path, json_null());
	json_array_append_new(path, json_string(selector));
	return put(to, name,
		   json_pack("{s:s, s:{s:o}, s:[]}", "type", "variant", "selector-field-location",
			     "path", path, "options"));
}

/* The option that a variant has for these values, which the selector's class names, too. */
static json_t *put_option(json_t *variant, json_t *selector, const char *name, uint64_t low,
			  uint64_t high)
{
	json_t *class = structure(1), *names = json_object_get(selector, "mappings");

	if (!names) {
		names = json_object();
		json_object_set_new(selector, "mappings", names);
	}
	json_object_set_new(names, name, ranges(low, high));
	json_array_append_new(json_object_get(variant, "options"),
			      json_pack("{s:s, s:o, s:O}", "name", name, "selector-field-ranges",
					ranges(low, high), "field-class", class));
	json_decref(class);
	return class;
}

/* ---- pieces of an event's header: each lies wherever the field before it ends ---- */

/* Bits that have no role, with what makes them one that something hangs on. */
static void put_bits(json_t *to, uint32_t bits, const char *name)
{
	char end[32];

	if (!bits)
		return;
	snprintf(end, sizeof(end), "%s_end", name);
	put(to, name, integer(bits, 1, NULL));
	put(to, end,
	    json_pack("{s:s, s:{s:[s]}, s:o, s:o}", "type", "optional", "selector-field-location",
		      "path", name, "selector-field-ranges", ranges(0, bits_mask(bits)),
		      "field-class", structure(1)));
}

/* The short time in `room` bits. */
static void put_low(json_t *to, const struct ctf_description *d, uint32_t room)
{
	uint32_t bits = d->stamp_bits - d->cut_bits;

	put(to, "time", integer(bits, 1, CLOCK_ROLE));
	put_bits(to, room - bits, "unused");
}

/* A whole stamp: 64 bits, of which the cut ones are no part of the clock. */
static void put_stamp(json_t *to, const struct ctf_description *d)
{
	put_bits(to, d->cut_bits, "cut");
	put(to, "stamp", integer(64 - d->cut_bits, 1, CLOCK_ROLE));
}

static json_t *put_id(json_t *to, uint32_t bits)
{
	return put(to, "id", integer(bits, 1, ID_ROLE));
}

/*
 * babeltrace2 says once per trace that it makes nothing of this field ("User field found in event
 * header"): it knows an id and times there, and CTF 1.8 any field. It can be no field of an event's
 * context, which comes behind the whole header: the stamp comes behind the size.
 *
 * Everything behind the id has align = 1: a field of a larger alignment in the variant would give
 * that to the struct around it, which begins behind 5 bits.
 */
static json_t *put_size(json_t *to)
{
	return put(to, "size", integer(16, 1, NULL));
}

/* The size that did not fit into 16 bits. */
static void put_large(json_t *to, json_t *size)
{
	json_t *more = put_variant(to, "more", 0, "size");

	put_option(more, size, "small", 0, CTF_SIZE_LARGE - 1);
	put_bits(put_option(more, size, "large", CTF_SIZE_LARGE, CTF_SIZE_LARGE), 32, "size");
}

/* ---- the forms ---- */

static void word_header(json_t *to, const struct ctf_description *d)
{
	uint32_t bits = d->format.id_bits, rest = 32 - bits, top = (1u << bits) - 1;
	uint32_t escapes = d->format.stamp_event ? 4 : 3;
	json_t *id = put_id(to, bits), *v = put_variant(to, "v", 0, "id"), *form, *size;

	put_low(put_option(v, id, "compact", 0, top - escapes), d, rest);
	if (d->format.stamp_event) {
		form = put_option(v, id, "stamp", top - 3, top - 3);
		put_low(form, d, rest);
		put_stamp(form, d);
	}
	form = put_option(v, id, "full", top - 2, top - 2);
	put_low(form, d, rest);
	put_id(form, 16);
	size = put_size(form);
	put_stamp(form, d);
	put_large(form, size);
	form = put_option(v, id, "sized", top - 1, top - 1);
	put_low(form, d, rest);
	put_id(form, 16);
	put_large(form, put_size(form));
	form = put_option(v, id, "high", top, top);
	put_low(form, d, rest);
	put_id(form, 16);
}

static void put_optional_stamp(json_t *to, const struct ctf_description *d, json_t *full)
{
	json_t *s = put_variant(to, "s", 1, "full");

	put_option(s, full, "brief", 0, 0);
	put_stamp(put_option(s, full, "whole", 1, 1), d);
}

/* One bit says of any id that the whole stamp follows. */
static void flag_header(json_t *to, const struct ctf_description *d)
{
	uint32_t bits = d->format.id_bits, top = (1u << bits) - 1;
	json_t *full = put(to, "full", integer(1, 1, NULL)), *id = put_id(to, bits), *v, *form;
	json_t *size;

	put_low(to, d, 31 - bits);
	v = put_variant(to, "v", 0, "id");
	put_optional_stamp(put_option(v, id, "compact", 0, top - 2), d, full);
	form = put_option(v, id, "sized", top - 1, top - 1);
	put_id(form, 16);
	size = put_size(form);
	put_optional_stamp(form, d, full);
	put_large(form, size);
	form = put_option(v, id, "high", top, top);
	put_id(form, 16);
	put_optional_stamp(form, d, full);
}

static void large_header(json_t *to, const struct ctf_description *d)
{
	json_t *id, *v;

	put_low(to, d, 8u * d->format.stamp_bytes);
	id = put_id(to, 16);
	put_large(to, put_size(to));
	if (!d->format.escape)
		return;
	v = put_variant(to, "v", 0, "id");
	put_option(v, id, "plain", 0, 65534);
	to = put_option(v, id, "whole", 65535, 65535);
	put_id(to, 16);
	put_stamp(to, d);
}

static void packed_header(json_t *to, const struct ctf_description *d)
{
	json_t *id = put_id(to, 5), *v = put_variant(to, "v", 0, "id");

	put_low(put_option(v, id, "compact", 0, 30), d, 27);
	to = put_option(v, id, "escape", 31, 31);
	id = put_id(to, 27);
	put_stamp(to, d);
	if (d->no_sized)
		return;
	v = put_variant(to, "more", 0, "id");
	put_option(v, id, "plain", 0, EVENT_SIZED - 1);
	put_bits(put_option(v, id, "sized", EVENT_SIZED, bits_mask(27)), 32, "size");
}

/* Behind the id of a record: low bits, and the size that some ids have. */
static void sync_rest(json_t *v, json_t *id, const struct ctf_description *d)
{
	uint32_t bits = d->format.id_bits;
	json_t *form;

	put_low(put_option(v, id, "plain", 0, EVENT_SIZED - 1), d, 32 - bits);
	if (d->no_sized)
		return;
	form = put_option(v, id, "sized", EVENT_SIZED, bits_mask(bits) - 1);
	put_low(form, d, 32 - bits);
	put_bits(form, 32, "size");
}

/* The highest id is no event: the whole stamp, and then an event's own header. */
static void sync_header(json_t *to, const struct ctf_description *d)
{
	uint32_t bits = d->format.id_bits;
	json_t *id = put_id(to, bits), *v = put_variant(to, "v", 0, "id");

	sync_rest(v, id, d);
	to = put_option(v, id, "sync", bits_mask(bits), bits_mask(bits));
	put_bits(to, 32 - bits, "unused");
	put_stamp(to, d);
	id = put_id(to, bits);
	sync_rest(put_variant(to, "v", 0, "id"), id, d);
}

/* As many low bits of the clock as the field has bytes: 7 each. */
static void varint_header(json_t *to)
{
	json_t *id = put_id(to, 8), *v, *form;

	put(to, "time",
	    json_pack("{s:s, s:[s]}", "type", "variable-length-unsigned-integer", "roles",
		      CLOCK_ROLE));
	v = put_variant(to, "v", 0, "id");
	put_option(v, id, "compact", 0, 253);
	put_id(put_option(v, id, "high", 254, 254), 16);
	form = put_option(v, id, "sized", 255, 255);
	put_id(form, 16);
	put_large(form, put_size(form));
}

json_t *ctf_layout_event_header(const struct ctf_description *d)
{
	json_t *header = structure(record_align(d));

	if (d->format.kind == FORMAT_VARINT)
		varint_header(header);
	else if (d->format.kind == FORMAT_CTF_PACKED)
		packed_header(header, d);
	else if (d->format.kind == FORMAT_CTF_SYNC)
		sync_header(header, d);
	else if (d->format.kind == FORMAT_CTF_LARGE)
		large_header(header, d);
	else if (d->format.flag)
		flag_header(header, d);
	else
		word_header(header, d);
	return header;
}

/* ---- packets and payloads ---- */

json_t *ctf_layout_packet_header(void)
{
	json_t *header = structure(1);

	put(header, "magic", integer(32, 8, "packet-magic-number"));
	put(header, "stream_id", integer(32, 8, "data-stream-class-id"));
	return header;
}

json_t *ctf_layout_packet_context(const struct ctf_description *d)
{
	json_t *context = structure(1);
	uint32_t cut = d->cut_bits;

	/* Here any field may stand. A structure has each name once. */
	if (cut)
		put(context, "cut", integer(cut, 1, NULL));
	put(context, "timestamp_begin", integer(64 - cut, 1, CLOCK_ROLE));
	if (cut)
		put(context, "cut_of_end", integer(cut, 1, NULL));
	put(context, "timestamp_end", integer(64 - cut, 1, "packet-end-" CLOCK_ROLE));
	put(context, "content_size", integer(64, 8, "packet-content-length"));
	put(context, "packet_size", integer(64, 8, "packet-total-length"));
	put(context, "packet_seq_num", integer(64, 8, "packet-sequence-number"));
	put(context, "events_discarded", integer(64, 8, "discarded-event-record-counter-snapshot"));
	put(context, "cpu_id", integer(32, 8, NULL));
	put(context, "reserved", integer(32, 8, NULL));
	return context;
}

static void put_check(json_t *to, const struct ctf_description *d, uint32_t id)
{
	json_t *byte = integer(8, 8, NULL);

	put(to, "entry", integer(64, 8, NULL));
	put(to, "exit", integer(64, 8, NULL));
	put(to, "sequence", integer(30, 1, NULL));
	put(to, "recorded_id", integer(10, 1, NULL));
	put(to, "extra", integer(19, 1, NULL));
	put(to, "inexact", integer(1, 1, NULL));
	put(to, "context", integer(4, 1, NULL));
	if (event_is_sized(id))
		put(to, "filler",
		    json_pack("{s:s, s:O, s:{s:[s]}}", "type", "dynamic-length-array",
			      "element-field-class", byte, "length-field-location", "path",
			      "extra"));
	else if (d->filler_bytes)
		put(to, "filler",
		    json_pack("{s:s, s:O, s:i}", "type", "static-length-array",
			      "element-field-class", byte, "length", (int)d->filler_bytes));
	json_decref(byte);
}

json_t *ctf_layout_payload(const struct ctf_description *d, uint32_t id)
{
	uint32_t align = record_align(d);
	json_t *payload = structure(align);

	put(payload, "stamp", integer(64, 8, NULL));
	if (!d->timed)
		put_check(payload, d, id);
	/* A last field of no bits: the padding behind the payload belongs to the event. */
	if (align > 8)
		put(payload, "tail", structure(align));
	return payload;
}
