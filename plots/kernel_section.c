// SPDX-License-Identifier: MIT
#include "plots/kernel_section.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "plots/text.h"

static const char *word(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static int64_t number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void put_text(FILE *out, const char *tag, const char *text)
{
	fprintf(out, "<%s>", tag);
	text_html(out, text);
	fprintf(out, "</%s>", tag);
}

/* Nanoseconds with separators; times since boot have too many digits to be read without. */
static void put_ns(FILE *out, int64_t ns)
{
	char text[TEXT_FIGURE_BYTES];

	fprintf(out, "<td class=\"n\">%s</td>", text_count(text, (double)ns));
}

static void put_ms(FILE *out, int64_t ns)
{
	fprintf(out, "%.1f ms", (double)ns / 1e6);
}

static void put_counts(const json_t *kernel, FILE *out)
{
	const json_t *count;
	const char *mode;

	fputs("<div class=\"wide\" tabindex=\"0\"><table>\n<caption>All runs of this record; CPU time is the "
	      "emulator's, debugger and judge included</caption>\n<thead><tr><th>mode</th>"
	      "<th class=\"n\">runs</th><th class=\"n\">wrong time shown</th><th class=\"n\">not "
	      "shown</th><th class=\"n\">no verdict</th><th class=\"n\">longest, s</th>"
	      "<th class=\"n\">most CPU, s</th></tr></thead>\n<tbody>\n", out);
	json_object_foreach((json_t *)json_object_get(kernel, "counts"), mode, count) {
		fputs("<tr>", out);
		put_text(out, "td", mode);
		put_ns(out, number(count, "runs"));
		put_ns(out, number(count, "shown"));
		put_ns(out, number(count, "not_shown"));
		put_ns(out, number(count, "no_verdict"));
		fprintf(out, "<td class=\"n\">%.0f</td><td class=\"n\">%.0f</td></tr>\n",
			json_number_value(json_object_get(count, "seconds_max")),
			json_number_value(json_object_get(count, "cpu_seconds_max")));
	}
	fputs("</tbody>\n</table></div>\n", out);
}

static void put_event(const json_t *event, FILE *out)
{
	bool wrong = json_is_true(json_object_get(event, "wrong"));

	fputs("<tr>", out);
	put_text(out, "td", word(event, "buffer"));
	put_ns(out, number(event, "time_ns"));
	put_text(out, "td", word(event, "stamp"));
	if (strcmp(word(event, "stamp"), "absolute"))
		put_ns(out, number(event, "delta_ns"));
	else
		fputs("<td></td>", out);
	fprintf(out, "<td%s>", wrong ? " class=\"broken\"" : "");
	text_html(out, word(event, "what"));
	fputs(wrong ? " (wrong)</td></tr>\n" : "</td></tr>\n", out);
}

static void put_timeline(const json_t *verdict, FILE *out)
{
	const json_t *event;
	size_t i;

	fputs("<div class=\"wide\" tabindex=\"0\"><table>\n<caption>In buffer order; A: the buffer under test, B: "
	      "a second one with the same clock that records entry and exit of every interrupt. "
	      "Times and deltas in ns, as decoded</caption>\n<thead><tr><th></th>"
	      "<th class=\"n\">time</th><th>stamp</th><th class=\"n\">delta</th><th>event</th></tr>"
	      "</thead>\n<tbody>\n", out);
	json_array_foreach(json_object_get(verdict, "timeline"), i, event)
		put_event(event, out);
	fputs("</tbody>\n</table></div>\n", out);
}

/* The other readers and the debugger, each as far as it is in the record. */
static void put_witnesses(const json_t *verdict, const json_t *wrong, FILE *out)
{
	const json_t *seen = json_object_get(verdict, "witness");
	const json_t *agrees = json_object_get(seen, "agrees");

	if (!number(verdict, "reader_differences"))
		fputs("<li>libtraceevent's kbuffer decodes all events of both buffers as our "
		      "reader does.</li>\n", out);
	if (wrong && number(wrong, "kernel_text_ns")) {
		fputs("<li>The kernel's own <code>trace</code> file gives the wrong event ", out);
		fprintf(out, "%.6f s.</li>\n", (double)number(wrong, "kernel_text_ns") / 1e9);
	}
	if (!seen)
		return;
	fprintf(out, "<li>A debugger, when the reserve returned, read the stamp %" PRId64
		" ns and the delta %" PRId64 " ns: %s what is in the buffer. The verdict does not "
		"ask it.</li>\n", number(seen, "info_ts_ns"), number(seen, "info_delta_ns"),
		json_is_true(agrees) ? "agrees with" : "does not agree with");
}

static void put_wrong(const json_t *verdict, FILE *out)
{
	const json_t *wrong = json_object_get(verdict, "wrong");
	const json_t *fits = json_object_get(wrong, "fits_ns");
	const json_t *in = json_object_get(wrong, "interrupt");
	int64_t decoded = number(wrong, "decoded_ns");
	char text[TEXT_FIGURE_BYTES];

	if (!wrong) {
		fputs("<p>All times in the buffer can be.</p>\n<ul>\n", out);
		put_witnesses(verdict, NULL, out);
		fputs("</ul>\n", out);
		return;
	}
	fprintf(out, "<p class=\"bad\">Decoded: <strong>%s ns</strong>. ",
		text_count(text, (double)decoded));
	if (in) {
		fputs("At that time the only processor was in an interrupt that lasted ", out);
		put_ms(out, number(in, "exit_ns") - number(in, "entry_ns"));
		fputs(", and the task that recorded the event ran no instruction. ", out);
	} else {
		fputs("The event behind it in the buffer has a full stamp, and an earlier "
		      "time. ", out);
	}
	if (in && number(verdict, "backwards"))
		fputs("The event behind it in the buffer has a full stamp, and an earlier "
		      "time. ", out);
	if (json_is_integer(fits)) {
		fprintf(out, "The one time that fits, after that interrupt's end and before the "
			"next event, is <strong>%s ns</strong>: %" PRId64 " wraps of 2^27 ns (",
			text_count(text, (double)json_integer_value(fits)),
			number(wrong, "wraps_low"));
		put_ms(out, json_integer_value(fits) - decoded);
		fputs(") are lost.", out);
	}
	fputs("</p>\n<ul>\n", out);
	put_witnesses(verdict, wrong, out);
	fputs("</ul>\n", out);
}

static void put_boundary(const json_t *boundary, FILE *out)
{
	const json_t *line;
	size_t i;

	if (!json_object_get(boundary, "code"))
		return;
	fputs("<p>The interrupt was let in before the instruction marked below, in <code>", out);
	text_html(out, word(boundary, "function"));
	fputs("</code>: the claim on the write index (the first <code>xadd</code>); the store to "
	      "before_stamp stands above it.</p>\n<pre>", out);
	json_array_foreach(json_object_get(boundary, "code"), i, line) {
		fprintf(out, "%s +%-5" PRId64 " ", json_is_true(json_object_get(line, "stop")) ?
			"&gt;" : " ", number(line, "offset"));
		text_html(out, word(line, "text"));
		fputc('\n', out);
	}
	fputs("</pre>\n", out);
	if (number(boundary, "nested_bytes"))
		fprintf(out, "<p>A second interrupt came right behind that instruction. The page's "
			"index was %" PRId64 " before the first, whose event takes %" PRId64
			" bytes; the interrupted one takes %" PRId64 ".</p>\n",
			number(boundary, "index"), number(boundary, "nested_bytes"),
			number(boundary, "length"));
}

static void put_exhibit(const json_t *exhibit, FILE *out)
{
	const json_t *verdict = json_object_get(exhibit, "verdict");

	if (!verdict)
		return;
	fputs("<h3>", out);
	text_html(out, word(exhibit, "mode"));
	fputs(": ", out);
	text_html(out, word(exhibit, "outcome"));
	fputs("</h3>\n", out);
	put_wrong(verdict, out);
	put_timeline(verdict, out);
	if (!strcmp(word(exhibit, "outcome"), "shown"))
		put_boundary(json_object_get(exhibit, "boundary"), out);
}

static void put_explorer(const json_t *kernel, FILE *out)
{
	const json_t *replay;
	size_t i;

	if (!json_array_size(json_object_get(kernel, "explorer")))
		return;
	fputs("<h3>The same in the explorer</h3>\n<p>Once with the algorithm as the kernel has it, "
	      "once as repaired here. For lost wraps: an interrupt before the claim, and the clock "
	      "jumps by what passed in the kernel. For a crossing: the first schedule that breaks "
	      "the kernel's form at the end of a small sub-buffer.</p>\n", out);
	json_array_foreach(json_object_get(kernel, "explorer"), i, replay) {
		fputs("<h4>", out);
		text_html(out, word(replay, "form"));
		fputs("</h4>\n<pre>", out);
		text_html_lines(out, word(replay, "timeline"));
		fputs("</pre>\n", out);
	}
}

static const char artificial[] =
	"<h3>What is artificial, and what it stands for</h3>\n<ul>\n"
	"<li>The kernel is Debian's, unmodified; qemu emulates one processor, slowly, and without "
	"a network. Nothing in the guest's memory or registers is changed.</li>\n"
	"<li><code>forced</code>, <code>control</code>, <code>crossing</code>: a debugger chooses "
	"the moment of the interrupt, nothing else. <code>paused</code>: the pause of the machine "
	"is chosen too. <code>unforced</code>: no moment is chosen, but the emulator takes one "
	"instruction at a time.</li>\n"
	"<li>The long interrupt prints a list of tasks to a serial console. On a machine that "
	"stands for printing to a slow console in interrupt context (134 ms are some 1,550 "
	"characters at 115,200 baud), for a virtual machine that is paused or gets no processor "
	"while in an interrupt, or for the firmware's own interrupts.</li>\n"
	"<li>The handler must record no later event in the same buffer: that one would take the "
	"stall upon itself. Not shown: on hardware, under KVM, or in anybody's trace.</li>\n"
	"</ul>\n";

void kernel_section(const json_t *kernel, FILE *out)
{
	const json_t *exhibit;
	size_t i;

	if (!json_is_object(kernel))
		return;
	fputs("<section id=\"kernel\">\n<h2>A running kernel</h2>\n<p>Linux <code>", out);
	text_html(out, word(kernel, "release"));
	fputs("</code> (", out);
	text_html(out, word(kernel, "version"));
	fputs("), trace clock <code>", out);
	text_html(out, word(kernel, "clock"));
	fputs("</code>, ", out);
	text_html(out, word(kernel, "date"));
	fputs("; <code>make reproduce-kernel MODE=", out);
	text_html(out, word(kernel, "mode"));
	fputs("</code>.</p>\n", out);
	put_counts(kernel, out);
	json_array_foreach(json_object_get(kernel, "exhibits"), i, exhibit)
		put_exhibit(exhibit, out);
	put_explorer(kernel, out);
	fputs(artificial, out);
	fputs("</section>\n", out);
}
