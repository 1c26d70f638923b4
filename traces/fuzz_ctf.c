// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any bytes as a CTF trace. The first byte chooses: 0, two bytes of length, metadata,
 * then the stream; otherwise a stream for metadata that is known to be good. What the plan decodes,
 * field by field reading decodes too.
 */
#include <stdlib.h>
#include <string.h>

#include "ctf_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BATCHES_MOST 64

static const char *const known[] = {
	/* LTTng's compact header; text, sequences and floats in payloads; a context */
	"/* CTF 1.8 */ typealias integer { size = 64; align = 8; } := uint64_t;"
	"typealias integer { size = 32; align = 8; } := uint32_t;"
	"trace { major = 1; minor = 8; byte_order = le; packet.header := struct {"
	" uint32_t magic; uint32_t stream_id; }; };"
	"clock { name = m; freq = 1000000000; };"
	"typealias integer { size = 27; align = 1; map = clock.m.value; } := low_t;"
	"typealias integer { size = 64; align = 8; map = clock.m.value; } := stamp_t;"
	"stream { id = 0; packet.context := struct { stamp_t timestamp_begin;"
	" stamp_t timestamp_end; uint32_t content_size; uint32_t packet_size; };"
	" event.header := struct { enum : integer { size = 5; align = 1; }"
	" { compact = 0 ... 30, extended = 31 } id; variant <id> {"
	" struct { low_t timestamp; } compact;"
	" struct { uint32_t id; stamp_t timestamp; } extended; } v; } align(8);"
	" event.context := struct { uint32_t tid; }; };"
	"event { id = 0; stream_id = 0; name = a; fields := struct { uint32_t a; }; };"
	"event { id = 1; stream_id = 0; name = b; fields := struct { string s; uint32_t n;"
	" uint32_t list[n]; floating_point { exp_dig = 8; mant_dig = 24; } f; }; };"
	"event { id = 40; stream_id = 0; name = c; fields := struct {"
	" integer { size = 3; align = 1; signed = true; } x;"
	" integer { size = 13; align = 1; } y; uint64_t z[4]; }; };",
	/* 27 bits behind 5, escapes 29, 30, 31 and 65535 */
	"/* CTF 1.8 */ typealias integer { size = 64; align = 8; } := uint64_t;"
	"typealias integer { size = 32; align = 8; } := uint32_t;"
	"typealias integer { size = 16; align = 8; } := uint16_t;"
	"trace { major = 1; minor = 8; byte_order = le; packet.header := struct {"
	" uint32_t magic; uint32_t stream_id; }; };"
	"clock { name = t; freq = 1000000000; };"
	"typealias integer { size = 27; align = 1; map = clock.t.value; } := low_t;"
	"typealias integer { size = 64; align = 8; map = clock.t.value; } := stamp_t;"
	"stream { id = 0; packet.context := struct { stamp_t timestamp_begin;"
	" stamp_t timestamp_end; uint32_t content_size; uint32_t packet_size; };"
	" event.header := struct { enum : integer { size = 5; align = 1; }"
	" { compact = 0 ... 28, full = 29, sized = 30, high = 31 } id; variant <id> {"
	" struct { low_t time; } compact;"
	" struct { low_t time; uint16_t id; } high;"
	" struct { low_t time; uint16_t id; enum : uint16_t { small = 0 ... 65534,"
	" large = 65535 } size; variant <size> { struct { } small;"
	" struct { uint32_t size; } large; } more; } sized;"
	" struct { low_t time; uint16_t id; uint16_t size; stamp_t stamp; } full; } v; } align(8);"
	"};"
	"event { id = 1; stream_id = 0; name = a; fields := struct { uint64_t stamp; }; };"
	"event { id = 500; stream_id = 0; name = b; fields := struct { uint64_t stamp; }; };"
	"event { id = 600; stream_id = 0; name = c; fields := struct { uint64_t stamp;"
	" integer { size = 8; align = 8; } filler[stamp]; }; };",
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

static void ignore(void *arg, const struct ctf_field *field, uint64_t value)
{
	*(uint64_t *)arg += value + (field->name[0] == '_');
}

/* Decodes all; times and places in `times`, as many as there is room for. Returns how many. */
static unsigned int decode(const struct ctf_metadata *metadata, const uint8_t *bytes, size_t size,
			   bool no_plan, uint64_t times[BATCHES_MOST * TRACE_BATCH])
{
	struct trace_event batch[TRACE_BATCH];
	unsigned int count = 0;
	struct ctf_reader reader;
	uint64_t offset = 0, sum = 0;
	uint32_t got, i;

	if (!ctf_reader_open(&reader, metadata, bytes, size)) {
		ctf_reader_close(&reader);
		return 0;
	}
	reader.no_plan = no_plan;
	while (offset < size && ctf_packet_open(&reader, offset)) {
		offset += reader.packet.bytes;
		while (count < (BATCHES_MOST - 1) * TRACE_BATCH &&
		       (got = ctf_batch(&reader, batch)))
			for (i = 0; i < got; i++) {
				if (batch[i].payload < bytes ||
				    batch[i].payload + batch[i].payload_bytes > bytes + size)
					abort();
				times[count++] = batch[i].time + (uint64_t)batch[i].id +
						 (uint64_t)(batch[i].payload - bytes);
				if (!ctf_event_fields(&reader, &batch[i], ignore, &sum))
					abort();
			}
		if (reader.fault.set || count >= (BATCHES_MOST - 1) * TRACE_BATCH)
			break;
	}
	ctf_reader_close(&reader);
	return count;
}

static void decode_both(const struct ctf_metadata *metadata, const uint8_t *bytes, size_t size)
{
	static uint64_t planned[BATCHES_MOST * TRACE_BATCH], plain[BATCHES_MOST * TRACE_BATCH];
	uint8_t *copy = malloc(size ? size : 1);
	unsigned int count;

	if (!copy)
		return;
	memcpy(copy, bytes, size);
	count = decode(metadata, copy, size, false, planned);
	if (decode(metadata, copy, size, true, plain) != count ||
	    memcmp(planned, plain, count * sizeof(*planned)) != 0)
		abort();
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ctf_metadata good[KNOWN];
	struct trace_fault fault = { .set = false };
	struct ctf_metadata metadata;
	size_t length;

	if (size < 3)
		return 0;
	if (data[0]) {
		length = data[0] % KNOWN;
		if (!good[length].arena &&
		    !tsdl_parse((const uint8_t *)known[length], strlen(known[length]),
				&good[length], &fault))
			abort();
		decode_both(&good[length], data + 1, size - 1);
		return 0;
	}
	length = data[1] | (size_t)data[2] << 8;
	if (length > size - 3)
		length = size - 3;
	if (tsdl_parse(data + 3, length, &metadata, &fault))
		decode_both(&metadata, data + 3 + length, size - 3 - length);
	else if (!fault.set)
		abort();
	tsdl_free(&metadata);
	return 0;
}
