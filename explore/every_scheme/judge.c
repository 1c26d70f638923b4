// SPDX-License-Identifier: MIT
/*
 * The schedules are those of build/explore with --stops points, one by one, so the counts are the
 * same too: an odometer of choices, one for each point where an interrupt or a jump may come.
 */
#include <stddef.h>
#include <string.h>

#include "explore/every_scheme/every_scheme.h"

#define BITS 3 /* T */
#define NARROW_BITS 2 /* above T, in a word of few bits */
#define PLACES 20 /* records and what becomes padding */
#define CHOICES 512
#define TRIES 9 /* that a program may start over: more than any budget interrupts it */

/* Around one wrap of T = 3, two, and some of a word of few bits. */
static const int16_t few[] = { 7, 8, 9, 0 }, pairs[] = { 7, 8, 9, 32, 0 }, coarse[] = { 1, 2, 0 };
static const int16_t back[] = { 7, 8, 9, -7, -8, -9, 0 }, wraps[] = { 1, 4, 7, 8, 9, 16, 17, 0 };
static const int16_t far[] = { 1, 6, 7, 8, 9, 15, 16, 17, 30, 31, 32, 33, 64, 256, 0 };
static const int16_t all[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0 };

static const struct judge_budget {
	unsigned int promises; /* of which any asks for it; 0: all do */
	uint8_t events, nests, jumps;
	uint8_t step, begins; /* of the clock */
	uint8_t stops; /* after the last operation */
	const int16_t *sizes; /* of jumps */
} budgets[] = {
	{ 0, 2, 1, 0, 1, 64, 1, NULL },
	{ OWES(GAPS) | OWES(WRAP), 2, 1, 1, 1, 64, 1, few },
	{ OWES(WRAP), 2, 1, 1, 1, 64, 1, far },
	{ 0, 2, 2, 0, 1, 64, 1, NULL },
	{ OWES(BOUNDED), 2, 1, 0, 8, 64, 1, NULL },
	{ OWES(COARSE), 2, 2, 1, 0, 64, 1, coarse },
	{ OWES(STEP), 2, 1, 2, 1, 64, 1, back },
	{ 0, 2, 3, 0, 1, 64, 1, NULL },
	{ OWES(GAPS) | OWES(WRAP), 2, 2, 1, 1, 69, 1, wraps },
	{ OWES(WRAP), 2, 1, 2, 1, 67, 1, pairs },
	{ 0, 1, 4, 0, 1, 64, 1, NULL },
	{ OWES(EXPLORER), 2, 2, 0, 1, 0, 4, NULL },
	{ OWES(EXPLORER), 2, 1, 1, 1, 0, 4, all },
}, undisturbed = { 0, 2, 0, 0, 1, 0, 1, NULL };
#define BUDGETS (sizeof(budgets) / sizeof(budgets[0]))

struct attempt {
	uint32_t reg[REGISTERS], entry;
	uint8_t tries;
	bool whole, lost, again, interrupted;
};

struct placed {
	uint32_t stamp, value, entry, exit;
	enum { PLACE_FREE, PLACE_TAKEN, PLACE_PAD, PLACE_EVENT, PLACE_STAMP } kind;
	enum program_form form;
	bool inexact;
};

static struct judge_run {
	const struct program *program;
	const struct judge_task *task;
	const struct judge_budget *budget;
	unsigned int claim, sizes, plain; /* relations at the newest claim of the task */
	bool looks; /* the program loads the tail before its claim */
	struct world {
		uint32_t word[WORDS];
		bool opened, masked, broken, endless;
		struct placed record[PLACES];
	} now, begun; /* after a first event that nothing disturbs */
	bool over;
	uint8_t events, nests, jumps; /* left */
	unsigned int stop, at, set;
	FILE *trace;
	uint8_t choice[CHOICES], most[CHOICES]; /* at each point where something may happen */
} run;

static uint32_t low(uint32_t value, unsigned int bits)
{
	return value & ((UINT32_C(1) << bits) - 1);
}

/* What a word remembers of a stamp. */
static uint32_t kept(uint32_t stamp)
{
	return run.task->groups & HAS(NARROW) ? low(stamp, BITS + NARROW_BITS) : stamp;
}

static unsigned int relations(const struct attempt *w)
{
	const uint32_t *reg = w->reg;
	unsigned int upper = kept(reg[REG_C]) >> BITS;

	return (reg[REG_S] == reg[REG_B]) * REL(WORDS) | (reg[REG_S] == reg[REG_S2]) * REL(TWICE) |
	       (reg[REG_T] == reg[REG_T2]) * REL(TAILS) |
	       !(kept(reg[REG_C] - reg[REG_S]) >> BITS) * REL(NEAR) |
	       (upper == reg[REG_S] >> BITS) * REL(UPPER) |
	       (reg[REG_T] == reg[REG_B]) * REL(PLACE) | (upper == reg[REG_U]) * REL(PACKED) |
	       (reg[REG_T] == reg[REG_END]) * REL(END);
}

/* ---- a writer, and those that interrupt it ---- */

static void writer(unsigned int level);

/* Interrupts and jumps of the clock before the next step; `elsewhere`: none has to be tried. */
static void point(struct attempt *w, unsigned int level, bool elsewhere)
{
	unsigned int nests, choice;
	int jump;

	for (run.stop++; !run.over && !elsewhere;) {
		nests = w && run.nests && !run.now.masked;
		if (!(nests || (run.jumps && run.sizes)) || run.at == CHOICES)
			return;
		if (run.at == run.set)
			run.choice[run.set++] = 0;
		run.most[run.at] = (uint8_t)(nests + (run.jumps ? run.sizes : 0));
		choice = run.choice[run.at++];
		if (!choice)
			return;
		if (choice <= nests) {
			run.nests--;
			w->interrupted = true;
			writer(level + 1);
			continue;
		}
		run.jumps--;
		jump = run.budget->sizes[choice - nests - 1];
		run.now.word[CLOCK] += (uint32_t)jump;
		if (run.trace)
			fprintf(run.trace, "  %5u  the clock jumps by %d\n", run.stop, jump);
	}
}

/* Does the test fail? The first record of a sub-buffer has its stamp in the sub-buffer's header. */
static bool is_far(const struct attempt *w)
{
	return !(run.now.opened && !w->reg[REG_T] && run.looks) &&
	       run.program->test & ~relations(w);
}

/* How many steps follow it: commits of what is no event, and an unmask. */
static unsigned int claim(struct attempt *w, enum operation operation, bool slow)
{
	const struct program *program = run.program;
	bool packed = program->form == FORM_PACKED;
	struct world *now = &run.now;
	struct placed *record;
	uint32_t place;

	if (!slow)
		w->whole =
			program->form == FORM_WHOLE || (program->trigger != SLOW_FAR && is_far(w));
	w->again = (operation == OP_CX && (now->word[TAIL] != w->reg[REG_T] ||
					   (packed && now->word[UPPER] != w->reg[REG_U]))) ||
		   (operation == OP_RC && w->interrupted);
	if (w->again)
		return now->masked;
	w->again = !packed && !now->opened; /* past the end: the next sub-buffer is opened */
	now->opened = true;
	if (w->again)
		return 0;
	place = operation == OP_XA || operation == OP_XP ? now->word[TAIL] : w->reg[REG_T];
	w->reg[REG_PLACE] = place;
	w->reg[REG_END] = now->word[TAIL] = place + 1;
	now->word[UPPER] = kept(w->reg[REG_C]) >> BITS;
	if (place >= PLACES) { /* no schedule has so many records but one without end */
		run.over = now->endless = true;
		return 0;
	}
	record = &now->record[place];
	now->broken |= record->kind != PLACE_FREE;
	w->again = operation == OP_XP && place != w->reg[REG_T];
	*record = (struct placed){
		.kind = w->again ? PLACE_PAD :
			slow	 ? PLACE_STAMP :
				   PLACE_TAKEN,
		.stamp = w->reg[REG_C],
	};
	return w->again ? 1 + now->masked : slow;
}

static void step(struct attempt *w, unsigned int level, unsigned int i)
{
	const struct language_operation *what = &language[run.program->op[i]];
	unsigned int extra = 0;

	point(w, level, run.budget->stops == 1 && level && !i && !w->tries);
	if (run.over)
		return;
	if (run.trace)
		fprintf(run.trace, "  %5u  %*s%s %u: %s\n", run.stop, 2 * (int)level, "",
			level ? "interrupt" : "task", level, what->name);
	if (what->kind == KIND_LOAD) {
		w->reg[what->reg] = run.now.word[what->word];
		if (what->reg == REG_T)
			w->reg[REG_U] = run.now.word[UPPER];
	} else if (what->kind == KIND_STORE) {
		run.now.word[what->word] =
			what->reg == REG_C ? kept(w->reg[REG_C]) : w->reg[what->reg];
	} else if (what->kind == KIND_CLOCK) {
		w->reg[REG_C] = run.now.word[CLOCK];
		run.now.word[CLOCK] += run.budget->step;
	} else if (what->kind == KIND_MASK) {
		run.now.masked = run.program->op[i] == OP_MK;
	} else {
		if (i < run.program->mains && !level)
			run.plain = relations(w);
		for (extra = claim(w, run.program->op[i], i >= run.program->mains); extra; extra--)
			point(w, level, false);
		run.now.masked &= !w->again;
	}
}

/* From the first operation to the last, or to where it starts over. */
static void attempt(struct attempt *w, unsigned int level)
{
	const struct program *program = run.program;
	unsigned int i, end = program->mains;

	w->again = w->interrupted = false;
	for (i = 0; i < end && !w->again && !run.over; i++) {
		if (i == run.claim && program->trigger == SLOW_FAR && is_far(w))
			break;
		step(w, level, i);
		if (i != run.claim || w->again || program->trigger < SLOW_LONG)
			continue;
		w->lost = program->trigger == SLOW_LOST && w->reg[REG_PLACE] != w->reg[REG_T];
		if (program->trigger == SLOW_LONG ? w->whole : w->lost)
			break;
	}
	if (i == end || w->again)
		return;
	for (i = end; i < program->length && !w->again && !run.over; i++)
		step(w, level, i);
	w->again |= program->trigger == SLOW_FAR;
}

/* What the record says, and a reader knows of its claim. */
static void put(const struct attempt *w)
{
	const struct program *program = run.program;
	bool exact =
		!w->lost || (program->length > program->mains && !(program->late & ~relations(w)));
	uint32_t stamp = w->reg[REG_C], delta = stamp - w->reg[REG_S];
	enum program_form form = w->whole && !w->lost ? FORM_WHOLE : program->form;

	run.now.record[w->reg[REG_PLACE]] = (struct placed){
		.stamp = stamp,
		.entry = w->entry,
		.exit = run.now.word[CLOCK],
		.kind = PLACE_EVENT,
		.form = form,
		.inexact = !exact,
		.value = form == FORM_WHOLE ? stamp :
			 !exact		    ? 0 :
			 form != FORM_DELTA ? low(stamp, BITS) :
			 w->whole	    ? delta :
					      low(delta, BITS),
	};
}

/*
 * What comes before an interrupt's first operation, or after its last, may as well come before or
 * after the interrupt; and after an event's last, before the next one's first: the search does not
 * try both. The counts that the explorer has too are those of all stops.
 */
static void writer(unsigned int level)
{
	struct attempt w = { .entry = run.now.word[CLOCK] };
	unsigned int i, stops = run.budget->stops;

	if (level && stops > 1) { /* may it run at all? */
		point(&w, level, false);
		w.entry = run.now.word[CLOCK];
	}
	for (attempt(&w, level); w.again && !run.over; attempt(&w, level))
		run.over = run.now.endless = ++w.tries == TRIES;
	for (i = 0; i < stops && !run.over; i++)
		point(&w, level, stops == 1 && (level || run.events));
	if (!run.over)
		put(&w);
	/* A count goes on to the end of a broken schedule. */
	run.over |= run.now.broken && !(run.budget->promises & OWES(EXPLORER));
}

/* ---- the reader ---- */

static const char *read_record(const struct placed *record, uint32_t *time, bool first)
{
	unsigned int promises = run.task->promises;
	uint32_t before = *time;

	*time = first || record->kind == PLACE_STAMP ? record->stamp :
		record->form == FORM_WHOLE	     ? record->value :
		record->form == FORM_DELTA	     ? before + record->value :
						       before + low(record->value - before, BITS);
	if (promises & OWES(ORDER) && run.budget->sizes != back && !first &&
	    (int32_t)(*time - before) < 0)
		return "stamps go back";
	if (record->kind == PLACE_STAMP)
		return NULL;
	if (*time != record->stamp && (promises & OWES(EXACT) || !record->inexact))
		return "a decoded stamp is wrong";
	if ((int32_t)(*time - record->entry) < 0 || (int32_t)(record->exit - *time) < 0)
		return "a decoded stamp is outside its own reserve";
	return NULL;
}

static const char *verdict(void)
{
	const struct world *now = &run.now;
	const char *fault = now->endless ? "the writer never ends" :
			    now->masked	 ? "interrupts are left masked" :
					   NULL;
	uint32_t time = 0, i;

	/* A clock whose reads take wraps is all gaps. */
	if (run.budget->step > 1 && !(run.task->promises & OWES(WRAP)))
		return now->broken ? "a record is overwritten" : fault;
	for (i = 0; !fault && i < now->word[TAIL]; i++)
		if (now->broken || now->record[i].kind == PLACE_FREE ||
		    now->record[i].kind == PLACE_TAKEN)
			fault = "a record is lost or overwritten";
		else if (now->record[i].kind != PLACE_PAD)
			fault = read_record(&now->record[i], &time, !i);
	return fault;
}

/* ---- the schedules ---- */

static void begin(const struct program *program, const struct judge_task *task,
		  const struct judge_budget *budget)
{
	memset(&run, 0, offsetof(struct judge_run, choice));
	run.program = program;
	run.task = task;
	run.budget = budget;
	run.claim = program_claim(program);
	run.looks = program_set(program, 0, run.claim) & SET(LT);
	while (budget->sizes && budget->sizes[run.sizes])
		run.sizes++;
	run.now.word[CLOCK] = budget->begins;
	writer(0);
	run.begun = run.now;
}

uint64_t judge_steps;

/* The schedule of the choices that are set, and of none after them. */
static const char *schedule(void)
{
	run.now = run.begun;
	run.over = run.now.endless;
	run.nests = run.budget->nests;
	run.jumps = run.budget->jumps;
	run.at = run.stop = 0;
	for (run.events = run.budget->events; run.events && !run.over;) {
		point(NULL, 0, false);
		run.events--;
		writer(0);
	}
	judge_steps += run.stop;
	return verdict();
}

/* The next one; false: that was the last. */
static bool next(void)
{
	for (run.set = run.at; run.set && run.choice[run.set - 1] == run.most[run.set - 1];)
		run.set--;
	if (run.set)
		run.choice[run.set - 1]++;
	return run.set;
}

const char *judge_all(const struct program *program, const struct judge_task *task,
		      enum judge_depth depth, FILE *out)
{
	unsigned long schedules, broken, endless = 0;
	unsigned int i, count = task->promises & OWES(EXPLORER);
	const char *fault;

	for (i = 0; i < BUDGETS && i <= depth; i++) {
		if (count ? budgets[i].promises != count :
			    budgets[i].promises && !(budgets[i].promises & task->promises))
			continue;
		schedules = broken = 0;
		begin(program, task, &budgets[i]);
		do {
			fault = schedule();
			schedules++;
			broken += fault != NULL;
			endless += run.now.endless;
		} while ((!fault || count) && next());
		if (count) {
			fprintf(out, "%lu %lu %lu ", schedules, broken, endless);
		} else if (fault) {
			run.trace = out;
			return schedule();
		}
	}
	return NULL;
}

unsigned int judge_plain(const struct program *program, const struct judge_task *task)
{
	begin(program, task, &undisturbed);
	schedule();
	return run.plain;
}
