// SPDX-License-Identifier: MIT
/* libFuzzer: any bytes as a file of the format whose importer is IMPORTER, judged and printed. */
#include <stdlib.h>
#include <string.h>

#include "traces/lint_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lint lint = { .unit = "ns", .hz = 1000000000, .place_name = "offset" };
	struct trace_fault fault = { .set = false };
	struct trace_file file = { .path = "f", .size = size };
	/* On the heap with nothing behind it: one that reads on is caught. */
	uint8_t *bytes = malloc(size);
	static FILE *out;

	if (!out)
		out = fopen("/dev/null", "w");
	if (!size || !bytes || !out) {
		free(bytes);
		return 0;
	}
	file.bytes = memcpy(bytes, data, size);
	IMPORTER(&lint, &file, &fault);
	lint.fault = fault;
	lint_finish(&lint);
	if (lint_print(&lint, out, "f") != (lint_sums(&lint).found > 0))
		__builtin_trap();
	json_decref(lint_json(&lint, "f"));
	lint_free(&lint);
	free(bytes);
	return 0;
}
