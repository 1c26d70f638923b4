// SPDX-License-Identifier: MIT
/*
 * CTF 2 written by hand (tests/data/ctf2), with every field class in it: what is read of it, field
 * by field, and what becomes of it when a word of its metadata is another. The worked examples of
 * LEB128 are those of everybody; the clock's are counted by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schemes/core/bytes.h"
#include "traces/ctf_read.h"

/* ---- a packet ---- */

static uint8_t packet[512];
static size_t packet_size;

static void add(const void *bytes, size_t size)
{
	memcpy(packet + packet_size, bytes, size);
	packet_size += size;
}

#define ADD(text) add(text, sizeof(text) - 1)

#define CONTEXT_AT 21 /* bytes of header before it */

/* A structure begins at multiples of the largest alignment in it: 16 bytes. */
static void align_packet(void)
{
	while (packet_size % 16)
		ADD("~");
}

static void add_payload(void)
{
	ADD("\x01"); /* which */
	align_packet();
	ADD("\x02\x34\x12"); /* yes, maybe */
	ADD("\x00"); /* no */
	ADD("\xfe\xfb\xff"); /* sel -2, small -5 */
	ADD("\x03"); /* n */
	ADD("aabbcc"
	    "txt"
	    "st\0t"
	    "ab\0"
	    "a\0b\0\0\0");
	ADD("\x01!\x02!!"); /* twice: k */
	ADD("\x01\x02\x03\x04"); /* big */
	ADD("\x8d"); /* bits 5, map 17 */
	ADD("123456789"
	    "real");
	ADD("\xe5\x8e\x26"); /* 624485 */
	ADD("\xc0\xbb\x78"); /* -123456 */
	ADD("\x02\x00!!"); /* glass, blob */
	ADD("\x09yyy"); /* x, y */
	align_packet();
	ADD("\x4d"); /* z */
}

static void make_packet(void)
{
	packet_size = 0;
	ADD("\xc1\x1f\xfc\xc1\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x03");
	ADD("\xf0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\x80" /* 0x1f0 to 2^63 */
	    "\0\0\0\0\0\0\0\0\x07\x02\x01");
	/* Low 7 bits go on from 0x1f0: the next that end in 0x05. */
	ADD("\x06\x05");
	/* 14 bits of the same time, then of one tick before: a turn later. */
	ADD("\x06\x85\x04\x06\x84\x04");
	ADD("\x05\x86\x04");
	add_payload();
	/* All 64. */
	ADD("\x06\x80\x80\x80\x80\x80\x80\x80\x80\xc0\x00");
	put_u32(packet + CONTEXT_AT + 16, (uint32_t)packet_size * 8);
	ADD("\0\0\0\0"); /* padding */
	put_u32(packet + CONTEXT_AT + 20, (uint32_t)packet_size * 8);
}

/* ---- what is read of it ---- */

struct lines {
	char text[2000];
	size_t length;
};

static void line(struct lines *lines, const char *name, int64_t value)
{
	lines->length +=
		(size_t)snprintf(lines->text + lines->length, sizeof(lines->text) - lines->length,
				 "%s=%" PRId64 " ", name, value);
}

static void show(void *arg, const struct ctf_field *field, uint64_t value)
{
	line(arg, field->name, (int64_t)value);
}

/* The metadata with `to` in place of the first `from`. */
static char *metadata_of(const char *from, const char *to)
{
	struct trace_file file;
	size_t room, before;
	char *text, *at;

	assert_int_equal(trace_file_open(&file, "tests/data/ctf2/metadata"), 0);
	room = file.size + 400;
	text = calloc(1, room);
	assert_non_null(text);
	memcpy(text, file.bytes, file.size);
	at = from ? strstr(text, from) : NULL;
	if (from && !at)
		fail_msg("the metadata has no '%s'", from);
	if (at) {
		before = (size_t)(at - text);
		snprintf(at, room - before, "%s%.*s", to, (int)(file.size - before - strlen(from)),
			 (const char *)file.bytes + before + strlen(from));
	}
	trace_file_close(&file);
	return text;
}

/* All that is read, and what ends it. */
static void read_all(const char *text, size_t size, struct lines *lines)
{
	struct trace_event batch[TRACE_BATCH];
	struct trace_fault fault = { .set = false };
	struct ctf_metadata metadata;
	struct ctf_reader reader = { .slots = NULL };
	uint32_t count, i;

	*lines = (struct lines){ .length = 0 };
	make_packet();
	if (tsdl_parse((const uint8_t *)text, size, &metadata, &fault)) {
		assert_true(ctf_reader_open(&reader, &metadata, packet, packet_size));
		if (ctf_packet_open(&reader, 0)) {
			line(lines, "cpu", (int64_t)reader.packet.cpu);
			line(lines, "sequence", (int64_t)reader.packet.sequence);
			line(lines, "discarded", (int64_t)reader.packet.discarded);
			while ((count = ctf_batch(&reader, batch)))
				for (i = 0; i < count; i++) {
					line(lines, "id", batch[i].id);
					line(lines, "at", (int64_t)batch[i].time);
					ctf_event_fields(&reader, &batch[i], show, lines);
				}
		}
		fault = reader.fault;
		ctf_reader_close(&reader);
	}
	if (fault.set)
		snprintf(lines->text + lines->length, sizeof(lines->text) - lines->length, "%s",
			 fault.text);
	tsdl_free(&metadata);
}

static const char expected[] =
	"cpu=1 sequence=7 discarded=2 id=6 at=517 id=6 at=517 id=6 at=16900 "
	"id=5 at=16902 which=1 yes=2 maybe=4660 no=0 sel=-2 small=-5 n=3 k=1 k=2 big=16909060 "
	"bits=5 map=17 leb=624485 sleb=-123456 glass=2 x=9 z=77 id=6 at=4611686018427387904 ";

/* The same bytes as a file, beside the metadata: a whole trace for other readers. */
static void the_stream_is_kept(void **state)
{
	struct trace_file file;

	(void)state;
	make_packet();
	assert_int_equal(trace_file_open(&file, "tests/data/ctf2/stream"), 0);
	assert_int_equal(file.size, packet_size);
	assert_memory_equal(file.bytes, packet, packet_size);
	trace_file_close(&file);
}

static void everything_is_read(void **state)
{
	char *text = metadata_of(NULL, NULL);
	struct lines lines;

	(void)state;
	read_all(text, strlen(text), &lines);
	assert_string_equal(lines.text, expected);
	free(text);
}

/* Packets around the same text: 37 bytes of header each, in the middle of a fragment. */
static void metadata_packets(void **state)
{
	char *text = metadata_of(NULL, NULL), *packed;
	size_t size = strlen(text), at, part, used = 0;
	struct lines lines;

	(void)state;
	packed = calloc(1, 3 * size);
	assert_non_null(packed);
	for (at = 0; at < size; at += part) {
		part = size - at < 300 ? size - at : 300;
		put_u32((uint8_t *)packed + used, 0x75d11d57);
		put_u32((uint8_t *)packed + used + 24, (uint32_t)(37 + part) * 8);
		put_u32((uint8_t *)packed + used + 28, (uint32_t)(40 + part) * 8);
		packed[used + 35] = 2;
		memcpy(packed + used + 37, text + at, part);
		used += 40 + part;
	}
	read_all(packed, used, &lines);
	assert_string_equal(lines.text, expected);
	free(packed);
	free(text);
}

static const struct {
	const char *from, *to, *line;
} refused[] = {
	{ "\"version\":2", "\"version\":3", "fragment 1 (preamble): version: not 2" },
	{ "\"version\":2", "\"version\":2,\"extensions\":{\"a\":{\"b\":1}}",
	  "fragment 1 (preamble): extensions" },
	{ "\"type\":\"preamble\"", "\"type\":\"clock-class\"", "no preamble" },
	{ "\"uuid\":[1,", "\"uuid\":[", "fragment 1 (preamble): uuid" },
	{ "\"frequency\":1000", "\"frequency\":0", "fragment 4 (clock-class): frequency" },
	{ "\"frequency\":1000", "\"freq\":1000", "fragment 4 (clock-class): freq: not known" },
	{ "\"cycles\":5", "\"cycles\":1000", "fragment 4 (clock-class): cycles" },
	{ "class-id\":\"c\"", "class-id\":\"d\"", "default-clock-class-id: no clock" },
	{ "\"default-clock-class-id\":\"c\",", "", "a time without a default clock" },
	{ "\"data-stream-class-id\":3", "\"data-stream-class-id\":4",
	  "fragment 6 (event-record-class): data-stream-class-id" },
	{ "\"id\":6,", "\"id\":5,", "two events with one id" },
	{ "\"byte\",\"field", "\"bite\",\"field", "of no alias before it" },
	{ "\"packet-magic-number\"", "\"packet-magic\"",
	  "packet-header-field-class.m: roles: one that is not known" },
	{ "\"packet-magic-number\"", "\"event-record-class-id\"", "roles: one that is not" },
	{ "\"event-record-class-id\"", "\"packet-content-length\"", "roles: one that is not" },
	{ "fixed-length-boolean", "fixed-length-bool",
	  "payload-field-class.yes: type: no field class" },
	{ "little-endian", "middle-endian", "byte-order: missing, or none" },
	{ "\"length\":8,\"byte-order\":\"little-endian\"}}", "\"length\":8}}",
	  "byte-order: missing" },
	{ "\"length\":8,", "\"length\":0,", "length: no number" },
	{ "\"length\":8,", "\"length\":65,", "length: no number" },
	{ "\"length\":8,", "\"length\":8,\"bit-order\":\"last-to-first\",", "bit-order" },
	{ "\"length\":8,", "\"length\":8,\"alignment\":12,", "alignment: no power" },
	{ "\"length\":3,\"byte-order\":\"little", "\"length\":3,\"byte-order\":\"big",
	  "big-endian bit fields" },
	{ "[-9,-8],[-3,-2]", "[-9,-8],[-3,0]", "of two options at once" },
	{ "[-9,-8],[-3,-2]", "[-8,-9]", "selector-field-ranges: no range" },
	{ "[[-9,-8],[-3,-2]]", "[]", "selector-field-ranges: none" },
	{ "[[0,0]]", "[[-1,0]]", "selector-field-ranges: no range" },
	{ "{\"path\":[\"yes\"]}", "{\"path\":[\"oui\"]}",
	  "maybe: selector-field-location: no integer field" },
	{ "{\"path\":[\"yes\"]}", "{\"path\":[null,\"yes\"]}", "no integer field" },
	{ "{\"path\":[\"yes\"]}", "{\"path\":[\"maybe\"]}", "no integer field" },
	{ "{\"path\":[\"yes\"]}", "{\"path\":[]}", "no location with a path" },
	{ "{\"path\":[\"n\"]}", "{\"path\":[\"sel\"]}", "no unsigned integer" },
	{ "\"event-record-payload\"", "\"event-payload\"", "no integer field" },
	{ "utf-16le", "utf-7", "utf16: encoding: not known" },
	{ "\"minimum-alignment\":128", "\"minimum-alignment\":0", "minimum-alignment" },
	{ "\"maybe\"", "\"yes\"", "a second member of this name" },
	{ ",\"flags\":", ",\"flag\":", "map: flag: not known here" },
	{ "{\"type\":\"structure\",\"minimum-alignment\":128", "[\"structure\"", "no whole JSON" },
};

/* ---- what is refused, by one line that names fragment and property ---- */

static void refusals(void **state)
{
	struct lines lines;
	unsigned int i;
	char *text;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		text = metadata_of(refused[i].from, refused[i].to);
		read_all(text, strlen(text), &lines);
		if (!strstr(lines.text, refused[i].line) ||
		    strncmp(lines.text, "metadata: ", 10) != 0)
			fail_msg("'%s' in place of '%s': '%s'", refused[i].to, refused[i].from,
				 lines.text);
		free(text);
	}
}

static const struct {
	const char *from, *to, *line;
} planted[] = {
	{ "\"packet-content-length\"", "\"packet-sequence-number\"", "event with id 0" },
	{ "\"packet-total-length\"", "\"packet-content-length\"", "event with id 0" },
	{ "\"packet-end-default-clock-timestamp\"", "\"default-clock-timestamp\"",
	  "at=-922337203685477" },
	{ "\"discarded-event-record-counter-snapshot\"", "\"packet-sequence-number\"",
	  "sequence=2 discarded=0" },
	{ "\"length\":32,\"byte-order\":\"big", "\"length\":32,\"byte-order\":\"little",
	  "big=67305985" },
	{ "\"minimum-alignment\":128", "\"minimum-alignment\":64", "z=126" },
	{ "[[-9,-8],[-3,-2]]", "[[-9,-8],[-4,-3]]", "no option of the variant" },
	{ "[[-9,-8],[-3,-2]]", "[[-9,-8],[-1,-1]]", "no option of the variant" },
	{ "[[1,1]]", "[[2,2]]", "no option of the variant" },
	{ "\"encoding\":\"utf-16le\"", "\"encoding\":\"utf-8\"", "runs over the end" },
	{ "\"encoding\":\"utf-16le\"", "\"encoding\":\"utf-32le\"", "" },
	{ "\"variable-length-signed", "\"variable-length-unsigned", "sleb=1973696" },
	{ "[1,2,3,4,", "[1,2,3,5,", "its UUID is not the metadata's" },
	{ "\"variable-length-unsigned-integer\",\"roles\":[\"default-clock-timestamp\"]",
	  "\"variable-length-unsigned-integer\"", "at=496" },
};

/* Metadata that says something else of the same bytes: it is seen in what is read. */
static void planted_faults(void **state)
{
	struct lines lines;
	unsigned int i;
	char *text;

	(void)state;
	for (i = 0; i < sizeof(planted) / sizeof(planted[0]); i++) {
		text = metadata_of(planted[i].from, planted[i].to);
		read_all(text, strlen(text), &lines);
		if (!strcmp(lines.text, expected))
			fail_msg("'%s' in place of '%s' is not seen", planted[i].to,
				 planted[i].from);
		if (!strstr(lines.text, planted[i].line))
			fail_msg("'%s' in place of '%s': '%s'", planted[i].to, planted[i].from,
				 lines.text);
		free(text);
	}
}

/* Cut anywhere: one line, or what was whole; nobody reads on. */
static void cut_metadata(void **state)
{
	char *text = metadata_of(NULL, NULL), *copy;
	size_t size = strlen(text), length;
	struct lines lines;
	unsigned int faults = 0;

	(void)state;
	for (length = 0; length < size; length++) {
		copy = malloc(length + 1);
		assert_non_null(copy);
		memcpy(copy, text, length);
		read_all(copy, length, &lines);
		free(copy);
		assert_true(length == size - 1 || strcmp(lines.text, expected) != 0);
		faults += !strncmp(lines.text, "metadata: ", 10);
	}
	/* All but at ends of fragments behind that of the data stream. */
	assert_in_range(faults, size - 8, size);
	free(text);
}

/* A stream that is cut, and numbers of more than 64 bits. */
static void bad_streams(void **state)
{
	char *text = metadata_of(NULL, NULL);
	struct trace_fault fault = { .set = false };
	struct trace_event batch[TRACE_BATCH];
	struct ctf_metadata metadata;
	struct ctf_reader reader;
	uint32_t bits, i;

	(void)state;
	assert_true(tsdl_parse((const uint8_t *)text, strlen(text), &metadata, &fault));
	for (i = 0; i < 2; i++) {
		make_packet();
		/* The last byte of a stamp of ten: its second bit is the 65th; or it goes on. */
		packet[packet_size - 5] = i ? 0x82 : 0x02;
		assert_true(ctf_reader_open(&reader, &metadata, packet, packet_size));
		assert_true(ctf_packet_open(&reader, 0));
		while (ctf_batch(&reader, batch))
			;
		assert_non_null(strstr(reader.fault.text, "more than 64 bits"));
		ctf_reader_close(&reader);
	}
	make_packet();
	for (bits = 47 * 8; bits < (uint32_t)(packet_size - 4) * 8; bits += 8) {
		put_u32(packet + CONTEXT_AT + 16, bits);
		assert_true(ctf_reader_open(&reader, &metadata, packet, packet_size));
		if (ctf_packet_open(&reader, 0))
			while (ctf_batch(&reader, batch))
				;
		/* Whole events end at five places, and the header where none has begun. */
		if (!reader.fault.set)
			assert_true(reader.counts.events <= 4);
		else
			assert_true(strstr(reader.fault.text, "end of its packet's content") ||
				    strstr(reader.fault.text, "bits of header") ||
				    strstr(reader.fault.text, "of header"));
		ctf_reader_close(&reader);
	}
	tsdl_free(&metadata);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_stream_is_kept), cmocka_unit_test(everything_is_read),
		cmocka_unit_test(metadata_packets),   cmocka_unit_test(refusals),
		cmocka_unit_test(planted_faults),     cmocka_unit_test(cut_metadata),
		cmocka_unit_test(bad_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
