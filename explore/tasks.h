/* SPDX-License-Identifier: MIT */
/*
 * The work that a command line of the explorer asks for: families of rows, one after the other, and
 * how they are printed and recorded, wherever they were searched.
 */
#pragma once

#include "explore/explore_options.h"
#include "judge/driver.h"

/* A family of a row, and what was found. In memory that processes share. */
struct task {
	const struct driver *driver; /* NULL: of the object that is named */
	const struct family *family;
	int searches; /* or a negative errno */
	struct findings findings;
	struct search first; /* in which the first schedule failed */
	double seconds, part; /* that it takes, about; and how much of them is over */
	bool done; /* searched by another process */
};

struct tasks {
	const struct explore_options *options;
	struct task *task;
	unsigned int count;
	size_t room; /* for so many */
	/* Of the row whose tasks are being taken. */
	struct findings sum;
	int searches;
	/* Of all rows. */
	unsigned int taken;
	int worst;
};

/*
 * The rows that the options ask for, at most DRIVERS_MAX: how many, or -exit code, after a line on
 * stderr.
 */
int tasks_rows(const struct explore_options *options, const struct driver **row);

/*
 * All families of these rows, or of the object that the options name if `rows` is 0; the rows'
 * drivers and the options have to stay. 0, or an exit code after a line on stderr.
 */
int tasks_begin(struct tasks *tasks, const struct explore_options *options,
		const struct driver *const *row, unsigned int rows);
void tasks_end(struct tasks *tasks);

/* Is the family one of this row's in the tier that is asked for, and no search again? */
bool tasks_wanted(const struct explore_options *options, const struct family *family,
		  const struct driver *driver);

/* A name for messages. */
const char *tasks_row(const struct tasks *tasks, const struct task *task);

/* The error of one of the same row's tasks before this one; 0: there is none. */
int tasks_failed_before(const struct tasks *tasks, const struct task *task);

/*
 * Says and records the next task, and its row if it is the last of it. `load`: another process
 * searched it. 0, or an exit code that ends all; the one of what broke is in `worst`.
 */
int tasks_take(struct tasks *tasks, bool load);

/*
 * Searches all families of these rows, or of the object that the options name if `count` is 0, and
 * prints them row after row. An exit code: a broken row says more than one that cannot be searched.
 */
int search_rows(const struct explore_options *options, const struct driver *const *rows,
		unsigned int count);

/* The same of --order c11. */
int order_rows(const struct explore_options *options, const struct driver *const *rows,
	       unsigned int count);

/* A line of what was found, by `family` or, if NULL, by all of the row. */
void tasks_print(const char *row, const struct family *family, const struct findings *findings,
		 int searches, bool verbose);

/* The exit code for a search that did not come to its end. */
int tasks_failed(int error, const char *row);
