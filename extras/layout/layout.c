// SPDX-License-Identifier: MIT
/* layout: which bits of a stamp can go, and what each header layout then costs. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "extras/layout/layout_math.h"
#include "extras/layout/layout_print.h"
#include "base/options.h"
#include "runner/place/ticks.h"

struct layout_options {
	struct layout_inputs inputs;
	struct layout custom;
	const char *json;
	bool seed_errors;
};

static bool take_rates(const char *list, void *into)
{
	struct layout_inputs *inputs = into;
	char one[64];
	size_t length;

	inputs->rates_count = 0;
	for (; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		if (inputs->rates_count == LAYOUT_RATES_MOST) {
			fail_line("--rate takes at most %d rates", LAYOUT_RATES_MOST);
			return false;
		}
		snprintf(one, sizeof(one), "%.*s", (int)length, list);
		if (!option_real("--rate", one, 1e-6, 1e12, &inputs->rates[inputs->rates_count++]))
			return false;
	}
	if (!inputs->rates_count)
		fail_line("--rate takes events per second, such as 10,1e4,1e6");
	return inputs->rates_count;
}

static bool take_layout(const char *text, void *into)
{
	struct layout_options *options = into;
	struct layout *layout = &options->custom;
	const char *fault;
	int end = 0;

	*layout = (struct layout){ .name = text,
				   .beat_row = "",
				   .extension_row = "",
				   .header_bits = 32,
				   .full_bytes = 12,
				   .escapes = 3 };
	if (strspn(text, "0123456789+/") != strlen(text) || strlen(text) > 8 ||
	    ((sscanf(text, "%u+%u%n", &layout->id_bits, &layout->time_bits, &end) != 2 ||
	      text[end]) &&
	     (sscanf(text, "%u+%u/%u%n", &layout->id_bits, &layout->time_bits, &layout->cut_bits,
		     &end) != 3 ||
	      text[end]))) {
		fail_line("--layout takes id bits + time bits / bits cut, such as "
			  "6+26/6, not '%s'",
			  text);
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

static bool parse(int argc, char **argv, struct layout_options *options, int *status)
{
	struct layout_inputs *inputs = &options->inputs;
	const struct option_entry entries[] = {
		{ "clock-hz", "F", "rate of the stamps' clock (default: this machine's)",
		  OPTION_REAL, .into = &inputs->clock_hz, .low = 1e3, .high = 1e12 },
		{ "latency-us", "N", "expected longest interrupt latency (default 20000)",
		  OPTION_REAL, .into = &inputs->latency_us, .low = 0, .high = 1e12 },
		{ "timer-hz", "N", "timer ticks per second, one beat each (default 100)",
		  OPTION_REAL, .into = &inputs->timer_hz, .low = 1e-3, .high = 1e9 },
		{ "spacing-ns", "N", "shortest time between two events (default 200)", OPTION_REAL,
		  .into = &inputs->spacing_ns, .low = 1e-3, .high = 1e12 },
		{ "rate", "LIST", "events per second, such as 10,1e4,1e6", OPTION_TAKEN,
		  .into = inputs, .take = take_rates },
		{ "layout", "I+T[/S]", "add a layout: I id bits, T time bits, S low bits cut",
		  OPTION_TAKEN, .into = options, .take = take_layout },
		{ "seed-errors", NULL, "print the errors in the texts of 2006 to 2008", OPTION_FLAG,
		  .into = &options->seed_errors },
		{ "json", "FILE", "write everything as JSON (- is standard output)", OPTION_TEXT,
		  .into = &options->json },
		{ .name = NULL },
	};
	const struct option_program program = {
		"usage: layout [options]\n"
		"Computes which bits of a stamp a header can leave out, and what a layout costs.\n",
		entries,
		"exit: 0 fine, 1 usage, 3 no resource\n"
		"examples:\n"
		"  layout --clock-hz 4e9 --timer-hz 100\n"
		"  layout --spacing-ns 100 --layout 6+26/4\n"
		"  layout --seed-errors --json -\n",
		NULL,
	};

	return options_parse(&program, argc, argv, status);
}

/* Inputs that leave something to talk about. */
static int check_inputs(const struct layout_inputs *inputs)
{
	unsigned int low = layout_cut_low((uint64_t)(inputs->spacing_ns * inputs->clock_hz / 1e9));
	unsigned int high = layout_cut_high(
		(uint64_t)((inputs->latency_us / 1e6 + 1 / inputs->timer_hz) * inputs->clock_hz));

	if (low + high < LAYOUT_STAMP_WORD)
		return 0;
	return fail_with(
		EXIT_USAGE,
		"cutting %u low and %u high bits leaves none of a 32-bit stamp: events "
		"%g ns apart need no stamp between two beats; give another --spacing-ns or "
		"--timer-hz",
		low, high, inputs->spacing_ns);
}

static int run(struct layout_options *options, json_t *json)
{
	struct layout_inputs *inputs = &options->inputs;
	int error;

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
	return EXIT_FINE;
}

int main(int argc, char **argv)
{
	struct layout_options options = {
		.inputs = { .latency_us = 20000,
			    .timer_hz = 100,
			    .rates = { 1, 10, 100, 1e3, 1e4, 1e5, 1e6 },
			    .rates_count = 7 },
	};
	int status = EXIT_FINE;
	json_t *json;

	if (!parse(argc, argv, &options, &status))
		return status;
	json_own_stdout(options.json);
	json = json_object();
	status = run(&options, json);
	if (!status && options.json)
		status = json_out(options.json, json);
	json_decref(json);
	if (!status && (fflush(stdout) || ferror(stdout)))
		status = fail_with(EXIT_RESOURCE, "cannot write the output: %s", strerror(errno));
	return status;
}
