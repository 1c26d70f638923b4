// SPDX-License-Identifier: MIT
#include "explore/replay/replay.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "explore/engine/faults.h"

static struct step *add_step(struct replay *replay, enum step_kind kind)
{
	const struct book *book = &world->book;
	struct step *step = &replay->step[replay->steps];

	if (replay->steps + 1 < REPLAY_STEPS_MAX)
		replay->steps++;
	*step = (struct step){ .kind = kind,
			       .depth = book->depth,
			       .cpu = book->writer,
			       .clock = world_row.clock->now };
	return step;
}

/* The newest event that has entered and not left; deferred runs make it another than the depth's.
 */
static unsigned int current_event(void)
{
	const struct book *book = &world->book;
	unsigned int i;

	for (i = book->events; i-- > 0;)
		if (!book->log[i].left)
			return i;
	return book->events;
}

static void keep_log(struct replay *replay)
{
	replay->events = world->book.events;
	memcpy(replay->log, world->book.log, sizeof(replay->log));
}

/* Events that entered or left while the writer ran. */
static void note_events(struct replay *replay)
{
	const struct logged *before = replay->log;
	unsigned int events = replay->events;
	const struct book *book = &world->book;
	struct step *step;
	unsigned int i;

	for (i = 0; i < book->events; i++) {
		if (i >= events) {
			step = add_step(replay, STEP_ENTER);
			step->event = i;
			step->clock = book->log[i].entry;
		}
		if (book->log[i].left && (i >= events || !before[i].left)) {
			step = add_step(replay, STEP_LEAVE);
			step->event = i;
			step->clock = book->log[i].exit;
		}
	}
}

static void run_on(struct replay *replay)
{
	unsigned int deferred = world->book.deferred;
	enum switch_event event;

	keep_log(replay);
	event = world_resume();
	note_events(replay);
	if (world->book.deferred > deferred)
		add_step(replay, STEP_DEFERRED);
	if (event == SWITCH_DONE)
		world_finished();
}

static void note_stop(struct replay *replay, enum step_kind kind)
{
	struct step *step = add_step(replay, kind);

	step->event = current_event();
	step->reader = world_reads();
	step->site = world_site();
	step->label = world_label();
}

/* Takes the action at this stop. True if a writer was launched. */
static bool act(const struct search *search, const struct action *action, struct replay *replay)
{
	/* Of those that are no writer's. */
	static const enum step_kind kinds[] = {
		[ACTION_JUMP] = STEP_JUMP,     [ACTION_BACK] = STEP_BACK,
		[ACTION_READ] = STEP_READ,     [ACTION_FLUSH] = STEP_FLUSH,
		[ACTION_SWITCH] = STEP_SWITCH,
	};

	if (world->book.depth)
		note_stop(replay, STEP_STOP);
	if (action->kind < sizeof(kinds) / sizeof(*kinds) && kinds[action->kind])
		add_step(replay, kinds[action->kind])->jump = action->jump;
	return search_take(search, action);
}

static void note_decoded(void *arg, const struct event *event)
{
	struct replay *replay = arg;
	struct decoded *one = &replay->decoded[replay->decoded_count];
	struct check_payload payload;
	unsigned int i;

	if (replay->decoded_count >= WORLD_EVENTS_MAX || event->payload_bytes < sizeof(payload))
		return;
	memcpy(&payload, event->payload, sizeof(payload));
	*one = (struct decoded){ .event = WORLD_EVENTS_MAX,
				 .time = event->time,
				 .header_bytes = event->header_bytes,
				 .flags = event->flags };
	if (event->header_bytes <= sizeof(one->header))
		memcpy(one->header, event->payload - event->header_bytes, event->header_bytes);
	for (i = 0; i < replay->events; i++)
		if (replay->log[i].context == check_tag_context(payload.tag) &&
		    replay->log[i].filled && replay->log[i].entry == payload.entry &&
		    (world_row.timed || replay->log[i].stamp == payload.stamp)) {
			replay->log[i].stamp = payload.stamp;
			one->event = i;
		}
	replay->decoded_count++;
}

/* What a reader sees; then the judgement, on a world put back. */
static void finish(struct replay *replay)
{
	static uint8_t copy[WORLD_BYTES];
	struct judgement judgement;

	keep_log(replay);
	memcpy(copy, world, WORLD_BYTES);
	world_row.driver->flush(world_ring());
	world_row.driver->walk(world_ring(), note_decoded, replay);
	memcpy(world, copy, WORLD_BYTES);
	world_judge(&judgement);
	replay->verdict = judgement.verdict;
	replay->unmet = judgement.unmet;
	replay->check = world->check;
}

/* Can the search take this action at this stop? A jump may have any number of ticks. */
static bool fits(const struct search *search, const struct action *action)
{
	struct action any;
	unsigned int n = 0;

	while (search_alternative(search, !world->book.depth, n++, &any))
		if (any.kind == action->kind && any.stops == action->stops &&
		    (any.kind != ACTION_SWITCH || any.jump == action->jump))
			return true;
	return false;
}

static void play(const struct search *search, const struct action *action, unsigned int actions,
		 struct replay *replay)
{
	struct book *book = &world->book;
	struct action any;
	bool chosen = false;

	search_begin(search);
	for (;;) {
		if (!chosen && search_alternative(search, !book->depth, 0, &any)) {
			book->stops++;
			if (replay->taken < actions && fits(search, &action[replay->taken]) &&
			    !act(search, &action[replay->taken++], replay))
				continue;
		}
		chosen = false;
		if (book->depth && replay->every)
			note_stop(replay, STEP_PASS);
		if (book->depth)
			run_on(replay);
		else if (search_next(search))
			chosen = true;
		else
			break;
	}
	finish(replay);
}

bool replay_run(const struct search *search, const struct action *action, unsigned int actions,
		struct replay *replay)
{
	static const uint64_t still; /* no progress but the end */
	bool every = replay->every;

	memset(replay, 0, sizeof(*replay));
	replay->every = every;
	faults_catch(&still);
	replay->fault = sigsetjmp(faults_escape, 0);
	faults_arm(!replay->fault);
	if (!replay->fault)
		play(search, action, actions, replay);
	faults_end();
	if (replay->fault) {
		note_events(replay);
		keep_log(replay);
		replay->verdict = VERDICT_BROKEN;
	}
	return replay->taken == actions;
}

/* ---- text ---- */

/* "label" of shared_load("label", ...) and its like. */
static bool label_in(const char *line, char *label, size_t bytes)
{
	const char *begin = strchr(line, '"'), *end = begin ? strchr(begin + 1, '"') : NULL;

	return end && !strstr(line, "include") &&
	       snprintf(label, bytes, "%.*s", (int)(end - begin) - 1, begin + 1) < (int)bytes;
}

static bool source_line(const char *file, uint64_t number, char *line, size_t bytes)
{
	FILE *source = fopen(file, "r");
	char *text = NULL;
	size_t length = 0;

	if (!source)
		return false;
	while (number && getline(&text, &length, source) > 0)
		number--;
	fclose(source);
	snprintf(line, bytes, "%s", number || !text ? "" : text + strspn(text, " \t"));
	free(text);
	length = strlen(line);
	while (length && isspace((unsigned char)line[length - 1]))
		line[--length] = 0;
	return length;
}

/* The source text of a stop, in `line`, with what its label says. */
static void describe_stop(const struct step *step, char *line, size_t bytes)
{
	char source[256], label[64];
	const char *base;

	if (step->label) {
		snprintf(line, bytes, "\"%s\"", step->label);
		return;
	}
	if (!step->site) {
		snprintf(line, bytes, "?");
		return;
	}
	base = strrchr(step->site->file, '/');
	base = base ? base + 1 : step->site->file;
	if (!source_line(step->site->file, step->site->line, source, sizeof(source)))
		snprintf(line, bytes, "%s  (%s:%" PRIu64 ")", step->site->instruction, base,
			 step->site->line);
	else if (label_in(source, label, sizeof(label)))
		snprintf(line, bytes, "\"%s\": %s  (%s:%" PRIu64 ")", label,
			 step->site->instruction, base, step->site->line);
	else
		snprintf(line, bytes, "%s  (%s:%" PRIu64 ": %.60s)", step->site->instruction, base,
			 step->site->line, source);
}

static void print_step(FILE *text, const struct replay *replay, const struct step *step)
{
	const struct logged *log = &replay->log[step->event];
	char place[400];

	if (step->kind == STEP_PASS)
		return;
	fprintf(text, "  %6" PRIu64 "  %*s", step->clock,
		(int)(4 * (step->depth ? step->depth - 1 : 0)), "");
	switch (step->kind) {
	case STEP_ENTER:
		fprintf(text, "E%u enters%s\n", step->event,
			log->context == CONTEXT_BEAT ? " (the beat)" : "");
		break;
	case STEP_LEAVE:
		if (log->left == 2)
			fprintf(text, "E%u leaves, lost\n", step->event);
		else if (log->left == 3)
			fprintf(text, "E%u leaves, discarded, stamp was %" PRIu64 "\n", step->event,
				log->stamp);
		else
			fprintf(text, "E%u leaves, stamp %" PRIu64 "%s\n", step->event, log->stamp,
				log->inexact ? " (declared inexact)" : "");
		break;
	case STEP_PASS:
	case STEP_STOP:
		describe_stop(step, place, sizeof(place));
		if (step->reader)
			fprintf(text, "the reader is about to do %s\n", place);
		else
			fprintf(text, "E%u is about to do %s\n", step->event, place);
		break;
	case STEP_JUMP:
		fprintf(text, "... %" PRIu64 " ticks pass\n", step->jump);
		break;
	case STEP_BACK:
		fprintf(text, "... the clock goes back by %" PRIu64 "\n", step->jump);
		break;
	case STEP_SWITCH:
		fprintf(text, "CPU %" PRIu64 " continues\n", step->jump);
		break;
	case STEP_READ:
	case STEP_FLUSH:
	case STEP_DEFERRED:
		fputs(step->kind == STEP_READ  ? "a reader takes complete sub-buffers\n" :
		      step->kind == STEP_FLUSH ? "the open sub-buffer is closed\n" :
						 "the interrupt is deferred\n",
		      text);
		break;
	}
}

static const char *word_of(const struct replay *replay)
{
	bool owed = replay->verdict == VERDICT_BROKEN ||
		    replay->check.desc->promises & PROMISES_OF_TIME;

	return check_verdict_name(owed ? replay->verdict : VERDICT_NO_PROMISE);
}

void replay_print(FILE *text, const struct replay *replay)
{
	unsigned int i, oracle;

	fprintf(text, "   clock  who does what\n");
	for (i = 0; i < replay->steps; i++)
		print_step(text, replay, &replay->step[i]);
	if (replay->fault) {
		fprintf(text, "  the writer %s\n",
			replay->fault == SIGALRM ? "does not end" : "crashes");
		return;
	}
	fprintf(text, "  in the buffer, as a reader decodes it:\n");
	for (i = 0; i < replay->decoded_count; i++) {
		const struct decoded *one = &replay->decoded[i];
		const struct logged *log = &replay->log[one->event];

		if (one->event == WORLD_EVENTS_MAX) {
			fprintf(text, "    ?    decoded %" PRIu64 "\n", one->time);
			continue;
		}
		fprintf(text,
			"    E%-3u decoded %-8" PRIu64 " stamp %-8" PRIu64 " window [%" PRIu64
			", %" PRIu64 "], header %u%s%s%s\n",
			one->event, one->time, log->stamp, log->entry, log->exit, one->header_bytes,
			one->flags & EVENT_EXTENDED ? ", extended" : "",
			log->inexact ? ", inexact" : "",
			one->time != log->stamp && !log->inexact ? "  <-- wrong" : "");
	}
	for (oracle = 0; oracle < ORACLES; oracle++)
		if (replay->check.violations[oracle])
			fprintf(text, "  %s: %s\n", check_oracle_name((enum oracle)oracle),
				replay->check.first[oracle].text);
	fprintf(text, "  verdict: %s\n", word_of(replay));
}

/* ---- the same for a picture ---- */

static json_t *number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *step_json(const struct step *step)
{
	static const char *const kinds[] = {
		[STEP_ENTER] = "enter",	      [STEP_LEAVE] = "leave",	[STEP_STOP] = "stop",
		[STEP_PASS] = "pass",	      [STEP_SWITCH] = "switch", [STEP_READ] = "read",
		[STEP_FLUSH] = "flush",	      [STEP_JUMP] = "jump",	[STEP_BACK] = "back",
		[STEP_DEFERRED] = "deferred",
	};
	const struct explore_site *site = step->site;
	json_t *json = json_pack("{s:s, s:i, s:i, s:i, s:b, s:o, s:o, s:s?}", "kind",
				 kinds[step->kind], "cpu", step->cpu, "depth", step->depth, "event",
				 step->event, "reader", step->reader, "clock", number(step->clock),
				 "ticks", number(step->jump), "label", step->label);
	char source[256] = "", label[64];
	const char *base;

	if (!json || !site)
		return json;
	base = strrchr(site->file, '/');
	if (source_line(site->file, site->line, source, sizeof(source)) &&
	    label_in(source, label, sizeof(label)))
		json_object_set_new(json, "label", json_safe(label));
	json_object_set_new(json, "instruction", json_safe(site->instruction));
	json_object_set_new(json, "file", json_safe(base ? base + 1 : site->file));
	json_object_set_new(json, "line", number(site->line));
	json_object_set_new(json, "source", json_safe(source));
	return json;
}

static json_t *decoded_json(const struct replay *replay, const struct decoded *one)
{
	const struct logged *log = one->event < WORLD_EVENTS_MAX ? &replay->log[one->event] : NULL;
	char hex[2 * REPLAY_HEADER_MAX + 1] = "";
	unsigned int i;

	for (i = 0; i < one->header_bytes && i < REPLAY_HEADER_MAX; i++)
		snprintf(hex + 2 * i, 3, "%02x", one->header[i]);
	return json_pack("{s:o, s:o, s:o, s:b, s:b, s:s}", "event",
			 log ? number(one->event) : json_null(), "decoded", number(one->time),
			 "stamp", log ? number(log->stamp) : json_null(), "inexact",
			 log && log->inexact, "extended", !!(one->flags & EVENT_EXTENDED), "header",
			 hex);
}

static json_t *row_json(void)
{
	const struct scheme_desc *desc = world->check.desc; /* its promises are those judged */
	const struct scheme_format *format = &world_row.driver->format;

	return json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:b, s:b, s:i, s:o}", "row",
			 world_row.row, "title", desc->title, "source", desc->source, "promises",
			 desc->promises, "needs", desc->needs, "extension", desc->extension,
			 "format", format->kind == FORMAT_OWN ? format->forward : format->kind,
			 "id_bits", format->id_bits, "flag", format->flag, "escape", format->escape,
			 "stamp_bytes", format->stamp_bytes, "bits",
			 number(world_row.config.stamp_bits));
}

json_t *replay_json(const struct replay *replay)
{
	const struct logged *log = replay->log;
	json_t *json = row_json(), *steps = json_array(), *records = json_array(),
	       *events = json_array();
	unsigned int i;

	for (i = 0; i < replay->steps; i++)
		json_array_append_new(steps, step_json(&replay->step[i]));
	for (i = 0; i < replay->decoded_count; i++)
		json_array_append_new(records, decoded_json(replay, &replay->decoded[i]));
	for (i = 0; i < replay->events; i++)
		json_array_append_new(events, json_pack("{s:b, s:i, s:o, s:o, s:o}", "beat",
							log[i].context == CONTEXT_BEAT, "left",
							log[i].left, "entry", number(log[i].entry),
							"exit", number(log[i].exit), "stamp",
							number(log[i].stamp)));
	json_object_set_new(json, "verdict", json_string(word_of(replay)));
	json_object_set_new(json, "unmet", number(replay->unmet));
	json_object_set_new(json, "fault", number((uint64_t)replay->fault));
	for (i = ORACLES; i-- > 0;)
		if (!replay->fault && replay->check.violations[i])
			json_object_set_new(json, "objection",
					    json_safe(replay->check.first[i].text));
	json_object_set_new(json, "steps", steps);
	json_object_set_new(json, "events", events);
	json_object_set_new(json, "records", records);
	return json;
}

#define NO_ACTIONS "none"
static const char action_letters[] = "?nbrjsdfk";
#define NUMBERED "jsk" /* a number follows these letters */

void replay_format(const struct action *action, unsigned int actions, char *text, size_t bytes)
{
	size_t used = 0;
	unsigned int i;

	snprintf(text, bytes, "%s", actions ? "" : NO_ACTIONS);
	for (i = 0; i < actions && used < bytes; i++) {
		used += (size_t)snprintf(text + used, bytes - used, "%s%c%u", i ? "." : "",
					 action_letters[action[i].kind], action[i].stops);
		if (strchr(NUMBERED, action_letters[action[i].kind]) && used < bytes)
			used += (size_t)snprintf(text + used, bytes - used, ":%" PRIu64,
						 action[i].jump);
	}
}

int replay_parse(const char *text, struct action *action, unsigned int most)
{
	const char *at = text, *letter;
	unsigned int count = 0;
	uint64_t stops;
	char *end;

	if (!strcmp(text, NO_ACTIONS))
		return 0;
	errno = 0;
	while (*at) {
		letter = strchr(action_letters + 1, *at);
		if (!letter || !isdigit((unsigned char)at[1]) || count == most)
			break;
		action[count] = (struct action){ .kind = (uint8_t)(letter - action_letters) };
		stops = strtoull(at + 1, &end, 10);
		action[count].stops = (uint32_t)stops;
		if (strchr(NUMBERED, *at)) {
			if (*end != ':' || !isdigit((unsigned char)end[1]))
				break;
			action[count].jump = strtoull(end + 1, &end, 10);
		}
		if (errno || stops > UINT32_MAX)
			break;
		count++;
		at = end + (*end == '.' && end[1]);
		if (*end && at == end)
			break;
	}
	if (*at) {
		fail_line("--replay: cannot parse schedule \"%s\" at \"%s\"", text, at);
		return -1;
	}
	return (int)count;
}
