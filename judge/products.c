// SPDX-License-Identifier: MIT
#include "judge/products.h"

#include <string.h>

#include "base/fail.h"

const struct product products[] = {
#define X(its_name, its_row, its_wraps, its_words) \
	{ .name = its_name, .row = #its_row, .wraps = its_wraps, .words = its_words },
#include "schemes/products.def"
	{ .name = NULL },
};

/* Names that people ask for: what records their events is among the products, or on a board. */
static const struct product also[] = {
#define ALSO(its_name, its_row, its_words) \
	{ .name = its_name, .row = #its_row, .wraps = "", .words = its_words },
#include "schemes/products.def"
	{ .name = NULL },
};

static unsigned int list(FILE *text, const struct product *product, const char *part)
{
	unsigned int listed = 0;

	for (; product->name; product++) {
		if (strcmp(part, "all") != 0 && !strcasestr(product->name, part))
			continue;
		fprintf(text, "%-28s %-24s %s%s%s\n", product->name, product->row, product->words,
			*product->wraps ? "; wraps after " : "", product->wraps);
		listed++;
	}
	return listed;
}

int products_list(FILE *text, const char *part)
{
	unsigned int listed = list(text, products, part);

	if (strcmp(part, "all") != 0)
		listed += list(text, also, part);
	return listed ? 0 :
			fail_with(EXIT_USAGE,
				  "no row is known to price '%s'; --used-by all lists all "
				  "tracers, CONTRIBUTING.md says how to add one",
				  part);
}
