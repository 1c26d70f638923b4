// SPDX-License-Identifier: MIT
/* libFuzzer: any bytes as a CTF trace: two bytes of length, metadata, then the stream. */
#include "traces/fuzz_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t length;

	if (size < 2)
		return 0;
	length = data[0] | (size_t)data[1] << 8;
	if (length > size - 2)
		length = size - 2;
	decode_all(data + 2, length, data + 2 + length, size - 2 - length);
	return 0;
}
