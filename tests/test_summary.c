// SPDX-License-Identifier: MIT
/* The table: whole names, whole verdicts, and no line longer than 100 columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "driver.h"
#include "summary.h"

/* A line with the widest figures that there are. */
static json_t *wide_line(const char *row)
{
	return json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:n}",
			 "row", row, "workload", "steady", "verdict", "need not met",
			 "worst_error_ticks", 1.8e19, "bytes", 124.4, "ns", 999.9, "ticks", 9999.9,
			 "instructions", 999.9, "clock_reads", 10.25, "atomics", 10.25, "ratio",
			 31.736, "ratio_low", 29.0, "ratio_high", 31.0, "cycles");
}

static void rows_fit_and_differ(void **state)
{
	json_t *lines = json_array();
	char *text = NULL, *at, *end;
	unsigned int i, count = 0;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	for (i = 0; drivers_timed[i]; i++)
		json_array_append_new(lines, wide_line(drivers_timed[i]->row));
	summary_print(out, lines);
	fclose(out);
	for (at = text; (end = strchr(at, '\n')); at = end + 1) {
		if (end - at > 100)
			fail_msg("%d columns: %.*s", (int)(end - at), (int)(end - at), at);
		if (!count++)
			continue;
		/* Behind the title, in the same order; the name ends where the word does. */
		i = count - 2;
		size = strlen(drivers_timed[i]->row);
		assert_memory_equal(at, drivers_timed[i]->row, size);
		assert_int_equal(at[size], ' ');
		*end = '\0';
		assert_non_null(strstr(at, " need not met "));
	}
	assert_int_equal(count, json_array_size(lines) + 1);
	free(text);
	json_decref(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_fit_and_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
