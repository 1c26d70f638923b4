// SPDX-License-Identifier: MIT
/* build/plots [--quiet] [RUN_DIR]: draws a run's plots and writes its page. */
#include <stdio.h>
#include <string.h>

#include "plots/make.h"
#include "plots/output.h"

static int usage(FILE *out, int status)
{
	fprintf(out,
		"usage: plots [--quiet] [RUN_DIR]\n"
		"Reads RUN_DIR/bench.json (default: " MAKE_DEFAULT_RUN ") and writes there\n"
		"  plots/*.svg, *.png   the plots\n"
		"  plots/*.dat, *.gp    their data and scripts: change them and run gnuplot there\n"
		"  report.html          one page with everything, no other file needed\n"
		"  report.md            the table in Markdown\n"
		"Exit status: 0 fine, 1 usage or a bad file, 3 no room or right to write, "
		"4 no gnuplot.\n"
		"Example: build/plots results/20250101T120000Z-amd-epyc-2cpu\n");
	return status;
}

int main(int argc, char **argv)
{
	const char *path = NULL;
	FILE *told = stdout;
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
			return usage(stdout, PLOTS_FINE);
		if (!strcmp(argv[i], "-q") || !strcmp(argv[i], "--quiet")) {
			told = NULL;
			continue;
		}
		if (argv[i][0] == '-')
			return output_fail(PLOTS_HARNESS, "unknown option '%s'; try plots --help",
					   argv[i]);
		if (path)
			return output_fail(PLOTS_HARNESS,
					   "one run at a time, not also '%s'; try plots --help",
					   argv[i]);
		path = argv[i];
	}
	return make_all(path ? path : MAKE_DEFAULT_RUN, told);
}
