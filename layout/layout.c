// SPDX-License-Identifier: MIT
/* layout: which bits of a stamp can go, and what each header layout then costs. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/channels.h"
#include "base/fail.h"
#include "base/json_out.h"
#include "layout/layout_experiments.h"
#include "layout/layout_math.h"
#include "layout/layout_measure.h"
#include "layout/layout_print.h"
#include "base/options.h"
#include "place/ticks.h"

#define CHANNEL_EVENTS 200000

struct options {
	struct layout_inputs inputs;
	struct layout custom;
	const char *gaps; /* directory */
	const char *json;
	bool measure;
	bool seed_errors;
	bool precision;
	bool channels;
};

static const char usage[] =
	"usage: layout [options]\n"
	"  --clock-hz F           rate of the stamps' clock (default: this machine's)\n"
	"  --latency-us N         expected longest interrupt latency (default 20000)\n"
	"  --timer-hz N           timer ticks, one beat each (default 100)\n"
	"  --spacing-ns N         shortest time between two events (default 200, or as measured)\n"
	"  --rate LIST            events per second, such as 10,1e4,1e6\n"
	"  --layout I+T[/S]       one more layout: id bits, time bits, low bits cut\n"
	"  --measure              find clock, spacing, offset and cache line here first\n"
	"  --seed-errors          what the texts of 2006 to 2008 say, and what is right\n"
	"  --precision            ties against cut bits, at recorded gaps and back to back\n"
	"  --channels             compact events in a channel of their own: bytes and order\n"
	"  --gaps DIR             recorded gaps (default workloads/gaps)\n"
	"  --json FILE            all of it, for the record (- is standard output)\n"
	"exit: 0 fine, 1 usage, 3 no resource\n"
	"examples:\n"
	"  layout --clock-hz 4e9 --timer-hz 100\n"
	"  layout --measure --layout 6+26/4\n"
	"  layout --seed-errors --json -\n";

static bool real(const char *option, const char *text, double least, double most, double *value)
{
	char *end = NULL;

	errno = 0;
	*value = strtod(text, &end);
	if (end != text && !*end && !errno && *value >= least && *value <= most)
		return true;
	fail_line("%s takes a number from %g to %g, not '%s'", option, least,
		most, text);
	return false;
}

static bool rates(const char *list, struct layout_inputs *inputs)
{
	char one[64];
	size_t length;

	inputs->rates_count = 0;
	for (; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (inputs->rates_count == LAYOUT_RATES_MOST) {
			fail_line("--rate takes at most %d rates",
				LAYOUT_RATES_MOST);
			return false;
		}
		snprintf(one, sizeof(one), "%.*s", (int)length, list);
		if (!real("--rate", one, 1e-6, 1e12, &inputs->rates[inputs->rates_count++]))
			return false;
	}
	if (!inputs->rates_count)
		fail_line("--rate takes events per second, such as 10,1e4,1e6");
	return inputs->rates_count;
}

static bool custom(const char *text, struct options *options)
{
	struct layout *layout = &options->custom;
	const char *fault;
	int end = 0;

	*layout = (struct layout){ .name = text, .beat_row = "", .extension_row = "",
				   .header_bits = 32, .full_bytes = 12, .escapes = 3 };
	if (strspn(text, "0123456789+/") != strlen(text) || strlen(text) > 8 ||
	    ((sscanf(text, "%u+%u%n", &layout->id_bits, &layout->time_bits, &end) != 2 ||
	      text[end]) &&
	     (sscanf(text, "%u+%u/%u%n", &layout->id_bits, &layout->time_bits, &layout->cut_bits,
		     &end) != 3 || text[end]))) {
		fail_line("--layout takes id bits + time bits / bits cut, such as "
			"6+26/6, not '%s'", text);
		return false;
	}
	fault = layout_fault(layout);
	if (!fault && layout->id_bits < 3)
		fault = "it leaves no id beside the three escapes";
	if (fault)
		fail_line("%s is no layout of a 32-bit header: %s", text, fault);
	options->inputs.custom = layout;
	return !fault;
}

/* 0: go on; otherwise 1 + exit code. */
static int parse(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {
		{ "clock-hz", required_argument, NULL, 'f' },
		{ "latency-us", required_argument, NULL, 'l' },
		{ "timer-hz", required_argument, NULL, 't' },
		{ "spacing-ns", required_argument, NULL, 's' },
		{ "rate", required_argument, NULL, 'r' },
		{ "layout", required_argument, NULL, 'y' },
		{ "gaps", required_argument, NULL, 'g' },
		{ "json", required_argument, NULL, 'o' },
		{ "measure", no_argument, NULL, 'm' },
		{ "seed-errors", no_argument, NULL, 'e' },
		{ "precision", no_argument, NULL, 'p' },
		{ "channels", no_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct layout_inputs *inputs = &options->inputs;
	bool good = true;
	int option;

	opterr = 0;
	while (good && (option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if (option == 'f')
			good = real("--clock-hz", optarg, 1e3, 1e12, &inputs->clock_hz);
		else if (option == 'l')
			good = real("--latency-us", optarg, 0, 1e12, &inputs->latency_us);
		else if (option == 't')
			good = real("--timer-hz", optarg, 1e-3, 1e9, &inputs->timer_hz);
		else if (option == 's')
			good = real("--spacing-ns", optarg, 1e-3, 1e12, &inputs->spacing_ns);
		else if (option == 'r')
			good = rates(optarg, inputs);
		else if (option == 'y')
			good = custom(optarg, options);
		else if (option == 'g')
			options->gaps = optarg;
		else if (option == 'o')
			options->json = optarg;
		else if (option == 'm')
			options->measure = true;
		else if (option == 'e')
			options->seed_errors = true;
		else if (option == 'p')
			options->precision = true;
		else if (option == 'c')
			options->channels = true;
		else if (option == 'h')
			return fputs(usage, stdout), 1 + EXIT_FINE;
		else
			return 1 + option_refused(argv[optind - 1]);
	}
	if (good && optind < argc)
		return 1 + option_refused(argv[optind]);
	return good ? 0 : 1 + EXIT_USAGE;
}

/* Inputs that leave something to talk about. */
static int check_inputs(const struct layout_inputs *inputs)
{
	unsigned int low = layout_cut_low((uint64_t)(inputs->spacing_ns * inputs->clock_hz / 1e9));
	unsigned int high = layout_cut_high(
		(uint64_t)((inputs->latency_us / 1e6 + 1 / inputs->timer_hz) * inputs->clock_hz));

	if (low + high < LAYOUT_STAMP_WORD)
		return 0;
	return fail_with(EXIT_USAGE, "cutting %u low and %u high bits leaves none of a 32-bit stamp: events "
		"%g ns apart need no stamp between two beats; give another --spacing-ns or "
		"--timer-hz", low, high, inputs->spacing_ns);
}

static int experiments(const struct options *options, json_t *json)
{
	json_t *precision = json_array(), *channels = json_array();
	int error = 0;

	if (options->precision)
		error = layout_precision(options->gaps, precision);
	if (!error && options->channels)
		error = layout_channels(options->gaps, CHANNEL_EVENTS, channels);
	layout_print_precision(stdout, precision);
	layout_print_channels(stdout, channels);
	json_object_set_new(json, "precision", precision);
	json_object_set_new(json, "channels", channels);
	return error;
}

static int run(struct options *options, json_t *json)
{
	struct layout_inputs *inputs = &options->inputs;
	struct layout_measured measured;
	int error;

	if (options->measure) {
		error = layout_measure(&measured);
		if (error)
			return error;
		layout_print_measured(&measured);
		putchar('\n');
		json_object_set_new(json, "measured", layout_measured_json(&measured));
		if (!inputs->spacing_ns)
			inputs->spacing_ns = (double)measured.spacing_least_ticks * 1e9 /
					     measured.clock_hz;
	}
	if (!inputs->clock_hz)
		inputs->clock_hz = ticks_hz();
	if (!inputs->spacing_ns)
		inputs->spacing_ns = 200;
	error = check_inputs(inputs);
	if (error)
		return error;
	layout_print_cuts(inputs);
	layout_print_table(inputs);
	layout_print_bytes(inputs);
	json_object_set_new(json, "layout", layout_json(inputs));
	if (options->seed_errors)
		layout_print_seed_errors();
	return experiments(options, json);
}

int main(int argc, char **argv)
{
	struct options options = {
		.inputs = { .latency_us = 20000, .timer_hz = 100,
			    .rates = { 1, 10, 100, 1e3, 1e4, 1e5, 1e6 }, .rates_count = 7 },
		.gaps = "workloads/gaps",
	};
	json_t *json = json_object();
	int status;

	status = parse(argc, argv, &options);
	if (status) {
		json_decref(json);
		return status - 1;
	}
	status = run(&options, json);
	if (!status && options.json)
		status = json_out(options.json, json);
	json_decref(json);
	if (!status && (fflush(stdout) || ferror(stdout))) {
		fail_line("cannot write the output: %s", strerror(errno));
		status = EXIT_RESOURCE;
	}
	return status;
}
