// SPDX-License-Identifier: MIT
#include "explore/family/audit.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

#if defined(__x86_64__)
#include <ucontext.h>

#define TRAP_FLAG 0x100u
#define TRACE_MAX 65536

void switch_done(void);

/* How a writer is stopped before each of its instructions. */
enum mechanism {
	BY_STOPS, /* in the copy that stops.py put stops into */
	BY_STEPS, /* in the plain copy, by single-stepping */
};

/* The instructions that writers executed, as addresses in the plain copy. */
struct trace {
	uint64_t at[TRACE_MAX];
	uint32_t length;
};

enum region {
	IN_HARNESS,
	IN_WRITER,
	OUTSIDE,
};

/* What the trap handler knows. */
static struct {
	enum region from; /* last seen there, OUTSIDE aside */
	uint64_t passed; /* where the interrupted writer was stopped: counted already */
	uint64_t resumed; /* the same, while that writer is about to go on */
	uint32_t until; /* stop when the trace is so long */
	uint64_t last; /* instruction of a writer */
	uint64_t away; /* instructions since the writer called something outside */
	uint64_t away_to; /* the last of them: behind the linker's stub */
	bool excused; /* that was the engine's part of the payload */
	uint64_t traps;
	struct trace *trace;
	struct audit *audit;
} stepper;

/* The world before an instruction of the plain copy, its stack, and what lies outside. */
static struct {
	uint8_t block[WORLD_BYTES];
	uint8_t stack[WORLD_STACK_BYTES];
	struct virtual_clock clock;
	uint64_t blocked;
} kept;

static bool in_writer(uint64_t pc)
{
	return pc - world_row.plain_begin < world_row.plain_end - world_row.plain_begin;
}

static bool in_harness(uint64_t pc)
{
	return pc - world_row.harness_begin < world_row.harness_end - world_row.harness_begin;
}

static bool is_engine(uint64_t pc)
{
	return pc == (uintptr_t)explore_enter || pc == (uintptr_t)explore_fill ||
	       pc == (uintptr_t)explore_inexact || pc == (uintptr_t)explore_prepare ||
	       pc == (uintptr_t)explore_published || pc == (uintptr_t)explore_leave ||
	       pc == (uintptr_t)explore_deferred || pc == (uintptr_t)explore_undeferred ||
	       pc == (uintptr_t)check_filler_bytes_of;
}

/*
 * A string instruction traps before each of its rounds, where there is a stop too: of bytes before
 * every eighth (world_resume()).
 */
static bool within_word(uint64_t pc, const greg_t *regs)
{
	const uint8_t *byte = (const uint8_t *)(uintptr_t)pc;

	return pc == stepper.last && *byte == 0xf3 && (byte[1] == 0xa4 || byte[1] == 0xaa) &&
	       regs[REG_RCX] & 7;
}

static void came_back(void)
{
	Dl_info info = { .dli_sname = NULL };

	if (stepper.away && !stepper.excused) {
		if (!stepper.audit->unseen && dladdr((void *)(uintptr_t)stepper.away_to, &info))
			snprintf(stepper.audit->first, sizeof(stepper.audit->first),
				 "a writer calls %s of %s, which is neither its own code nor the "
				 "engine's",
				 info.dli_sname ? info.dli_sname : "?", info.dli_fname);
		stepper.audit->unseen += stepper.away;
	}
	stepper.away = 0;
}

static void leave(uint64_t pc)
{
	if (!stepper.away++)
		stepper.excused = stepper.from == IN_HARNESS;
	stepper.away_to = pc;
	stepper.excused |= is_engine(pc);
}

/* As if the stop were called here. */
static void stop(greg_t *regs, uint64_t pc)
{
	regs[REG_RSP] -= 8;
	memcpy((void *)(uintptr_t)regs[REG_RSP], &pc, sizeof(pc));
	regs[REG_RIP] = (greg_t)(uintptr_t)explore_stop;
	regs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	stepper.passed = pc;
}

/* Before each instruction. */
static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t pc = (uint64_t)regs[REG_RIP];

	(void)signal;
	(void)info;
	stepper.traps++;
	if (pc == (uintptr_t)switch_done) {
		regs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
		return;
	}
	if (!in_writer(pc)) {
		if (in_harness(pc)) {
			came_back();
			stepper.from = IN_HARNESS;
		} else {
			leave(pc);
		}
		return;
	}
	came_back();
	stepper.from = IN_WRITER;
	if (pc != stepper.resumed && !within_word(pc, regs)) {
		stepper.trace->at[stepper.trace->length++] = pc;
		if (stepper.trace->length == stepper.until || stepper.trace->length == TRACE_MAX)
			stop(regs, pc);
	}
	stepper.resumed = 0;
	stepper.last = pc;
}

static struct switch_frame *frame(void)
{
	return (struct switch_frame *)world->book.sp;
}

static const struct explore_site *site_of_plain(uint64_t plain)
{
	uint64_t i;

	for (i = 0; i < world_row.site_count; i++)
		if (world_row.sites[i].plain == plain)
			return &world_row.sites[i];
	return NULL;
}

static enum switch_event go_on(enum mechanism how)
{
	uint64_t pc = frame()->pc;

	if (how == BY_STEPS) {
		frame()->flags |= TRAP_FLAG;
		/* In a writer: that is the interrupted one. Launched ones begin in the harness. */
		stepper.from = in_writer(pc) ? IN_WRITER : IN_HARNESS;
		stepper.resumed = in_writer(pc) && pc == stepper.passed ? pc : 0;
		stepper.last = stepper.resumed;
	}
	return world_resume();
}

static void interrupt(enum mechanism how, enum action_kind kind)
{
	const struct explore_site *site;

	if (how == BY_STOPS) {
		world_abort_section();
	} else {
		site = site_of_plain(frame()->pc);
		if (site && site->abort[STOPS_NONE]) {
			frame()->pc = site->abort[STOPS_NONE];
			stepper.passed = 0;
		}
	}
	world_launch(kind, how == BY_STOPS ? STOPS_ALL : STOPS_NONE);
}

/* Up to the `until`th instruction, where a writer stands then; 0: to the end. False: no end. */
static bool run(enum mechanism how, uint32_t until, struct trace *trace)
{
	struct book *book = &world->book;

	stepper.trace = trace;
	stepper.until = until;
	while (book->depth || book->left.events) {
		if (!book->depth) {
			book->left.events--;
			world_launch(ACTION_NEST, how == BY_STOPS ? STOPS_ALL : STOPS_NONE);
		}
		if (go_on(how) == SWITCH_DONE) {
			world_finished();
			continue;
		}
		if (how == BY_STOPS)
			trace->at[trace->length++] = world_site()->plain;
		if (trace->length == TRACE_MAX)
			return false;
		if (trace->length == until)
			return true;
	}
	return true;
}

static void keep(void)
{
	memcpy(kept.block, world, sizeof(kept.block));
	memcpy(kept.stack, (void *)(world_stack_end(0) - WORLD_STACK_BYTES), sizeof(kept.stack));
	kept.clock = *world_row.clock;
	kept.blocked = *world_row.blocked;
}

static void put_back(void)
{
	memcpy(world, kept.block, sizeof(kept.block));
	memcpy((void *)(world_stack_end(0) - WORLD_STACK_BYTES), kept.stack, sizeof(kept.stack));
	*world_row.clock = kept.clock;
	*world_row.blocked = kept.blocked;
	stepper.passed = world->book.depth ? frame()->pc : 0;
}

/* What is audited, and with what. */
struct audit_plan {
	const struct world_start *start;
	const struct budget *budget;
	struct trace *stops;
	struct trace *steps;
	uint8_t *covered; /* by offset in the plain copy */
	struct audit *audit;
};

static void describe(const struct trace *stops, const struct trace *steps, uint32_t at,
		     enum action_kind kind, uint32_t i, struct audit *audit)
{
	const struct explore_site *site = NULL;
	char text[200];

	if (i < steps->length)
		site = site_of_plain(steps->at[i]);
	if (site)
		snprintf(text, sizeof(text), "%s (%s:%" PRIu64 ")", site->instruction, site->file,
			 site->line);
	else if (i < steps->length)
		snprintf(text, sizeof(text),
			 "a place that stops.py did not take for an instruction "
			 "(%#" PRIx64 " bytes into the plain copy)",
			 steps->at[i] - world_row.plain_begin);
	else
		snprintf(text, sizeof(text), "none");
	snprintf(audit->first, sizeof(audit->first),
		 "%s%s at %u: %u stops against %u instructions; the first without its stop is "
		 "instruction %u, %s",
		 at ? "interrupt" : "no interrupt", kind == ACTION_BEAT ? " (beat)" : "", at,
		 stops->length, steps->length, i + 1, text);
}

static void compare(const struct trace *stops, const struct trace *steps, uint32_t at,
		    enum action_kind kind, struct audit *audit)
{
	uint32_t i = at;

	audit->schedules++;
	audit->stops += stops->length - at;
	audit->instructions += steps->length - at;
	while (i < stops->length && i < steps->length && stops->at[i] == steps->at[i])
		i++;
	if (i == stops->length && i == steps->length)
		return;
	if (!audit->different++ && !audit->unseen)
		describe(stops, steps, at, kind, i, audit);
}

/* Which instructions were executed at all. */
static void cover(const struct trace *steps, uint8_t *covered, struct audit *audit)
{
	uint32_t i;
	uint64_t at;

	for (i = 0; i < steps->length; i++) {
		at = steps->at[i] - world_row.plain_begin;
		audit->sites += !covered[at];
		covered[at] = 1;
	}
}

/* One schedule both ways: an interrupt of `kind` at the `at`th instruction; 0: none. */
static bool audit_schedule(const struct audit_plan *plan, enum action_kind kind, uint32_t at)
{
	world_begin(plan->start, plan->budget);
	plan->stops->length = 0;
	if (at) {
		if (!run(BY_STOPS, at, plan->stops))
			return false;
		interrupt(BY_STOPS, kind);
	}
	if (!run(BY_STOPS, 0, plan->stops))
		return false;
	put_back();
	plan->steps->length = at;
	if (at)
		interrupt(BY_STEPS, kind);
	if (!run(BY_STEPS, 0, plan->steps))
		return false;
	compare(plan->stops, plan->steps, at, kind, plan->audit);
	cover(plan->steps, plan->covered, plan->audit);
	return true;
}

/* Steps to the `at`th instruction of the schedule without an interrupt, and keeps the world. */
static bool step_to(const struct audit_plan *plan, uint32_t at)
{
	put_back();
	plan->steps->length = at - 1;
	if (!run(BY_STEPS, at, plan->steps))
		return false;
	keep();
	return true;
}

static bool audit_all(const struct audit_plan *plan)
{
	bool beats = world_row.driver->desc->needs & NEED_BEAT;
	uint32_t at, last;

	world_begin(plan->start, plan->budget);
	keep();
	if (!audit_schedule(plan, ACTION_NEST, 0))
		return false;
	/* Without the same instructions in both there is no such thing as the same interrupt. */
	last = plan->budget->nested && !plan->audit->different ? plan->steps->length : 0;
	for (at = 1; at <= last; at++) {
		if (!step_to(plan, at))
			return false;
		if (*world_row.blocked)
			continue;
		if (!audit_schedule(plan, ACTION_NEST, at) ||
		    (beats && !audit_schedule(plan, ACTION_BEAT, at)))
			return false;
	}
	return true;
}

/* One instruction under the flag: does the trap come? */
static bool traps_come(void)
{
	stepper.traps = 0;
	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
			 "pushfq; orq $0x100, (%%rsp); popfq; nop\n\t"
			 "pushfq; andq $~0x100, (%%rsp); popfq\n\t"
			 "leaq 128(%%rsp), %%rsp"
			 :
			 :
			 : "memory", "cc");
	stepper.away = 0;
	return stepper.traps > 0;
}

int audit_row(const struct world_start *start, const struct budget *budget, struct audit *audit)
{
	static uint8_t alternate[64 * 1024];
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK },
			 old;
	static struct trace stops, steps;
	struct audit_plan plan = {
		.start = start, .budget = budget, .stops = &stops, .steps = &steps, .audit = audit
	};
	int error = 0;

	*audit = (struct audit){ .schedules = 0 };
	stepper.audit = audit;
	plan.covered = calloc(world_row.plain_end - world_row.plain_begin + 1, 1);
	if (!plan.covered || sigaltstack(&stack, NULL) || sigaction(SIGTRAP, &action, &old)) {
		fail_line("no memory to audit %s", world_row.row);
		free(plan.covered);
		return -ENOMEM;
	}
	if (!traps_come()) {
		fail_line("--audit: this machine does not single-step (EFLAGS.TF)");
		error = -ENOTSUP;
	} else if (!audit_all(&plan)) {
		fail_line("%s does not end under audit", world_row.row);
		error = -ELOOP;
	}
	sigaction(SIGTRAP, &old, NULL);
	free(plan.covered);
	return error;
}
#else
int audit_row(const struct world_start *start, const struct budget *budget, struct audit *audit)
{
	(void)start;
	(void)budget;
	*audit = (struct audit){ .schedules = 0 };
	fail_line("--audit: single-stepping is for x86-64 only");
	return -ENOTSUP;
}
#endif
