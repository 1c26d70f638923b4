// SPDX-License-Identifier: MIT
/* Gap histograms: what is read, what is refused and how, and whether samples follow the counts. */
#include "tests/support/test.h"
#include "workloads/gaps.h"
#include "tests/support/scratch.h"

#define HEADER "log2_bucket,lo_ns,hi_ns,count\n"

static char dir[PATH_MAX];

static int make_dir(void **state)
{
	scratch_make(dir);
	return 0;
}

static int remove_dir(void **state)
{
	scratch_remove(dir);
	return 0;
}

static int read_text(const char *text, struct gaps *gaps)
{
	char path[PATH_MAX + 16];

	scratch_put(dir, "some.csv", text, strlen(text));
	snprintf(path, sizeof(path), "%s/some.csv", dir);
	return gaps_read(path, gaps);
}

/* Refused, in one line that names file, line and reason. */
static void refused(const char *text, unsigned int line, const char *reason)
{
	struct gaps gaps;
	char where[64];
	int error;

	listen_to_stderr();
	error = read_text(text, &gaps);
	snprintf(where, sizeof(where), "some.csv, line %u: %s", line, reason);
	assert_said(where);
	assert_int_equal(error, -EINVAL);
}

static void test_reads_buckets(void **state)
{
	struct gaps gaps;

	assert_int_equal(read_text(HEADER "0,0,0,3\n1,1,1,4\n11,1024,2047,5", &gaps), 0);
	assert_string_equal(gaps.name, "some");
	assert_int_equal(gaps.buckets, 3);
	assert_int_equal(gaps.count, 12);
	assert_int_equal(gaps.until[1], 7);
	assert_int_equal(gaps.lo_ns[2], 1024);
}

static void test_refuses_bad_rows(void **state)
{
	static const char *const rows[] = { "11,1024,2047",
					    "0,0,0,3,4",
					    "0,0,0,",
					    "0,0,0,3.5",
					    "0,0,0, 3",
					    "eleven,1024,2047,3",
					    "",
					    "0,0,0,-3",
					    "11,-1024,2047,3",
					    "0,0,0,18446744073709551616" };
	char text[128];
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		snprintf(text, sizeof(text), HEADER "0,0,0,3\n%s\n", rows[i]);
		refused(text, 3, "not four whole numbers of 64 bits");
	}
	refused("bucket,lo,hi,count\n0,0,0,3\n", 1, "the first line is to be");
	refused(HEADER "11,1000,2047,3\n", 2, "lo_ns and hi_ns are not those of the bucket");
	refused(HEADER "11,1024,2048,3\n", 2, "lo_ns and hi_ns are not those of the bucket");
	refused(HEADER "11,1024,2047,3\n11,1024,2047,3\n", 3, "buckets are not in ascending order");
	refused(HEADER "11,1024,2047,3\n1,1,1,3\n", 3, "buckets are not in ascending order");
}

static void test_refuses_overflow(void **state)
{
	refused(HEADER "0,0,0,18446744073709551615\n1,1,1,1\n", 3,
		"the counts together do not fit 64 bits");
	refused(HEADER "51,1125899906842624,2251799813685247,1\n", 2, "a bucket of gaps longer");
	refused(HEADER "18446744073709551615,0,0,1\n", 2, "a bucket of gaps longer");
	refused(HEADER "0,0,0,0000000000000000000000000000000000000000000000000000000000000000000"
		       "0000000000000000000000000000000000000000000000000000000000000000000003\n",
		2, "longer than a row can be");
}

static void test_refuses_empty(void **state)
{
	refused("", 1, "there is no gap in it");
	refused(HEADER, 1, "there is no gap in it");
	refused(HEADER "0,0,0,0\n", 2, "there is no gap in it");
}

static void test_no_such_file(void **state)
{
	struct gaps gaps;

	assert_fails(gaps_read("/no/such/gaps.csv", &gaps), -ENOENT,
		     "cannot read gaps from /no/such/gaps.csv");
	assert_fails(gaps_read(dir, &gaps), -EISDIR, "cannot read gaps from");
}

/* 100,000 samples: shares within 1 % of the counts', inside their buckets, log-uniform there. */
static void test_samples_follow_counts(void **state)
{
	uint64_t seed = 1, zero = 0, one = 0, low = 0, high = 0, i;
	struct gaps gaps;
	double ns;

	assert_int_equal(read_text(HEADER "0,0,0,20\n1,1,1,30\n11,1024,2047,50\n", &gaps), 0);
	for (i = 0; i < 100000; i++) {
		ns = gaps_sample_ns(&gaps, &seed);
		zero += ns == 0;
		one += ns >= 1 && ns < 2;
		/* 1024 * sqrt(2): the middle of its logarithms. */
		low += ns >= 1024 && ns < 1448.15;
		high += ns >= 1448.15 && ns < 2048;
	}
	assert_int_equal(zero + one + low + high, 100000);
	assert_true(zero >= 19000 && zero <= 21000);
	assert_true(one >= 29000 && one <= 31000);
	assert_true(low >= 24000 && low <= 26000);
	assert_true(high >= 24000 && high <= 26000);
}

static void test_samples_by_seed(void **state)
{
	uint64_t a = 7, b = 7, c = 8, different = 0, i;
	struct gaps gaps;
	double ns;

	assert_int_equal(read_text(HEADER "11,1024,2047,50\n", &gaps), 0);
	for (i = 0; i < 100; i++) {
		ns = gaps_sample_ns(&gaps, &a);
		assert_true(ns == gaps_sample_ns(&gaps, &b));
		different += ns != gaps_sample_ns(&gaps, &c);
	}
	assert_true(different >= 95 && different <= 100);
}

/* What the project brings along: eight recordings, each of which is read. */
static void test_recorded_files(void **state)
{
	static const char *const names[] = {
		"allevents_busy",   "marker_saturated",	    "marker_storm10us",
		"marker_storm50us", "sched_irq_timer_busy", "sched_irq_timer_calm",
		"sched_only_calm",  "syscalls_busy",
	};
	char path[128];
	struct gaps gaps;
	size_t i;

	for (i = 0; i < COUNT(names); i++) {
		snprintf(path, sizeof(path), "workloads/gaps/%s.csv", names[i]);
		assert_int_equal(gaps_read(path, &gaps), 0);
		assert_string_equal(gaps.name, names[i]);
		assert_true(gaps.count > 5000);
	}
}

struct seen {
	char names[64];
	unsigned int stop_after;
};

static int see(void *arg, const struct gaps *gaps)
{
	struct seen *seen = arg;

	strcat(seen->names, gaps->name);
	return --seen->stop_after ? 0 : 7;
}

/* All csv files in the order of their names, until told to stop, and nothing else there is. */
static void test_each_of_a_directory(void **state)
{
	static const char good[] = HEADER "0,0,0,3\n";
	struct seen seen = { .stop_after = 100 };
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/each", dir);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_fails(gaps_each(path, see, &seen), -ENOENT, "no .csv of recorded gaps in");
	scratch_put(path, "b.csv", good, strlen(good));
	scratch_put(path, "a.csv", good, strlen(good));
	scratch_put(path, "c.csv.old", "?", 1);
	assert_int_equal(gaps_each(path, see, &seen), 0);
	assert_string_equal(seen.names, "ab");
	seen.stop_after = 1;
	assert_int_equal(gaps_each(path, see, &seen), 7);
	assert_string_equal(seen.names, "aba");
	scratch_put(path, "a.csv", "?", 1);
	seen.stop_after = 100;
	assert_fails(gaps_each(path, see, &seen), -EINVAL, "a.csv, line 1");
	assert_string_equal(seen.names, "aba");
	assert_fails(gaps_each("/no/such", see, &seen), -ENOENT,
		     "cannot read the gaps in /no/such");
}

TESTS_OF(make_dir, remove_dir, NULL, NULL, test_reads_buckets, test_refuses_bad_rows,
	 test_refuses_overflow, test_refuses_empty, test_no_such_file, test_samples_follow_counts,
	 test_samples_by_seed, test_recorded_files, test_each_of_a_directory)
