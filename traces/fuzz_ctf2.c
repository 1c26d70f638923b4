// SPDX-License-Identifier: MIT
/*
 * libFuzzer: any bytes as a trace of CTF 2: two bytes of length, fragments behind a preamble, then
 * the stream.
 */
#include "traces/fuzz_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char preamble[] = "\x1e{\"type\":\"preamble\",\"version\":2}";
	const size_t before = sizeof(preamble) - 1;
	uint8_t *text;
	size_t length;

	if (size < 2)
		return 0;
	length = data[0] | (size_t)data[1] << 8;
	if (length > size - 2)
		length = size - 2;
	/* On the heap with nothing behind it: whoever reads on is caught. */
	text = malloc(before + length);
	if (!text)
		return 0;
	memcpy(text, preamble, before);
	memcpy(text + before, data + 2, length);
	decode_all(text, before + length, data + 2 + length, size - 2 - length);
	free(text);
	return 0;
}
