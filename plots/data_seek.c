// SPDX-License-Identifier: MIT
/* Data of the plot of seeking: probes and time against a file's size, a block per row. */
#include <math.h>
#include <string.h>

#include "plots/data.h"
#include "plots/text.h"

int data_seek(const struct run *run, FILE *dat, FILE *vars)
{
	double probes = 0, mib = 1, least = INFINITY, most = 0;
	char label[TEXT_LABEL_BYTES];
	size_t i, groups = 0;

	fprintf(dat, "# seek: 1 MiB, 2 probes, 3 most probes, 4 us per seek, 5 us to read the "
		"whole file; a block per row\n");
	fprintf(vars, "array seek_names[%zu]\n", run->seek_count ? run->seek_count : 1);
	for (i = 0; i < run->seek_count; i++) {
		const struct seek_cell *cell = &run->seek[i];

		if (!i || strcmp(cell->row, run->seek[i - 1].row) != 0) {
			fputs(groups ? "\n\n" : "", dat);
			text_row_label(label, cell->row, NAN);
			fprintf(vars, "seek_names[%zu] = '%s'\n", ++groups, label);
		}
		data_number(dat, cell->mib);
		data_number(dat, cell->probes);
		data_number(dat, cell->probes_most);
		data_number(dat, cell->seek_ns / 1e3);
		data_number(dat, cell->read_ns / 1e3);
		fputc('\n', dat);
		probes = fmax(probes, cell->probes_most);
		mib = fmax(mib, cell->mib);
		least = cell->seek_ns > 0 ? fmin(least, cell->seek_ns / 1e3) : least;
		most = fmax(most, cell->read_ns / 1e3);
	}
	data_set(vars, "seek_groups", (double)groups);
	data_set(vars, "seek_mib", mib);
	data_set(vars, "seek_probes", probes);
	data_set(vars, "seek_least", isfinite(least) ? least : 1);
	data_set(vars, "seek_most", most > 0 ? most : 1);
	return (int)run->seek_count;
}
