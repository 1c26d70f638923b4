// SPDX-License-Identifier: MIT
#include "extras/tracers/instructions.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/fail.h"
#include "extras/tracers/every.h"

/* FUNCTION (LIBRARY+0xOFFSET, FILE:LINE), as far as it is known. */
static void name(const char *out, uint64_t pc, char *text, size_t bytes)
{
	char path[PATH_MAX], line[PATH_MAX + 128], base_of[PATH_MAX] = "", offset[32];
	const char *const argv[] = { "addr2line", "-Cfe", base_of, offset, NULL };
	const struct child_program addr2line = { argv, .errors = "/dev/null", .quiet = true };
	uint64_t start, end, base = 0;
	char *said = NULL, *source, *file;
	FILE *maps;

	snprintf(line, sizeof(line), "%s/maps", out);
	maps = fopen(line, "r");
	snprintf(text, bytes, "0x%" PRIx64, pc);
	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %4095[^\n]", &start, &end,
			   path) != 3)
			continue;
		if (strcmp(path, base_of) != 0) {
			strcpy(base_of, path);
			base = start;
		}
		if (pc < start || pc >= end)
			continue;
		file = strrchr(path, '/');
		file = file ? file + 1 : path;
		snprintf(offset, sizeof(offset), "0x%" PRIx64, pc - base);
		snprintf(text, bytes, "%.80s+%s", file, offset);
		if (child_run(&addr2line, &said) || !said)
			break;
		source = said + strcspn(said, "\n");
		*source++ = 0;
		source[strcspn(source, " \n")] = 0;
		if (said[0] != '?')
			snprintf(text, bytes, "%.100s (%.80s+%s%s%.60s)", said, file, offset,
				 source[0] == '?' ? "" : ", ", source[0] == '?' ? "" : source);
		break;
	}
	free(said);
	if (maps)
		fclose(maps);
}

struct every_play {
	uint64_t first, last, plan, k, l, pc[2];
};

static void found(const char *out, const struct every_play *play, struct every_breach *breach)
{
	char inner[200] = "", outer[200];

	if (!play->pc[0]) {
		snprintf(breach->where, sizeof(breach->where), "not interrupted");
		return;
	}
	name(out, play->pc[0], outer, sizeof(outer));
	if (play->pc[1])
		name(out, play->pc[1], inner, sizeof(inner));
	snprintf(breach->where, sizeof(breach->where), "%s%s%s", outer,
		 *inner ? ", and in that " : "", inner);
	snprintf(breach->at, sizeof(breach->at),
		 play->l ? "%" PRIu64 ":%" PRIu64 ":%" PRIu64 : "%" PRIu64 ":%" PRIu64, play->plan,
		 play->k, play->l);
}

int every_add(struct every_sum *sum, const char *out, const struct tracer_judged *judged)
{
	char path[PATH_MAX], line[256];
	uint64_t plan, most, interrupts, masked, pc;
	struct every_play play;
	unsigned int i;
	FILE *plans;

	snprintf(path, sizeof(path), "%s/plans", out);
	plans = fopen(path, "r");
	if (!plans)
		return fail_file("read", path, errno);
	while (fgets(line, sizeof(line), plans)) {
		if (sscanf(line, "plan %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &plan, &most,
			   &interrupts, &masked) == 4) {
			uint64_t *which = plan >= EVERY_FIRST ? &sum->first : &sum->instructions;

			sum->plans++;
			sum->interrupts += interrupts;
			*which = most > *which ? most : *which;
			sum->masked = masked > sum->masked ? masked : sum->masked;
		}
		if (sscanf(line, "stuck %" SCNu64 " %" SCNx64, &most, &pc) == 2 && most) {
			sum->stuck += most;
			name(out, pc, sum->stuck_at, sizeof(sum->stuck_at));
		}
		if (sscanf(line,
			   "play %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			   " %" SCNx64 " %" SCNx64,
			   &play.first, &play.last, &play.plan, &play.k, &play.l, &play.pc[0],
			   &play.pc[1]) != 7)
			continue;
		for (i = 0; i < TRACER_PROMISES; i++)
			if (judged->promise[i].seen && judged->promise[i].seq >= play.first &&
			    judged->promise[i].seq <= play.last && !*sum->breach[i].where)
				found(out, &play, &sum->breach[i]);
	}
	fclose(plans);
	return EXIT_FINE;
}

bool every_ended(const char *out, const char *tracer, int code)
{
	struct every_page page = { .state = EVERY_UNUSED };
	char path[PATH_MAX], at[256] = "no instruction";
	FILE *file;

	snprintf(path, sizeof(path), "%s/page", out);
	file = fopen(path, "r");
	if (file && fread(&page, sizeof(page), 1, file) != 1)
		page.state = EVERY_UNUSED;
	if (file)
		fclose(file);
	if (page.pc)
		name(out, page.pc, at, sizeof(at));
	if (page.state == EVERY_NO_TRAP)
		fail_line("%s: nothing is stepped: the trap flag and PR_SET_TSC of x86-64 Linux "
			  "are needed; not judged",
			  tracer);
	else if (page.state == EVERY_READS_TSC)
		fail_line("%s reads the TSC in %s: \"every\": {\"clock\": \"tsc\"} in "
			  "adapter.json; not judged",
			  tracer, at);
	else if (page.state == EVERY_FORKS)
		fail_line("%s starts a process in its event, last in %s; not judged", tracer, at);
	else if (page.state == EVERY_ENDLESS)
		fail_line("%s: an event does not return after %" PRIu64
			  " instructions, last in %s, --at %u:%u:%u; not judged",
			  tracer, page.steps, at, page.at[0], page.at[1], page.at[2]);
	else if (page.state == EVERY_RUNS && code == 128 + SIGTRAP)
		fail_line("%s blocks SIGTRAP by a system call of its own, last in %s; not judged",
			  tracer, at);
	else if (page.state == EVERY_DONE)
		fail_line("%s: its reader %s after the last event (exit status %d); not judged",
			  tracer, code == 124 ? "was not done in time (--timeout)" : "failed",
			  code);
	else if (page.state == EVERY_RUNS)
		fail_line("%s: %s (exit status %d), last in %s, --at %u:%u:%u; not judged", tracer,
			  code == 124 ? "not done in time (--timeout)" : "its process ended", code,
			  at, page.at[0], page.at[1], page.at[2]);
	else
		return false;
	return true;
}

void every_say(const struct every_sum *sum)
{
	printf("  %" PRIu64 " interrupts in %" PRIu64 " plans; %" PRIu64
	       " instructions an event, %" PRIu64 " the first of a thread",
	       sum->interrupts, sum->plans, sum->instructions, sum->first);
	if (sum->masked)
		printf(", %" PRIu64 " with signals blocked", sum->masked);
	printf("\n");
	if (sum->stuck)
		printf("  %" PRIu64
		       " events in handlers never returned or aborted, the first at %s\n",
		       sum->stuck, sum->stuck_at);
}

json_t *every_json(const struct every_sum *sum)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "plans", (json_int_t)sum->plans,
			 "instructions", (json_int_t)sum->instructions, "first",
			 (json_int_t)sum->first, "masked", (json_int_t)sum->masked, "interrupts",
			 (json_int_t)sum->interrupts, "stuck", (json_int_t)sum->stuck);
}
