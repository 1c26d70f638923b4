/* SPDX-License-Identifier: MIT */
/* A made-up /proc and /sys for a test, empty at first; *state is the directory that holds them. */
#ifndef STAMPEDE_TESTS_MACHINE_FIXTURE_H
#define STAMPEDE_TESTS_MACHINE_FIXTURE_H

#include "tests/support/test.h"

#include <jansson.h>

#include "results/machine.h"
#include "results/metadata.h"
#include "tests/support/scratch.h"

#define CPU "sys/devices/system/cpu/"
#define FLAGS_METAL "flags\t\t: fpu tsc constant_tsc nonstop_tsc sse2\n"
#define FLAGS_GUEST "flags\t\t: fpu tsc constant_tsc nonstop_tsc hypervisor\n"

static inline int tree_setup(void **state)
{
	char *tree = malloc(PATH_MAX);

	assert_non_null(tree);
	scratch_make(tree);
	unsetenv("STAMPEDE_HOST_ALIAS");
	*state = tree;
	return 0;
}

static inline int tree_teardown(void **state)
{
	scratch_remove(*state);
	free(*state);
	return 0;
}

#define TREE_TEST(name) cmocka_unit_test_setup_teardown(name, tree_setup, tree_teardown)

static inline void put(const char *tree, const char *path, const char *text)
{
	scratch_put(tree, path, text, strlen(text));
}

#endif /* STAMPEDE_TESTS_MACHINE_FIXTURE_H */
