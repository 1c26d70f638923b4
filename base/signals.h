/* SPDX-License-Identifier: MIT */
/* Signals that end a program: Ctrl-C, a CI that cancels, a terminal that is gone. */
#pragma once

#include <signal.h>
#include <stddef.h>

/*
 * SIGINT, SIGTERM and SIGHUP call `stop`, and interrupt what waits; SIGHUP stays ignored under
 * nohup(1). 0, or -1 with errno.
 */
static inline int signals_stop(void (*stop)(int))
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = stop }, was;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (sigaction(numbers[i], NULL, &was) ||
		    ((numbers[i] != SIGHUP || was.sa_handler != SIG_IGN) &&
		     sigaction(numbers[i], &action, NULL)))
			return -1;
	return 0;
}
