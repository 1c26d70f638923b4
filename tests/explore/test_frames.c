// SPDX-License-Identifier: MIT
/* What guards a writer's frame: each bit of it counts, and each address that leads into a stack. */
#include "tests/support/test.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit.h"
#include "explore/engine/guard.h"

#define STACKS_BYTES 4096u

static _Alignas(16) uint8_t frame[2048], shared[256];
static uintptr_t stacks;
static char *said;

static const struct explore_site *nowhere(void)
{
	return NULL;
}

static struct guard_view view(void)
{
	return (struct guard_view){ shared, sizeof(shared), stacks, STACKS_BYTES, nowhere };
}

static uint64_t sum(size_t bytes)
{
	uintptr_t end = (uintptr_t)(frame + sizeof(frame));

	return guard_frame(end - bytes, end, view);
}

static int setup(void **state)
{
	size_t i;

	said = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (said == MAP_FAILED)
		return -1;
	stacks = (uintptr_t)frame & ~(uintptr_t)0xffffffff;
	stacks |= 0x7ff00000;
	for (i = 0; i < sizeof(frame); i++)
		frame[i] = (uint8_t)(i * 37 >> 3);
	guard_begin(said, 4096);
	return 0;
}

static void nothing_between_events(void **state)
{
	assert_int_equal(sum(0), 0);
}

/* From the end of the stack to `sp`, which may be in the midst of two words. */
static void each_bit_of_a_frame_counts(void **state)
{
	static const size_t sizes[] = { 8, 16, 24, 40, 64, 136, 2048 };
	size_t i, at;
	uint64_t before;

	for (i = 0; i < COUNT(sizes); i++) {
		before = sum(sizes[i]);
		for (at = 8 * (sizeof(frame) - sizes[i]); at < 8 * sizeof(frame); at++) {
			frame[at / 8] ^= (uint8_t)(1u << at % 8);
			if (sum(sizes[i]) == before)
				fail_msg("bit %zu of %zu bytes", at, sizes[i]);
			frame[at / 8] ^= (uint8_t)(1u << at % 8);
		}
		assert_int_equal(sum(sizes[i]), before);
	}
	/* And nothing below it. */
	before = sum(64);
	frame[sizeof(frame) - 65]++;
	assert_int_equal(sum(64), before);
}

static void so_does_their_order(void **state)
{
	uint64_t *word = (uint64_t *)(void *)frame, before = sum(256), kept;
	size_t words = sizeof(frame) / sizeof(*word), i, j;

	for (i = words - 32; i < words; i++)
		for (j = words - 32; j < i; j++) {
			kept = word[i];
			if (kept == word[j])
				continue;
			word[i] = word[j];
			word[j] = kept;
			if (sum(256) == before)
				fail_msg("words %zu and %zu", i, j);
			word[j] = word[i];
			word[i] = kept;
		}
}

/* What a writer that is about to start, or has ended, is refused with; none: "". */
static const char *refusal(bool end, uint64_t noted)
{
	uintptr_t to = (uintptr_t)(frame + sizeof(frame));
	int status;
	pid_t pid;

	said[0] = 0;
	pid = fork();
	if (!pid) {
		if (end)
			guard_same_frame(to - 64, to, noted);
		else
			guard_frame(to - 64, to, view);
		_exit(EXIT_FINE);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), said[0] ? EXIT_UNSUPPORTED : EXIT_FINE);
	return said;
}

static void a_frame_that_has_changed_is_refused(void **state)
{
	uint64_t noted = sum(64);

	assert_string_equal(refusal(true, noted), "");
	assert_non_null(strstr(refusal(true, noted + 1), "into the frame that it interrupted"));
}

static void an_address_of_a_stack_is_refused_wherever_it_is(void **state)
{
	const uintptr_t inside[] = { stacks, stacks + 8, stacks + STACKS_BYTES - 1 };
	const uintptr_t outside[] = { stacks - 1, stacks + STACKS_BYTES, stacks ^ UINT64_C(1) << 33,
				      (uint32_t)stacks };
	char words[64];
	size_t at, i;

	for (at = 0; at + sizeof(uintptr_t) <= sizeof(shared); at += 4) {
		for (i = 0; i < 3; i++) {
			memset(shared, 0, sizeof(shared));
			memcpy(shared + at, &inside[i], sizeof(inside[i]));
			snprintf(words, sizeof(words), "byte %zu of shared memory", at);
			assert_non_null(strstr(refusal(false, 0), words));
		}
		for (i = 0; i < 4; i++) {
			memset(shared, 0, sizeof(shared));
			memcpy(shared + at, &outside[i], sizeof(outside[i]));
			assert_string_equal(refusal(false, 0), "");
		}
	}
	memset(shared, 0, sizeof(shared));
}

TESTS_OF(setup, NULL, NULL, NULL, nothing_between_events, each_bit_of_a_frame_counts,
	 so_does_their_order, a_frame_that_has_changed_is_refused,
	 an_address_of_a_stack_is_refused_wherever_it_is)
