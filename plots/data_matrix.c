// SPDX-License-Identifier: MIT
/* Data of the plots with a line per row, of other workloads: threads, replay, idle. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/data.h"
#include "plots/output.h"
#include "plots/text.h"

/* A line of a plot, and what lines are sorted by. */
struct line {
	const char *row;
	double key;
	double steady;
	double threads;
	double count; /* of threads */
	const struct idle_row *idle;
};

static int compare_lines(const void *a, const void *b)
{
	const struct line *left = a, *right = b;

	if (left->key != right->key)
		return left->key > right->key ? 1 : -1;
	return strcmp(left->row, right->row);
}

static bool is_known(const struct line *lines, size_t count, const char *row, size_t length)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strncmp(lines[i].row, row, length) && !lines[i].row[length])
			return true;
	return false;
}

/* ---- threads ---- */

static int compare_doubles(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Median time of an event [ns] in all repetitions of row/workload; NAN if there is none. */
static double median_ns(const struct run *run, const char *row, const char *workload,
			double *numbers, double *threads)
{
	size_t i, count = 0, length = strlen(row);

	for (i = 0; i < run->repetition_count; i++) {
		const struct repetition *one = &run->repetitions[i];

		if (strncmp(one->name, row, length) || one->name[length] != '/' ||
		    strcmp(one->name + length + 1, workload) || !(one->ns > 0))
			continue;
		numbers[count++] = one->ns;
		*threads = one->threads;
	}
	if (!count)
		return NAN;
	qsort(numbers, count, sizeof(*numbers), compare_doubles);
	return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

/* Rows with a time under both; a time beside a wrong stamp is worth nothing. */
static size_t thread_lines(const struct run *run, struct line *lines, double *numbers)
{
	size_t i, count = 0;

	for (i = 0; i < run->table_count; i++) {
		const struct table_row *row = &run->table[i];
		struct line line = { .row = row->row };
		double one;

		if (run_verdict_is(row->verdict, "broken") ||
		    is_known(lines, count, row->row, strlen(row->row)))
			continue;
		line.steady = median_ns(run, row->row, "steady", numbers, &one);
		line.threads = median_ns(run, row->row, "threads", numbers, &line.count);
		line.key = line.threads;
		if (line.steady > 0 && line.threads > 0 && line.count > 0)
			lines[count++] = line;
	}
	qsort(lines, count, sizeof(*lines), compare_lines);
	return count;
}

int data_threads(const struct run *run, FILE *dat, FILE *vars)
{
	struct line *lines = calloc(run->table_count + 1, sizeof(*lines));
	double *numbers = calloc(run->repetition_count + 1, sizeof(*numbers));
	double most = 0, least = NAN, threads = 0;
	size_t i, count = 0;

	if (!lines || !numbers) {
		free(lines);
		free(numbers);
		return output_fail_memory(), -1;
	}
	count = thread_lines(run, lines, numbers);
	fprintf(dat, "# undisturbed time of an event [ns], median: 1 position, 2 row, 3 one thread, "
		"4 many, 5 how many,\n# 6 events per second of all together against one's\n");
	for (i = 0; i < count; i++) {
		const struct line *line = &lines[i];

		fprintf(dat, "%zu", i + 1);
		data_label(dat, line->row, NAN);
		data_number(dat, line->steady);
		data_number(dat, line->threads);
		data_number(dat, line->count);
		data_number(dat, line->count * line->steady / line->threads);
		fputc('\n', dat);
		least = fmin(least, fmin(line->steady, line->threads));
		most = fmax(most, fmax(line->steady, line->threads));
		threads = fmax(threads, line->count);
	}
	data_set(vars, "threads_rows", (double)count);
	data_set(vars, "threads_least", least);
	data_set(vars, "threads_most", most);
	data_set(vars, "threads_count", threads);
	free(lines);
	free(numbers);
	return (int)count;
}

/* ---- replay ---- */

static double replay_bytes(const struct run *run, const char *row, const char *gaps, bool *broken)
{
	size_t i;

	for (i = 0; i < run->replay_count; i++) {
		if (strcmp(run->replay[i].row, row) || strcmp(run->replay[i].gaps, gaps))
			continue;
		*broken = run_verdict_is(run->replay[i].verdict, "broken");
		return run->replay[i].bytes;
	}
	*broken = false;
	return NAN;
}

/* Names of the files, each once, in the run's order. */
static size_t replay_files(const struct run *run, const char **gaps)
{
	size_t i, j, count = 0;

	for (i = 0; i < run->replay_count; i++) {
		for (j = 0; j < count && strcmp(gaps[j], run->replay[i].gaps); j++)
			;
		if (j == count)
			gaps[count++] = run->replay[i].gaps;
	}
	return count;
}

/* Rows, each once, those with the fewest bytes first. */
static size_t replay_lines(const struct run *run, struct line *lines)
{
	size_t i, j, count = 0;

	for (i = 0; i < run->replay_count; i++) {
		const char *row = run->replay[i].row;

		if (is_known(lines, count, row, strlen(row)))
			continue;
		lines[count] = (struct line){ .row = row };
		for (j = 0; j < run->replay_count; j++)
			if (!strcmp(run->replay[j].row, row) && run->replay[j].bytes > 0)
				lines[count].key += run->replay[j].bytes;
		count++;
	}
	qsort(lines, count, sizeof(*lines), compare_lines);
	return count;
}

static size_t write_replay(const struct run *run, const struct line *lines, size_t rows,
			   const char *const *gaps, size_t files, FILE *dat, double *low,
			   double *high)
{
	size_t i, j, shown = 0;
	bool broken;

	fprintf(dat, "# bytes of an event: 1 position, 2 row, 3 column, 4 bytes, 5 a promise was "
		"broken, 6 gaps\n");
	for (i = 0; i < rows; i++)
		for (j = 0; j < files; j++) {
			double bytes = replay_bytes(run, lines[i].row, gaps[j], &broken);

			fprintf(dat, "%zu", i + 1);
			data_label(dat, lines[i].row, NAN);
			fprintf(dat, " %zu", j + 1);
			data_number(dat, bytes);
			fprintf(dat, " %d", broken);
			data_label(dat, gaps[j], NAN);
			fputc('\n', dat);
			*low = fmin(*low, bytes);
			*high = fmax(*high, bytes);
			shown += isfinite(bytes);
		}
	return shown;
}

int data_replay(const struct run *run, FILE *dat, FILE *vars)
{
	struct line *lines = calloc(run->replay_count + 1, sizeof(*lines));
	const char **gaps = calloc(run->replay_count + 1, sizeof(*gaps));
	double low = NAN, high = NAN;
	size_t i, rows = 0, files = 0, shown;

	if (!lines || !gaps) {
		free(lines);
		free(gaps);
		return output_fail_memory(), -1;
	}
	rows = replay_lines(run, lines);
	files = replay_files(run, gaps);
	shown = write_replay(run, lines, rows, gaps, files, dat, &low, &high);
	data_set(vars, "replay_rows", (double)rows);
	data_set(vars, "replay_files", (double)files);
	data_set(vars, "replay_low", low);
	data_set(vars, "replay_high", high);
	fprintf(vars, "array replay_gaps[%zu]\n", files ? files : 1);
	for (i = 0; i < files; i++) {
		char label[TEXT_LABEL_BYTES];

		text_row_label(label, gaps[i], NAN);
		fprintf(vars, "replay_gaps[%zu] = '%s'\n", i + 1, label);
	}
	free(lines);
	free(gaps);
	return (int)(shown ? rows : 0);
}

/* ---- idle ---- */

/* Those that write least first; figures that are not known count as none. */
static size_t idle_lines(const struct run *run, struct line *lines)
{
	size_t i, count = 0;

	for (i = 0; i < run->idle_count; i++) {
		const struct idle_row *idle = &run->idle[i];

		if (isnan(idle->none[IDLE_BEATS]) && isnan(idle->rare[IDLE_BEATS]))
			continue;
		lines[count++] = (struct line){ .row = idle->row, .idle = idle,
			.key = isnan(idle->none[IDLE_BYTES]) ? 0 : idle->none[IDLE_BYTES] };
	}
	qsort(lines, count, sizeof(*lines), compare_lines);
	return count;
}

int data_idle(const struct run *run, FILE *dat, FILE *vars)
{
	struct line *lines = calloc(run->idle_count + 1, sizeof(*lines));
	double beats = 0, bytes = 0, rare = 0;
	size_t i, count;
	int field;

	if (!lines)
		return output_fail_memory(), -1;
	count = idle_lines(run, lines);
	fprintf(dat, "# per second, without events: 1 position, 2 row, 3 beats, 4 wake-ups, "
		"5 bytes; with one event\n# per second: 6 beats, 7 wake-ups, 8 bytes\n");
	for (i = 0; i < count; i++) {
		const struct idle_row *idle = lines[i].idle;

		fprintf(dat, "%zu", i + 1);
		data_label(dat, idle->row, NAN);
		for (field = 0; field < IDLE_FIELDS; field++)
			data_number(dat, idle->none[field]);
		for (field = 0; field < IDLE_FIELDS; field++)
			data_number(dat, idle->rare[field]);
		fputc('\n', dat);
		beats = fmax(beats, fmax(idle->none[IDLE_BEATS], idle->none[IDLE_WAKEUPS]));
		bytes = fmax(bytes, fmax(idle->none[IDLE_BYTES], idle->rare[IDLE_BYTES]));
		rare = isnan(idle->rare[IDLE_BYTES]) ? rare : 1;
	}
	data_set(vars, "idle_rows", (double)count);
	data_set(vars, "idle_beats", beats);
	data_set(vars, "idle_bytes", bytes);
	data_set(vars, "idle_rare", rare);
	free(lines);
	return (int)count;
}
