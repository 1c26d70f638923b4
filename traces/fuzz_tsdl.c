// SPDX-License-Identifier: MIT
/* libFuzzer: any bytes as a CTF trace: two bytes of length, metadata, then the stream. */
#include "traces/fuzz_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_fault fault = { .set = false };
	struct ctf_metadata metadata;
	size_t length;

	if (size < 2)
		return 0;
	length = data[0] | (size_t)data[1] << 8;
	if (length > size - 2)
		length = size - 2;
	if (tsdl_parse(data + 2, length, &metadata, &fault))
		decode_both(&metadata, data + 2 + length, size - 2 - length);
	else if (!fault.set)
		abort();
	tsdl_free(&metadata);
	return 0;
}
