// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any bytes as a stream of CTF, for metadata that is known to be good: the first byte
 * chooses which, of CTF 1.8 in here or of CTF 2 in tests/data.
 */
#include "traces/fuzz_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static const char *const files[] = { "tests/data/ctf2/metadata", "tests/data/lttng_ctf2/metadata" };

#define TEXTS (sizeof(known) / sizeof(known[0]))
#define KNOWN (TEXTS + sizeof(files) / sizeof(files[0]))

static void parse_known(unsigned int which, struct ctf_metadata *metadata)
{
	struct trace_fault fault = { .set = false };
	struct trace_file file = { .path = NULL };
	bool good;

	if (which < TEXTS) {
		good = tsdl_parse((const uint8_t *)known[which], strlen(known[which]), metadata,
				  &fault);
	} else {
		good = !trace_file_open(&file, files[which - TEXTS]) &&
		       tsdl_parse(file.bytes, file.size, metadata, &fault);
		trace_file_close(&file);
	}
	if (!good)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ctf_metadata good[KNOWN];
	unsigned int which;

	if (!size)
		return 0;
	which = *data % KNOWN;
	if (!good[which].arena)
		parse_known(which, &good[which]);
	decode_both(&good[which], data + 1, size - 1);
	return 0;
}
