// SPDX-License-Identifier: MIT
/* The list of tracers that people use: its rows are rows, and it stays in order. */
#include "tests/support/test.h"

#include <strings.h>

#include "base/exit.h"
#include "judge/driver.h"
#include "judge/products.h"
#include "tests/support/said.h"

static void rows_are_rows(void **state)
{
	const struct product *product;

	for (product = products; product->name; product++) {
		if (!driver_find(drivers_checked, product->row))
			fail_msg("%s: there is no row %s", product->name, product->row);
		assert_true(strlen(product->words) > 10);
	}
	assert_true(product - products > 20);
}

/* As people sort names: a dot in front of one says nothing. */
static const char *by(const struct product *product)
{
	return product->name + (product->name[0] == '.');
}

static void in_order_and_once(void **state)
{
	const struct product *product;

	for (product = products + 1; product->name; product++)
		if (strcasecmp(by(product - 1), by(product)) >= 0)
			fail_msg("%s is not behind %s", product->name, product[-1].name);
}

static void found_by_part_of_their_name(void **state)
{
	static const char *const asked[][2] = {
		{ "threadx", " heartbeat " },	   { "riscv", " packed_word32 " },
		{ "bpftrace", " full_tsc " },	   { "kutrace", "; wraps after 20 " },
		{ "kineto", " full_tsc " },	   { "pytorch", " full_tsc " },
		{ "opentelemetry", " full_tsc " }, { "esp-idf", " delta_behind " },
		{ "ros2", " extended_header " },   { "profiler", " full_tsc " },
		{ "embassy", " half_periods " },   { "defmt", " half_periods " },
	};
	char text[4096] = "", *every, *line;
	unsigned int lines = 0;
	size_t size;
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_int_equal(products_list(out, "lTTng"), 0);
	fclose(out);
	assert_non_null(strstr(text, "extended_header"));
	assert_non_null(strstr(text, "layout_64_ext"));
	assert_null(strstr(text, "perf"));
	out = fmemopen(text, sizeof(text), "w");
	assert_int_equal(products_list(out, "trace remotes"), 0);
	fclose(out);
	assert_string_equal(text, "Linux trace remotes          simple_remote            "
				  "simple_ring_buffer.c does not count rejected nested writers\n");
	for (unsigned int i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		out = fmemopen(text, sizeof(text), "w");
		assert_int_equal(products_list(out, asked[i][0]), 0);
		fclose(out);
		assert_non_null(strstr(text, asked[i][1]));
	}
	/* "all" is all of them, though no name has it. */
	out = open_memstream(&every, &size);
	assert_int_equal(products_list(out, "all"), 0);
	fclose(out);
	for (line = strchr(every, '\n'); line; line = strchr(line + 1, '\n'))
		lines++;
	assert_true(products[lines - 1].name && !products[lines].name);
	free(every);
	out = fmemopen(text, sizeof(text), "w");
	listen_to_stderr();
	assert_int_equal(products_list(out, "no such tracer"), EXIT_USAGE);
	assert_said("no row is known to price 'no such tracer'");
	fclose(out);
}

TESTS(rows_are_rows, in_order_and_once, found_by_part_of_their_name)
