/* SPDX-License-Identifier: MIT */
/*
 * What every reader of a format is put to: all its rows, over gaps, nested writers and sizes of
 * payload. Include after readers.h; the test defines what follows.
 */
#pragma once

/* Is the row of this format? More than ROWS_LEAST are. */
static bool chosen(const struct driver *driver);

/* Can nested writers come into its record()? */
static bool nests(const struct driver *driver);

/* All readers of the format judge what was played. */
static void read_by_all(void);

static struct seen_list seen;

static void every_row(void (*play)(void))
{
	unsigned int i, rows = 0;

	for (i = 0; play_rows()[i]; i++) {
		if (!chosen(play_rows()[i]))
			continue;
		stand_open(play_rows()[i]);
		play();
		stand_close();
		rows++;
	}
	assert_true(rows > ROWS_LEAST);
}

static void gaps(void)
{
	play_gaps();
	read_by_all();
}

static void nesting(void)
{
	if (!nests(stand.play.driver))
		return;
	play_nested(0);
	read_by_all();
	play_nested(UINT64_C(1) << 27);
	read_by_all();
}

static void sizes(void)
{
	play_sizes(90, 9, 400);
	read_by_all();
	play_sizes(200000, 18, 10);
	read_by_all();
}

static void gaps_around_wraps(void **state)
{
	every_row(gaps);
}

static void nested_writers(void **state)
{
	every_row(nesting);
}

static void all_sizes_and_switches(void **state)
{
	every_row(sizes);
}

static int set_up(void **state)
{
	seen.list = calloc(SEEN_MOST, sizeof(struct seen));
	return !seen.list;
}

static int tear_down(void **state)
{
	free(seen.list);
	return 0;
}
