// SPDX-License-Identifier: MIT
#include "runner/print.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "runner/figures.h"

static void print_sections(const struct workload_section *sections, struct run *run,
			   enum workload_size size)
{
	for (; sections && sections->name; sections++)
		if (sections->print)
			sections->print(stdout, run_section(run, sections->name), size);
}

static void print_legend(const struct workload_bench *bench)
{
	const char *between = "\n";
	unsigned int i;

	for (i = 0; workloads[i]; i++) {
		if (!bench->chosen[i] || !workloads[i]->legend)
			continue;
		printf("%s%s: %s", between, workloads[i]->name, workloads[i]->legend);
		between = "; ";
	}
	puts(*between == '\n' ? "" : ".");
}

static void print_not_tried(const json_t *sentences)
{
	const json_t *one;
	size_t i;

	json_array_foreach(sentences, i, one)
		printf("not tried: %s\n", json_string_value(one));
}

static void print_end(const struct workload_bench *bench, const struct rounds *rounds,
		      const struct run *run)
{
	const json_t *harness = json_object_get(run->sections, "harness");
	bool cycles = !strcmp(timed_basis(rounds), "cycles");
	double decoding = json_number_value(json_object_get(harness, "decode_events_per_second"));

	print_not_tried(json_object_get(run->sections, "not_tried"));
	print_legend(bench);
	printf("Times are medians of %u repetitions or more (slow rows: fewer), a process a "
	       "round;\n"
	       "disturbed batches are ignored. ratio: to the lowest floor of the same "
	       "round, "
	       "with half of its\n95 %% interval, in %s. cheap: the same with a clock that costs\n"
	       "next to nothing. above: ns minus one clock read. worst err: largest error of a "
	       "decoded\n"
	       "timestamp under the storms, in ticks. h+id: bytes of header with an event id\n"
	       "(+: two bytes added for it).\n",
	       rounds->rounds, cycles ? "core cycles" : "TSC ticks (no PMU here)");
	printf("harness loop without a scheme %.2f %s per event; decoding, all oracles %.0f M "
	       "events/s\n",
	       timed_loop(rounds, timed_basis(rounds)), timed_basis(rounds), decoding / 1e6);
}

/* What the noise leaves of the ranking. */
static void print_noise(const struct rounds *rounds, const struct timed_noise *noise, bool quick)
{
	if (noise->disturbed)
		printf("%zu of %zu repetitions left out: their cores were shared (an empty "
		       "loop took 20 %% longer)\n",
		       noise->disturbed, noise->repetitions);
	if (noise->noisy)
		printf("~: %zu of %zu ratios are not known to %.0f %% after %.0f s of waiting and "
		       "further rounds (--budget)\n",
		       noise->noisy, noise->cells, 100 * rounds->half_width, rounds->spent_seconds);
	if (timed_too_noisy(noise) && quick)
		puts("a quick run has too few rounds to rank by time; run make bench");
}

void print_run(const struct workload_bench *bench, const struct rounds *rounds,
	       const struct timed_noise *noise, struct run *run)
{
	unsigned int i;

	summary_print(stdout, &run->table);
	figures_print(&run->table, json_object_get(run->sections, "again"),
		      run_section(run, "beats"), timed_loop_workload(rounds));
	for (i = 0; workloads[i]; i++)
		print_sections(workloads[i]->sections, run, bench->size);
	timed_print_injected(rounds);
	print_noise(rounds, noise, bench->size == SIZE_QUICK);
	print_end(bench, rounds, run);
}
