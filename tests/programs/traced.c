// SPDX-License-Identifier: MIT
/* traced [crash|many]: as many allocations and calls as test_programs.sh counts, in four threads,
 * of which one pauses for longer than a field of 27 bits counts, and in a child. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EACH = 1000, THREADS = 3, MANY = 30000 };

static void allocate(int count)
{
	int i;

	for (i = 0; i < count; i++) {
		volatile char *at = i % 10 == 9 ? calloc(1, 9) : malloc((size_t)i % 500 + 1);

		at[0] = 1;
		if (i % 10 == 5)
			at = realloc((void *)at, 1000);
		free((void *)at);
	}
}

static void *thread(void *pause)
{
	char byte;
	int i;

	allocate(EACH);
	if (pause)
		usleep(120000);
	allocate(EACH);
	for (i = 0; i < EACH; i++)
		if (read(-1, &byte, 1) != -1)
			abort();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int i;

	if (argc > 1 && !strcmp(argv[1], "crash"))
		raise(SIGSEGV);
	if (argc > 1 && !strcmp(argv[1], "many")) {
		allocate(MANY);
		return 0;
	}
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread, i ? NULL : &threads))
			return 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (!fork()) {
		allocate(EACH);
		exit(0);
	}
	return wait(NULL) < 0;
}
