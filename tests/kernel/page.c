// SPDX-License-Identifier: MIT
/* build/kernel-page DIR: makes DIR/report.html of DIR/kernel.json. */
#include <jansson.h>

#include "plots/kernel_section.h"
#include "plots/output.h"
#include "plots/page_head.h"

static void put_page(const json_t *kernel, FILE *out)
{
	page_head(out, "a running kernel", NULL);
	fputs("<main>\n", out);
	kernel_section(kernel, out);
	fputs("</main>\n</body>\n</html>\n", out);
}

int main(int argc, char **argv)
{
	char path[4096];
	json_error_t error;
	struct page page;
	json_t *kernel;

	if (argc != 2)
		return output_fail(PLOTS_HARNESS, "usage: kernel-page DIR");
	snprintf(path, sizeof(path), "%s/kernel.json", argv[1]);
	kernel = json_load_file(path, 0, &error);
	if (!kernel)
		return output_fail(PLOTS_HARNESS, "%s: %s", path, error.text);
	if (page_begin(&page)) {
		json_decref(kernel);
		return PLOTS_RESOURCE;
	}
	put_page(kernel, page.out);
	json_decref(kernel);
	return page_end(&page, PLOTS_FINE, argv[1], "report.html");
}
