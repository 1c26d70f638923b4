// SPDX-License-Identifier: MIT
#include "tests/kernel/capture.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/kbuffer.h>

struct input {
	const char *path;
	FILE *file;
	unsigned int line;
	bool ended; /* the guest said so */
};

static int bad(const struct input *input, const char *what)
{
	fprintf(stderr, "stampede: %s, line %u: %s\n", input->path, input->line, what);
	return -1;
}

/* A line without its end; false at the end of the file. A line cut off is none. */
static bool next_line(struct input *input, char *line, size_t bytes)
{
	size_t length;

	if (!fgets(line, (int)bytes, input->file))
		return false;
	input->line++;
	length = strlen(line);
	if (!length || line[length - 1] != '\n')
		return false;
	line[length - 1] = 0;
	return true;
}

/* The clock in brackets of "[local] global counter". */
static void chosen_clock(const char *text, char *clock, size_t bytes)
{
	const char *begin = strchr(text, '['), *end = begin ? strchr(begin, ']') : NULL;

	snprintf(clock, bytes, "%.*s", end ? (int)(end - begin - 1) : 0, end ? begin + 1 : "");
}

static int take_file(struct input *input, struct capture *capture, const char *name, size_t bytes)
{
	char *text = bytes < 1 << 22 ? calloc(1, bytes + 1) : NULL;
	int status = 0;
	size_t i;

	if (!text)
		return bad(input, "no memory for a file of this size");
	if (fread(text, 1, bytes, input->file) != bytes) {
		free(text);
		return bad(input, "the capture ends within a file");
	}
	for (i = 0; i < bytes; i++)
		input->line += text[i] == '\n';
	if (!strcmp(name, "trace")) {
		free(capture->trace);
		capture->trace = text;
		return 0;
	}
	if (!strcmp(name, "trace_clock"))
		chosen_clock(text, capture->clock, sizeof(capture->clock));
	else if (strncmp(name, "header_", 7) && tep_parse_event(capture->tep, text, bytes, "guest"))
		status = bad(input, "libtraceevent does not understand this event's format");
	free(text);
	return status;
}

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int take_page(struct input *input, struct capture *capture, const char *which,
		     uint32_t bytes)
{
	static char line[2 * JUDGE_PAGE_BYTES + 2];
	struct pages *pages = *which == 'A' ? &capture->a : &capture->b;
	uint8_t *page;
	uint32_t i;

	if (pages->count == JUDGE_PAGES_MAX || bytes > JUDGE_PAGE_BYTES)
		return bad(input, "more or larger pages than a guest sends");
	if (!next_line(input, line, sizeof(line)) || strlen(line) != 2 * (size_t)bytes)
		return bad(input, "the capture ends within a page");
	page = pages->data[pages->count];
	for (i = 0; i < bytes; i++) {
		int high = digit(line[2 * i]), low = digit(line[2 * i + 1]);

		if (high < 0 || low < 0)
			return bad(input, "not a hexadecimal digit");
		page[i] = (uint8_t)(high << 4 | low);
	}
	if (judge_page_bytes(page, bytes) != bytes)
		return bad(input, "not a whole sub-buffer");
	pages->bytes[pages->count++] = bytes;
	return 0;
}

static int take_line(struct input *input, struct capture *capture, const char *line)
{
	char word[80];
	size_t bytes;

	if (sscanf(line, "release %79s", capture->release) == 1)
		return 0;
	if (sscanf(line, "version %119[^\n]", capture->version) == 1)
		return 0;
	if (sscanf(line, "file %79s %zu", word, &bytes) == 2)
		return take_file(input, capture, word, bytes);
	if (sscanf(line, "page %79s %zu", word, &bytes) == 2)
		return take_page(input, capture, word, (uint32_t)bytes);
	if (!strncmp(line, "failed ", 7))
		return bad(input, line);
	input->ended |= !strcmp(line, "end");
	return 0;
}

/* judge.c relies on these places, and this file on those of a marker. */
static int find_fields(struct input *input, struct capture *capture)
{
	struct tep_event *entry = tep_find_event_by_name(capture->tep, NULL, "irq_handler_entry");
	struct tep_event *leave = tep_find_event_by_name(capture->tep, NULL, "irq_handler_exit");
	struct tep_event *print = tep_find_event_by_name(capture->tep, NULL, "print");
	struct tep_format_field *field;

	if (!entry || !leave || !print)
		return bad(input, "the formats of print, irq_handler_entry and _exit are missing");
	capture->ids = (struct event_ids){ (uint16_t)entry->id, (uint16_t)leave->id };
	capture->print_id = (uint16_t)print->id;
	field = tep_find_any_field(print, "buf");
	capture->print_offset = field ? field->offset : 0;
	field = tep_find_field(entry, "irq");
	capture->irq_offset = field ? field->offset : 0;
	field = tep_find_common_field(entry, "common_flags");
	if (!capture->print_offset || capture->irq_offset != 8 || !field || field->offset != 2)
		return bad(input, "this kernel's events have their fields in other places");
	return 0;
}

static int decode(struct input *input, struct capture *capture)
{
	if (!capture->a.count || !capture->b.count || !input->ended)
		return bad(input, "the capture ends before the guest said \"end\"");
	if (!judge_decode(&capture->a, &capture->decoded_a) ||
	    !judge_decode(&capture->b, &capture->decoded_b))
		return bad(input, "our reader finds a broken record in a sub-buffer");
	return 0;
}

int capture_load(const char *path, struct capture *capture)
{
	static char line[1024];
	struct input input = { .path = path };
	int status = 0;

	memset(capture, 0, sizeof(*capture));
	input.file = fopen(path, "r");
	if (!input.file) {
		fprintf(stderr, "stampede: cannot read %s: %s\n", path, strerror(errno));
		return -1;
	}
	capture->tep = tep_alloc();
	if (!capture->tep)
		status = bad(&input, "no memory");
	if (!status && (!next_line(&input, line, sizeof(line)) || strcmp(line, "stampede 1")))
		status = bad(&input, "not a capture of Stampede's guest");
	while (!status && next_line(&input, line, sizeof(line)))
		status = take_line(&input, capture, line);
	fclose(input.file);
	if (!status)
		status = find_fields(&input, capture);
	if (!status)
		status = decode(&input, capture);
	if (status)
		capture_free(capture);
	return status;
}

void capture_free(struct capture *capture)
{
	if (capture->tep)
		tep_free(capture->tep);
	free(capture->trace);
	capture->tep = NULL;
	capture->trace = NULL;
}

unsigned int capture_differences(const struct pages *pages, const struct decoded *decoded)
{
	struct kbuffer *kbuffer = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	unsigned int page, next = 0, differences = 0;
	unsigned long long time;
	void *payload, *data;

	if (!kbuffer)
		return ~0u;
	for (page = 0; page < pages->count; page++) {
		data = (void *)(uintptr_t)pages->data[page];
		if (kbuffer_load_subbuffer(kbuffer, data)) {
			differences++;
			continue;
		}
		for (payload = kbuffer_read_event(kbuffer, &time); payload;
		     payload = kbuffer_next_event(kbuffer, &time)) {
			const struct traced *event = &decoded->event[next];

			if (next == decoded->count || event->page != page ||
			    event->time_ns != time || event->payload != payload)
				differences++;
			next += next < decoded->count;
		}
	}
	kbuffer_free(kbuffer);
	return differences + decoded->count - next;
}

bool capture_marker(const struct capture *capture, const struct traced *event,
		    unsigned long long *n, uint64_t *before_ns)
{
	char text[64];
	size_t offset = (size_t)capture->print_offset, length;

	if (event->type != capture->print_id || event->payload_bytes <= offset)
		return false;
	length = event->payload_bytes - offset;
	if (length > sizeof(text) - 1)
		length = sizeof(text) - 1;
	memcpy(text, event->payload + offset, length);
	text[length] = 0;
	return sscanf(text, "m %llu %" SCNu64, n, before_ns) == 2;
}

uint64_t capture_text_time(const struct capture *capture, unsigned long long n)
{
	unsigned long long seconds, micros;
	char wanted[40], *found, *at;

	/* "... [000] .....    6.616084: tracing_mark_write: m 132072 ..." */
	snprintf(wanted, sizeof(wanted), ": m %llu ", n);
	found = capture->trace ? strstr(capture->trace, wanted) : NULL;
	if (!found)
		return 0;
	for (at = found; at > capture->trace && at[-1] != '\n'; at--)
		continue;
	for (; at < found; at++)
		if (at[0] == ' ' && sscanf(at, " %llu.%6llu:", &seconds, &micros) == 2 &&
		    memchr(at + 1, '.', 12))
			return seconds * 1000000000ull + micros * 1000ull;
	return 0;
}
