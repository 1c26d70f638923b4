// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <string.h>

#include "base/fail.h"
#include "explore/every_scheme/every_scheme.h"

const struct language_operation language[OPERATIONS] = {
#define X(operation, ...) { __VA_ARGS__ },
	LANGUAGE_OPERATIONS(X)
#undef X
};

/* All that a program's text is made of, in the order of their enums; then the other options'. */
enum { AT_FORM = OPERATIONS, AT_SLOW = AT_FORM + FORMS, AT_TEST = AT_SLOW + SLOWS };
#define X(item, name, ...) name,
static const char *const words[] = { LANGUAGE_OPERATIONS(X) "whole",
				     "low",
				     "delta",
				     "packed low",
				     "where",
				     "else far",
				     "else long",
				     "else lost",
				     LANGUAGE_RELATIONS(X) NULL };
static const char *const groups[] = { LANGUAGE_GROUPS(X) NULL };
static const char *const promises[] = { LANGUAGE_PROMISES(X) NULL };
#undef X
#define X(item, name, more) more,
static const unsigned int relation_needs[RELATIONS] = { LANGUAGE_RELATIONS(X) };
static const char *const promise_rows[PROMISES] = { LANGUAGE_PROMISES(X) };
#undef X

unsigned int program_claim(const struct program *program)
{
	unsigned int i = 0;

	while (i < program->mains && !(CLAIMS >> program->op[i] & 1))
		i++;
	return i;
}

unsigned int program_set(const struct program *program, unsigned int begin, unsigned int end)
{
	unsigned int set = 0;

	for (; begin < end; begin++)
		set |= 1u << program->op[begin];
	return set;
}

static unsigned int relations_of(unsigned int set)
{
	unsigned int i, has = 0;

	for (i = 0; i < RELATIONS; i++)
		has |= relation_needs[i] & ~set ? 0 : 1u << i;
	return has;
}

unsigned int program_relations(const struct program *program)
{
	unsigned int place = program_set(program, 0, program->mains + program->slows) & SET(SP);
	unsigned int set = program_set(program, 0, program_claim(program)) | place;
	unsigned int not = REL(END) | (place ? REL(WORDS) : 0) |
			   (program->form == FORM_PACKED ? 0 : REL(PACKED));

	return program->form == FORM_WHOLE ? 0 : relations_of(set) & ~not ;
}

unsigned int program_late(const struct program *program)
{
	unsigned int set = program_set(program, program->mains, program->mains + program->slows);
	unsigned int both = set | program_set(program, 0, program_claim(program));

	return (set & SET(LT) ? REL(END) : 0) |
	       (set & SET(LS) ? relations_of(both) & (REL(WORDS) | REL(NEAR)) : 0);
}

bool program_may_go_on(const struct program *program, unsigned int has)
{
	unsigned int begin = program->slows ? program->mains : 0, claim = program_claim(program);
	unsigned int last = program->mains + program->slows - 1u, often = 1, i;
	unsigned int set = program_set(program, begin, last), operation = program->op[last];
	const struct language_operation *what = &language[operation];
	unsigned int where = !begin			   ? (claim < last ? AFTER : BEFORE) :
			     program->trigger == SLOW_FAR  ? (set & CLAIMS ? FAR_AFTER : FAR) :
			     program->trigger == SLOW_LONG ? LONG :
							     LOST;

	for (i = begin; i < last; i++)
		often += program->op[i] == operation;
	if (what->groups & ~has || often > (begin ? 1 : what->often) || !(what->where & where))
		return false;
	if (begin) /* a slow path has no word of its own */
		return !(what->slow_needs & ~(set & SET(LT)) &
			 ~program_set(program, 0, what->kind == KIND_LOAD ? begin : claim));
	/* B has no use but to be compared before the claim; S has its name first. */
	if (operation == OP_LB || operation == OP_SB)
		if (!(set & (SET(LS) | SET(SS))) && !(operation == OP_LB && has & HAS(PLACE)))
			return false;
	if ((operation == OP_SP && set & SET(SB)) || (operation == OP_SB && set & SET(SP)))
		return false;
	return !(what->needs & ~set);
}

bool program_is_formed(const struct program *program)
{
	unsigned int at = program_claim(program), before = program_set(program, 0, at);
	unsigned int set = program_set(program, 0, program->mains), claim = program->op[at];
	unsigned int slow = program_set(program, program->mains, program->mains + program->slows);
	unsigned int all = set | slow;

	if (at == program->mains || !(set & SET(CK)) || !(set & SET(MK)) != !(set & SET(UM)))
		return false;
	/* A word is loaded and stored, and holds stamps or places. */
	if ((all & SET(SB) && all & SET(SP)) || !(all & SET(LS)) != !(all & SET(SS)) ||
	    !(all & SET(LB)) != !(all & (SET(SB) | SET(SP))) ||
	    (program->form == FORM_DELTA ? !(set & SET(LS)) : set & ~before & SET(LS)))
		return false;
	if (program->form == FORM_WHOLE && set & (SET(LS) | SET(LB) | SET(SB) | SET(SP) | SET(LT2)))
		return false;
	/* Without a look at the tail a writer has a place: it looks for a test, if at all. */
	if (claim == OP_XA && set & SET(LT) && program->trigger != SLOW_LOST &&
	    !(set & (SET(LT2) | SET(SP))))
		return false;
	if (program->form == FORM_PACKED &&
	    (claim == OP_XA || claim == OP_XP || !(before & SET(CK))))
		return false;
	if (program->trigger == SLOW_LOST)
		return claim == OP_XA && set & SET(LT) && (!slow || slow & SET(LS));
	if (program->trigger == SLOW_FAR && (!(slow & CLAIMS) || set & SET(MK)))
		return false;
	return program->trigger == SLOW_NONE || (slow && program_relations(program));
}

struct program_cost program_cost(const struct program *program)
{
	struct program_cost cost = { .operations = program->mains + program->slows };
	unsigned int i, set = program_set(program, 0, program->mains);

	for (i = 0; i < program->mains; i++) {
		const struct language_operation *what = &language[program->op[i]];

		cost.clocks += what->kind == KIND_CLOCK;
		cost.accesses += what->kind != KIND_CLOCK && what->kind != KIND_MASK;
		cost.atomics += !!(what->groups & (HAS(XADD) | HAS(CMPXCHG)));
	}
	cost.words = !!(set & SET(LS)) + !!(set & SET(LB));
	return cost;
}

/* ---- text ---- */

/* "load tail; clock; cmpxchg tail; low where near" */
static void print_test(unsigned int set, const char *before, FILE *out)
{
	unsigned int i;

	for (i = 0; i < RELATIONS; i++)
		if (set >> i & 1) {
			fprintf(out, "%s %s", before, words[AT_TEST + i]);
			before = "";
		}
}

void program_print(const struct program *program, FILE *out)
{
	unsigned int i;

	for (i = 0; i < program->mains; i++)
		fprintf(out, "%s; ", words[program->op[i]]);
	fputs(words[AT_FORM + program->form], out);
	print_test(program->test, " where", out);
	if (program->trigger)
		fprintf(out, "; %s", words[AT_SLOW + program->trigger]);
	for (; i < program->mains + program->slows; i++)
		fprintf(out, "%s%s", i == program->mains ? ": " : "; ", words[program->op[i]]);
	print_test(program->late, "; delta where", out);
}

/* The longest of `names` that *text begins with, which is skipped; -1 after a line: none. */
static int take_word(const char *option, const char **text, const char *const *names)
{
	char known[512] = "";
	size_t length, longest = 0;
	int i, best = -1;

	for (i = 0; names[i]; i++) {
		length = strlen(names[i]);
		if (length > longest && !strncmp(*text, names[i], length) &&
		    !isalnum((unsigned char)(*text)[length])) {
			longest = length;
			best = i;
		}
		length = strlen(known);
		snprintf(known + length, sizeof(known) - length, "%s%s", i ? ", " : "", names[i]);
	}
	*text += longest;
	if (best < 0)
		fail_line("%s: there is no \"%.*s\"; there are %s", option,
			  (int)strcspn(*text, ";:,"), *text, known);
	return best;
}

static bool take_words(const char *option, const char *text, const char *const *names,
		       unsigned int *set)
{
	int word;

	for (*set = 0; *(text += strspn(text, " ,")); *set |= 1u << word) {
		word = take_word(option, &text, names);
		if (word < 0)
			return false;
	}
	return true;
}

bool language_groups(const char *text, unsigned int *set)
{
	return take_words("--ops", text, groups, set);
}

bool language_promises(const char *text, unsigned int *set)
{
	return take_words("--promises", text, promises, set);
}

bool program_parse(const char *text, struct program *program)
{
	bool formed = false;
	int word;

	*program = (struct program){ .mains = 0 };
	while (*(text += strspn(text, " \n;:"))) {
		word = take_word("--program", &text, words);
		if (word < 0)
			return false;
		if (word < OPERATIONS && program->mains + program->slows == PROGRAM_MOST)
			return fail_with(0, "--program: more than %d operations", PROGRAM_MOST);
		if (word < OPERATIONS) {
			program->op[program->mains + program->slows] = (uint8_t)word;
			*(formed ? &program->slows : &program->mains) += 1;
		} else if (word < AT_SLOW && !formed) {
			program->form = (uint8_t)(word - AT_FORM);
			formed = true;
		} else if (word > AT_SLOW && word < AT_TEST) {
			program->trigger = (uint8_t)(word - AT_SLOW);
		} else if (word >= AT_TEST) {
			*(program->trigger ? &program->late : &program->test) |=
				(uint8_t)(1 << (word - AT_TEST));
		}
	}
	if (!formed || (program->slows && !program->trigger))
		return fail_with(0, "--program: end it with its record: whole, low, packed low or "
				    "delta, \"where\" its test, and \"else\" its slow path");
	if (!(program_set(program, 0, program->mains) & CLAIMS) ||
	    !(program_set(program, 0, program->mains) & SET(CK)))
		return fail_with(0, "--program: a reserve has a clock and a claim (xadd, cmpxchg, "
				    "store or commit of the tail)");
	if (program->test & ~program_relations(program) || program->late & ~program_late(program))
		return fail_with(0, "--program: the test asks for what is not loaded before it");
	return true;
}

/* ---- a row ---- */

/* A word as schemes/parts/found.h defines it, which has no blanks. */
static void put_name(FILE *out, const char *before, const char *name, const char *after)
{
	fputs(before, out);
	for (; *name; name++)
		fputc(*name == ' ' ? '_' : *name, out);
	fputs(after, out);
}

static void define_test(FILE *out, const char *name, unsigned int set, bool never)
{
	unsigned int i;

	fprintf(out, "\n#define FOUND_%s (%d", name, !never);
	for (i = 0; i < RELATIONS; i++)
		if (set >> i & 1)
			put_name(out, " && REL_", words[AT_TEST + i], "");
	fputc(')', out);
}

static void define_list(FILE *out, const char *name, const struct program *program, unsigned int i,
			unsigned int end)
{
	fprintf(out, "\n#define FOUND_%s", name);
	for (; i < end; i++) {
		put_name(out, " OP_", words[program->op[i]], ";");
		if (i >= program->mains && CLAIMS >> program->op[i] & 1)
			fputs(" FOUND_STAMP_ALONE;", out);
	}
}

int program_header(const struct program *program, unsigned int owes, const char *path)
{
	unsigned int i, at = program_claim(program), mains = program->mains;
	unsigned int clocks = program_cost(program).clocks;
	FILE *out;

	if (program->op[at] == OP_RC)
		return fail_with(EXIT_UNSUPPORTED, "--header: a restartable section is written in "
						   "assembly: schemes/restartable.h is that row");
	out = fopen(path, "w");
	if (!out)
		return fail_with(EXIT_RESOURCE, "cannot write %s", path);
	fputs("/* SPDX-License-Identifier: MIT */\n/*\n * ", out);
	program_print(program, out);
	fprintf(out,
		"\n *\n * Found by build/every-scheme: schemes/parts/found.h says what the macros "
		"are.\n * Clock reads per event: %u; as many more for each attempt that was made "
		"void.\n */\n#ifndef STAMPEDE_SCHEMES_FOUND_H\n#define STAMPEDE_SCHEMES_FOUND_H\n\n"
		"#define FOUND_FORM %u\n#define FOUND_SLOW_PATH %u\n#define FOUND_MASKS %d\n"
		"#define FOUND_CLOCKS %u\n#define FOUND_NEEDS %s\n#define FOUND_EXTENSION "
		"EXTEND_%s\n"
		"#define FOUND_PROMISES (0",
		clocks, program->form, program->trigger,
		program_set(program, 0, mains) & SET(MK) ? 1 : 0, clocks,
		owes & OWES(COARSE) ? "0" : "NEED_STRICT_CLOCK",
		program->form == FORM_WHOLE || program->trigger == SLOW_LONG ? "ALWAYS" :
		program->test & (REL(UPPER) | REL(PACKED))		     ? "ON_CARRY" :
		owes & OWES(WRAP)					     ? "ON_GAP" :
									       "NEVER");
	for (i = 0; i < PROMISES; i++)
		if (owes >> i & 1 && promise_rows[i])
			fprintf(out, " | PROMISE_%s", promise_rows[i]);
	fputc(')', out);
	define_test(out, "TEST", program->test, false);
	define_test(out, "EXACT", program->late, !program->slows);
	define_list(out, "BEFORE", program, 0, at);
	define_list(out, "CLAIM", program, at, at + 1);
	define_list(out, "AFTER", program, at + 1, mains);
	define_list(out, "SLOW", program, mains, mains + program->slows);
	fputs("\n\n#include \"schemes/core/ring.h\"\n\nstruct scheme_ring {\n\tstruct ring ring;\n"
	      "\tuint64_t s, b;\n};\n\n#include \"schemes/parts/found.h\"\n\n#endif\n",
	      out);
	fclose(out);
	return EXIT_FINE;
}
