// SPDX-License-Identifier: MIT
#include "base/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"

#define NAME_MAX_BYTES 63
#define NEAR 3 /* letters: what is further off is no slip */

/* Levenshtein distance; names are short. */
static unsigned int distance(const char *a, size_t a_bytes, const char *b)
{
	unsigned int row[NAME_MAX_BYTES + 1], diagonal, above, change;
	size_t i, j, b_bytes = strlen(b);

	if (b_bytes > NAME_MAX_BYTES)
		return NAME_MAX_BYTES;
	for (j = 0; j <= b_bytes; j++)
		row[j] = (unsigned int)j;
	for (i = 1; i <= a_bytes; i++) {
		diagonal = row[0];
		row[0] = (unsigned int)i;
		for (j = 1; j <= b_bytes; j++) {
			above = row[j];
			change = diagonal + (a[i - 1] != b[j - 1]);
			row[j] = above + 1 < row[j - 1] + 1 ? above + 1 : row[j - 1] + 1;
			if (change < row[j])
				row[j] = change;
			diagonal = above;
		}
	}
	return row[b_bytes];
}

void option_unknown(const char *kind, const char *name, size_t length, const char *const *names)
{
	const char *nearest = NULL;
	unsigned int best = NAME_MAX_BYTES, one;

	for (; *names; names++) {
		one = distance(name, length, *names);
		if (!nearest || one < best) {
			best = one;
			nearest = *names;
		}
	}
	if (nearest && best <= NEAR)
		fail_line("no %s is called '%.*s'; the nearest is '%s' (--list shows all)", kind,
			  (int)length, name, nearest);
	else
		fail_line("no %s is called '%.*s' (--list shows all)", kind, (int)length, name);
}

/* One line: this argument is no option. Always EXIT_USAGE. */
static int option_refused(const char *argument)
{
	return fail_with(EXIT_USAGE,
			 "'%s' is not an option, or lacks its value (--help shows them)", argument);
}

int option_word(const char *option, const char *text, const char *const *words)
{
	char all[1024];
	size_t length = 0;
	int i;

	for (i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return i;
	all[0] = '\0';
	for (i = 0; words[i] && length < sizeof(all); i++)
		if (*words[i]) /* an empty word stands for none: no user can give it */
			length += (size_t)snprintf(all + length, sizeof(all) - length, "%s %s",
						   i ? "," : "", words[i]);
	fail_line("%s %s: not one of%s", option, text, all);
	return -1;
}

bool option_pair(const char *text, char between, uint64_t most, uint64_t pair[2])
{
	char *end;

	errno = 0;
	pair[0] = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end++ != between || !isdigit((unsigned char)*end))
		return false;
	pair[1] = strtoull(end, &end, 10);
	return !errno && !*end && pair[1] <= most;
}

bool option_number(const char *option, const char *text, uint64_t least, uint64_t most,
		   uint64_t *value)
{
	unsigned long long number = 0, scale = 1;
	char *end = NULL;

	errno = 0;
	if (text && isdigit((unsigned char)*text))
		number = strtoull(text, &end, 10);
	if (end && (*end == 'k' || *end == 'M'))
		scale = *end++ == 'k' ? 1000 : 1000000;
	if (!end || *end || errno || number > UINT64_MAX / scale || number * scale < least ||
	    number * scale > most) {
		fail_line("%s takes a whole number from %llu to %llu, not '%s'", option,
			  (unsigned long long)least, (unsigned long long)most, text ? text : "");
		return false;
	}
	*value = number * scale;
	return true;
}

static bool option_real(const char *option, const char *text, double low, double high,
			double *value)
{
	char *end = NULL;

	errno = 0;
	*value = strtod(text, &end);
	if (!text[strspn(text, "+-.0123456789eE")] && end != text && !*end && !errno &&
	    *value >= low && *value <= high)
		return true;
	fail_line("%s takes a number from %g to %g, not '%s'", option, low, high, text);
	return false;
}

#define OPTIONS_MOST 60
#define HELP_COLUMN 25

static void print_option(const struct option_entry *entry)
{
	const char *line, *end;
	int width = entry->letter ? printf("  -%c, ", entry->letter) : printf("  ");

	width += printf("--%s%s%s", entry->name, entry->argument ? " " : "",
			entry->argument ? entry->argument : "");
	printf("%*s", width < HELP_COLUMN - 1 ? HELP_COLUMN - width : 1, "");
	for (line = entry->help; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		printf("%*s%.*s\n", line == entry->help ? 0 : HELP_COLUMN, "", (int)(end - line),
		       line);
	}
}

static unsigned int rare_options(const struct option_entry *entry)
{
	unsigned int rare = 0;

	for (; entry->name; entry++)
		rare += entry->rare;
	return rare;
}

static void print_help(const struct option_program *program, bool all)
{
	const struct option_entry *entry;
	unsigned int rare = rare_options(program->entries);

	fputs(program->usage, stdout);
	for (entry = program->entries; entry->name; entry++)
		if (all || !entry->rare)
			print_option(entry);
	printf("  --version%*sprint the commit of the build\n", HELP_COLUMN - 11, "");
	printf("  --help%*sprint this text\n", HELP_COLUMN - 8, "");
	if (rare)
		printf("  --help-all%*sprint it with %u more options, rarely used\n",
		       HELP_COLUMN - 12, "", rare);
	fputs(program->after, stdout);
}

/* An exit code. */
static int take_text(const struct option_entry *entry, const char *argument)
{
	int error = 0;

	if (!argument[strspn(argument, " \t\n")])
		return fail_with(EXIT_USAGE, "--%s is empty; give %s, or leave it out", entry->name,
				 entry->argument);
	*(const char **)entry->into = argument;
	if (entry->kind == OPTION_OUT && strcmp(argument, "-") != 0)
		error = file_refuses(argument);
	return error ? fail_file("write", argument, error) : EXIT_FINE;
}

static bool take(const struct option_entry *entry, const char *argument)
{
	char name[64];

	switch (entry->kind) {
	case OPTION_FLAG:
		return *(bool *)entry->into = true;
	case OPTION_NUMBER:
		snprintf(name, sizeof(name), "--%s", entry->name);
		return option_number(name, argument, entry->least, entry->most, entry->into);
	case OPTION_REAL:
		snprintf(name, sizeof(name), "--%s", entry->name);
		return option_real(name, argument, entry->low, entry->high, entry->into);
	case OPTION_WORD:
		snprintf(name, sizeof(name), "--%s", entry->name);
		*(int *)entry->into = option_word(name, argument, entry->words);
		return *(int *)entry->into >= 0;
	default:
		return entry->take(argument, entry->into);
	}
}

static bool ends(int *status, int code)
{
	*status = code;
	return false;
}

/* The program's options as getopt_long() wants them. A long one is found by its place. */
static void spell(const struct option_entry *entries, struct option *longs, char *letters)
{
	bool rare = rare_options(entries);

	for (; entries->name; entries++, longs++) {
		*longs = (struct option){
			.name = entries->name,
			.has_arg = entries->argument ? required_argument : no_argument,
		};
		if (!entries->letter)
			continue;
		*letters++ = entries->letter;
		if (entries->argument)
			*letters++ = ':';
	}
	*longs++ = (struct option){ .name = "help", .val = 'h' };
	*longs++ = (struct option){ .name = "version", .val = 'V' };
	if (rare)
		*longs = (struct option){ .name = "help-all", .val = 'A' };
	strcpy(letters, "h");
}

/* The option that getopt returned: by its letter, or by its place if that is 0; NULL: unknown. */
static const struct option_entry *given(const struct option_entry *entries, int letter, int place)
{
	if (!letter)
		return entries + place;
	for (; entries->name; entries++)
		if (entries->letter == letter)
			return entries;
	return NULL;
}

/* Output that is lost is said, whatever wrote it. A line was printed before EXIT_RESOURCE. */
static void check_output(int status, void *arg)
{
	(void)arg;
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return;
	if (status != EXIT_RESOURCE)
		fail_line("cannot write standard output: %s",
			  errno ? strerror(errno) : "some of it is lost");
	end_now(status ? status : EXIT_RESOURCE);
}

bool options_parse(const struct option_program *program, int argc, char **argv, int *status)
{
	struct option longs[OPTIONS_MOST + 4] = { { .name = NULL } };
	char letters[2 * OPTIONS_MOST + 2];
	const struct option_entry *entry;
	int count = 0, option, place = 0;
	bool text;

	on_exit(check_output, NULL);
	/* A line says what could not be written, where these would end the program without one. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	while (program->entries[count].name)
		count++;
	if (count > OPTIONS_MOST)
		END_FAULT("a table of options is too long");
	spell(program->entries, longs, letters);
	opterr = 0;
	while ((option = getopt_long(argc, argv, letters, longs, &place)) != -1) {
		if (option == 'h' || option == 'A') {
			print_help(program, option == 'A');
			return ends(status, EXIT_FINE);
		}
		if (option == 'V') {
			puts("Stampede " GIT_STATE);
			return ends(status, EXIT_FINE);
		}
		entry = given(program->entries, option, place);
		if (!entry)
			return ends(status, option_refused(argv[optind - 1]));
		text = entry->kind == OPTION_TEXT || entry->kind == OPTION_OUT;
		*status = text ? take_text(entry, optarg) : take(entry, optarg) ? 0 : EXIT_USAGE;
		if (*status)
			return false;
	}
	if (!program->rest && optind < argc)
		return ends(status, option_refused(argv[optind]));
	return true;
}

#define ITEM_TEXT 31

void options_item(FILE *out, const char *name, const char *text)
{
	int at = fprintf(out, "%-*s", ITEM_TEXT - 1, name), length;

	for (; *text; text += length + (text[length] == ' ')) {
		length = (int)strcspn(text, " ");
		if (at + 1 + length > 80)
			at = fprintf(out, "\n%*s", ITEM_TEXT - 1, "") - 1;
		at += fprintf(out, " %.*s", length, text);
	}
	fputc('\n', out);
}
