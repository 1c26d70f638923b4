// SPDX-License-Identifier: MIT
/* The page's section of what the explorer found: from a record, and from half of one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plots/explored_section.h"

static const char record[] =
	"{\"schema\": 1, \"date\": \"2026-01-02T03:04:05Z\", \"revision\": \"abc\", \"tier\": \"quick\","
	" \"rows\": ["
	"  {\"row\": \"good\", \"families\": [{\"what\": \"all\", \"budget\": \"page M=2\","
	"    \"nested\": 3, \"schedules\": 1234567, \"verdict\": \"kept\", \"broken\": 0,"
	"    \"need_not_met\": 0, \"first\": null}, {\"what\": \"more\", \"budget\": \"ends2\","
	"    \"nested\": 2, \"schedules\": 3, \"verdict\": \"kept\"}]},"
	"  {\"row\": \"needy\", \"families\": [{\"nested\": 1, \"schedules\": 10, \"need_not_met\": 4,"
	"    \"verdict\": \"need not met\", \"first\": \"not shown\"}]},"
	"  {\"row\": \"<bad>\", \"families\": [{\"nested\": 1, \"schedules\": 10, \"broken\": 7,"
	"    \"verdict\": \"broken\", \"first\": \"E1 & E2\\n  next line\"}]}],"
	" \"limits\": [{\"name\": \"a limit\", \"what\": \"What <it> is.\", \"row\": \"good\","
	"    \"form\": \"today\", \"budget\": \"--events 1\", \"verdict\": \"broken\","
	"    \"schedules\": 20, \"failing\": 5, \"timeline\": \"line one\\nline two\"},"
	"  {\"name\": \"no end\", \"schedules\": 1, \"failing\": 0, \"decoded\": 4,"
	"    \"extended\": 62}]}";

static char *section(const json_t *explored)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	explored_section(explored, out);
	fclose(out);
	return text;
}

static void assert_text(const char *text, const char *what, bool holds)
{
	if (!strstr(text, what) == holds)
		fail_msg("the section %s: %s", holds ? "lacks" : "holds", what);
}

static void test_rows(void **state)
{
	json_t *json = json_loads(record, 0, NULL);
	char *text;

	(void)state;
	assert_non_null(json);
	text = section(json);
	assert_text(text, "<code>good</code></th><td class=\"n\" data-v=\"2\">2</td>"
		    "<td class=\"n\" data-v=\"3\">3</td><td class=\"n\" data-v=\"1234570\">1,234,570"
		    "</td><td class=\"kept\">kept</td>", true);
	assert_text(text, "kept where needs are met<small>in 4 not</small>", true);
	assert_text(text, "<td class=\"broken\">broken<small>in 7</small></td>", true);
	assert_text(text, "<li>more: <code>ends2</code></li>", true);
	free(text);
	json_decref(json);
}

static void test_timelines(void **state)
{
	json_t *json = json_loads(record, 0, NULL);
	char *text;

	(void)state;
	assert_non_null(json);
	text = section(json);
	/* A broken row's is open to see; one whose need was not met has none. */
	assert_text(text, "<pre tabindex=\"0\">E1 &amp; E2\n  next line\n</pre>", true);
	assert_text(text, "not shown", false);
	assert_text(text, "line one\nline two\n</pre></details>", true);
	assert_text(text, "Found in 5 of 20 schedules of the budget <code>--events 1</code>.", true);
	assert_text(text, ": 62 stamp events beside 4 others.", true);
	assert_text(text, "What &lt;it&gt; is.", true);
	assert_text(text, "<bad>", false);
	free(text);
	json_decref(json);
}

/* Without a record nothing, and with half of one what is there. */
static void test_missing(void **state)
{
	json_t *json = json_loads("{\"rows\": [{}, 5], \"limits\": [{}]}", 0, NULL);
	char *text = section(NULL);

	(void)state;
	assert_string_equal(text, "");
	free(text);
	text = section(json);
	assert_text(text, "</section>", true);
	assert_text(text, "(null)", false);
	free(text);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_timelines),
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
