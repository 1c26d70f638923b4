// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "base/options.h"
#include "explore/every_scheme/every_scheme.h"

#define X(operation, ...) { __VA_ARGS__ },
const struct language_operation language[OPERATIONS] = { LANGUAGE_OPERATIONS(X) };
#undef X

/* All that a program's text is made of, but its tests, in the order of their enums. */
enum { AT_FORM = OPERATIONS, AT_SLOW = AT_FORM + FORMS };
#define X(item, name, ...) name,
static const char *const words[] = { LANGUAGE_OPERATIONS(X) "whole",
				     "low",
				     "delta",
				     "packed low",
				     "", /* SLOW_NONE */
				     "else far",
				     "else long",
				     "else lost",
				     NULL };
static const char *const relations[] = { LANGUAGE_RELATIONS(X) NULL };
const char *const language_groups[] = { LANGUAGE_GROUPS(X) NULL };
const char *const language_promises[] = { LANGUAGE_PROMISES(X) NULL };
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
	unsigned int place = program_set(program, 0, program->length) & SET(SP);
	unsigned int set = program_set(program, 0, program_claim(program)) | place;
	unsigned int not = REL(END) | (place ? REL(WORDS) : 0) |
			   (program->form == FORM_PACKED ? 0 : REL(PACKED));

	return program->form == FORM_WHOLE ? 0 : relations_of(set) & ~not ;
}

unsigned int program_late(const struct program *program)
{
	unsigned int set = program_set(program, program->mains, program->length);
	unsigned int both = set | program_set(program, 0, program_claim(program));

	return (set & SET(LT) ? REL(END) : 0) |
	       (set & SET(LS) ? relations_of(both) & (REL(WORDS) | REL(NEAR)) : 0);
}

bool program_may_go_on(const struct program *program, unsigned int has)
{
	unsigned int begin = program->length > program->mains ? program->mains : 0,
		     claim = program_claim(program);
	unsigned int last = program->length - 1u, often = 1, i;
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
	unsigned int slow = program_set(program, program->mains, program->length);
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
	struct program_cost cost = { .of[COST_OPERATIONS] = program->length };
	unsigned int i, set = program_set(program, 0, program->mains);

	for (i = 0; i < program->mains; i++) {
		const struct language_operation *what = &language[program->op[i]];

		cost.of[COST_CLOCKS] += what->kind == KIND_CLOCK;
		cost.of[COST_ACCESSES] += what->kind != KIND_CLOCK && what->kind != KIND_MASK;
		cost.of[COST_ATOMICS] += !!(what->groups & (HAS(XADD) | HAS(CMPXCHG)));
	}
	cost.of[COST_WORDS] = !!(set & SET(LS)) + !!(set & SET(LB));
	return cost;
}

/* ---- text ---- */

/* "load tail; clock; cmpxchg tail; low where near" */
static void print_test(unsigned int set, const char *before, FILE *out)
{
	unsigned int i;

	for (i = 0; i < RELATIONS; i++)
		if (set >> i & 1) {
			fprintf(out, "%s %s", before, relations[i]);
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
	for (; i < program->length; i++)
		fprintf(out, "%s%s", i == program->mains ? ": " : "; ", words[program->op[i]]);
	print_test(program->late, "; delta where", out);
}

/* The next part of *rest, without blanks around it; NULL: no part is left. */
static char *next_part(char **rest, const char *ends)
{
	char *part = NULL, *end;

	while (*rest && (!part || !*part)) {
		part = strsep(rest, ends);
		part += strspn(part, " ");
		for (end = part + strlen(part); end > part && end[-1] == ' '; end--)
			end[-1] = '\0';
	}
	return part && *part ? part : NULL;
}

bool language_set(const char *option, const char *text, const char *const *names, unsigned int *set)
{
	char copy[1024], *rest = copy, *part;
	int word;

	snprintf(copy, sizeof(copy), "%s", text);
	for (*set = 0; (part = next_part(&rest, " ,")); *set |= 1u << word) {
		word = option_word(option, part, names);
		if (word < 0)
			return false;
	}
	return true;
}

/* Adds an operation, the record, or the name of a slow path; its test has been cut off. */
static bool take_part(struct program *program, const char *part, unsigned int test, bool *formed)
{
	int word = option_word("--program", part, words);

	if (word < 0)
		return false;
	if (word < OPERATIONS && program->length == PROGRAM_MOST)
		return fail_with(0, "--program: more than %d operations", PROGRAM_MOST);
	if (word < OPERATIONS) {
		program->op[program->length++] = (uint8_t)word;
		program->mains += !*formed;
	} else if (word >= AT_SLOW) {
		program->trigger = (uint8_t)(word - AT_SLOW);
	} else if (!*formed) {
		program->form = (uint8_t)(word - AT_FORM);
		*formed = true;
	}
	*(program->trigger ? &program->late : &program->test) |= (uint8_t)test;
	return true;
}

bool program_parse(const char *text, struct program *program)
{
	char copy[1024], *rest = copy, *part, *where;
	unsigned int test, set;
	bool formed = false;

	*program = (struct program){ .mains = 0 };
	snprintf(copy, sizeof(copy), "%s", text);
	while ((part = next_part(&rest, ";:\n"))) {
		where = strstr(part, " where ");
		if (where)
			*where = '\0';
		if (!language_set("--program", where ? where + 7 : "", relations, &test) ||
		    !take_part(program, part, test, &formed))
			return false;
	}
	if (!formed || (program->length > program->mains && !program->trigger))
		return fail_with(0, "--program: end it with its record: whole, low, packed low or "
				    "delta, \"where\" its test, and \"else\" its slow path");
	set = program_set(program, 0, program->mains);
	if (!(set & CLAIMS) || !(set & SET(CK)))
		return fail_with(0, "--program: a reserve has a clock and a claim (xadd, cmpxchg, "
				    "store or commit of the tail)");
	if (program->test & ~program_relations(program) || program->late & ~program_late(program))
		return fail_with(0, "--program: the test asks for what is not loaded before it");
	return true;
}

/* ---- a row ---- */

/* A word as schemes/parts/found.h defines it, which has no blanks. */
static void put_name(FILE *out, const char *before, const char *name)
{
	fputs(before, out);
	for (; *name; name++)
		fputc(*name == ' ' ? '_' : *name, out);
}

static void define_test(FILE *out, const char *name, unsigned int set, bool never)
{
	unsigned int i;

	fprintf(out, "\n#define FOUND_%s (%d", name, !never);
	for (i = 0; i < RELATIONS; i++)
		if (set >> i & 1)
			put_name(out, " && REL_", relations[i]);
	fputc(')', out);
}

static void define_list(FILE *out, const char *name, const struct program *program, unsigned int i,
			unsigned int end)
{
	fprintf(out, "\n#define FOUND_%s", name);
	for (; i < end; i++) {
		put_name(out, " OP_", words[program->op[i]]);
		fputs(i >= program->mains && CLAIMS >> program->op[i] & 1 ? "; FOUND_STAMP_ALONE;" :
									    ";",
		      out);
	}
}

int program_header(const struct program *program, unsigned int owes, const char *path)
{
	unsigned int i, at = program_claim(program), mains = program->mains;
	unsigned int clocks = program_cost(program).of[COST_CLOCKS];
	FILE *out;

	if (program->op[at] == OP_RC)
		return fail_with(EXIT_UNSUPPORTED, "--header: a restartable section is written in "
						   "assembly: schemes/restartable.h is that row");
	out = fopen(path, "w");
	if (!out)
		return fail_file("write", path, errno);
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
	define_test(out, "EXACT", program->late, program->length == mains);
	define_list(out, "BEFORE", program, 0, at);
	define_list(out, "CLAIM", program, at, at + 1);
	define_list(out, "AFTER", program, at + 1, mains);
	define_list(out, "SLOW", program, mains, program->length);
	fputs("\n\n#include \"schemes/core/ring.h\"\n\nstruct scheme_ring {\n\tstruct ring ring;\n"
	      "\tuint64_t s, b;\n};\n\n#include \"schemes/parts/found.h\"\n\n#endif\n",
	      out);
	fclose(out);
	return EXIT_FINE;
}
