// SPDX-License-Identifier: MIT
/*
 * in-kernel: has the rows of stampede.ko recorded under the kernel's own interrupts, and judges
 * what they wrote: the same readers, the same oracles, the same words as under signals.
 */
#include "base/fail.h"
#include "base/options.h"
#include "extras/kernel/program/price.h"
#include "extras/kernel/program/print.h"

struct request {
	const char *rows;
	uint64_t bits;
	uint64_t beaten_bits;
	uint64_t nested;
	uint64_t seconds;
	uint64_t cpus;
	bool price;
	bool counted;
	const char *json;
};

static bool parse(int argc, char **argv, struct request *request, int *status)
{
	const struct option_entry entries[] = {
		{ "schemes", "LIST", "rows, or prefixes of whole words (default: all rows)",
		  OPTION_TEXT, .into = &request->rows },
		{ "bits", "N", "a wrap is 2^N ticks, 8..27 (default: the row's)", OPTION_NUMBER,
		  .into = &request->bits, .least = 8, .most = 27 },
		{ "beaten-bits", "N", "the same for rows that need beats", OPTION_NUMBER,
		  .into = &request->beaten_bits, .least = 8, .most = 27 },
		{ "events", "N",
		  "least events of interrupts per row; all four levels must nest once\n"
		  "(default 1M)",
		  OPTION_NUMBER, .into = &request->nested, .least = 1, .most = UINT32_MAX },
		{ "seconds", "N", "most time for a row (default 60)", OPTION_NUMBER,
		  .into = &request->seconds, .least = 1, .most = 86400 },
		{ "cpus", "N", "number of CPUs that record (default: all, 16 at most)",
		  OPTION_NUMBER, .into = &request->cpus, .least = 1, .most = KERNEL_CPUS_MAX },
		{ "price", NULL, "measure what an event of the task costs, and judge nothing",
		  OPTION_FLAG, .into = &request->price },
		{ "counted", NULL, "with --price: a tick of the clock is an instruction",
		  OPTION_FLAG, .into = &request->counted },
		{ "json", "FILE", "append a line of JSON for each row to FILE (- is stdout)",
		  OPTION_OUT, .into = &request->json },
		{ .name = NULL },
	};
	const struct option_program program = {
		"usage: in-kernel [options]\n"
		"Judges every record that the loaded stampede.ko writes for each row: by a thread "
		"of each CPU,\n"
		"and by the softirqs, hardirqs and NMIs that interrupt it.\n",
		entries,
		"exit: 0 fine, 1 usage, 2 a broken promise, 3 no resource, 4 no module\n"
		"examples:\n"
		"  in-kernel --schemes packed_word --bits 16\n",
		NULL,
	};

	return options_parse(&program, argc, argv, status);
}

/* What a row in a kernel cannot be run for; NULL: it can. */
static const char *reason_against(const struct driver *driver)
{
	if (driver->restarts)
		return "only a signal handler or the kernel restarts its writers, where a "
		       "process was interrupted";
	if (driver->taken)
		return "it is for programs; run the row that it was cut from";
	return driver->unsupported();
}

/* One row, and whether it kept its promises; an exit code. */
static int run(struct kernel_device *device, const struct driver *driver,
	       const struct request *request, bool with_nmi, bool *kept)
{
	uint64_t bits = driver->desc->needs & NEED_BEAT ? request->beaten_bits : request->bits;
	struct epochs epochs = {
		.bits = driver_bits(driver, (uint32_t)bits),
		.asked = (uint32_t)bits,
		.with_nmi = with_nmi,
		.cpus = (uint32_t)request->cpus,
		.nested_least = request->nested,
		.seconds = request->seconds,
	};
	int status;

	status = epochs_run(device, driver, &epochs);
	if (status != EXIT_FINE)
		return status;
	print_row(driver, &epochs);
	*kept = epochs.verdict != VERDICT_BROKEN;
	return EXIT_FINE;
}

/* All rows; an exit code. */
static int run_rows(struct kernel_device *device, const struct driver *const *rows, int count,
		    const struct request *request)
{
	int status = EXIT_FINE, broken = 0, i;
	bool kept;

	print_head();
	for (i = 0; i < count && status == EXIT_FINE; i++) {
		const char *why = reason_against(rows[i]);

		if (why) {
			print_left_out(rows[i], why);
			continue;
		}
		/* A mask of interrupts holds no NMI: without them it is to keep its promises. */
		status = run(device, rows[i], request, !rows[i]->blocks, &kept);
		broken += status == EXIT_FINE && !kept;
		if (status == EXIT_FINE && rows[i]->blocks)
			status = run(device, rows[i], request, true, &kept);
	}
	return status != EXIT_FINE ? status : broken ? EXIT_BROKEN : EXIT_FINE;
}

int main(int argc, char **argv)
{
	struct request request = {
		.nested = 1000000,
		.seconds = 60,
		.cpus = KERNEL_CPUS_MAX,
	};
	const struct driver *rows[DRIVERS_MAX];
	struct kernel_device device;
	int status = EXIT_FINE, written, count;

	if (!parse(argc, argv, &request, &status))
		return status;
	count = driver_select(drivers_checked, request.rows ? request.rows : "all", rows,
			      DRIVERS_MAX);
	if (count < 0)
		return EXIT_USAGE;
	status = kernel_open(&device);
	if (status == EXIT_FINE)
		status = print_begin(request.json);
	if (status == EXIT_FINE)
		status = request.price ? price_run(&device, rows, count, request.counted) :
					 run_rows(&device, rows, count, &request);
	kernel_close(&device);
	written = print_end();
	return status != EXIT_FINE ? status : written;
}
