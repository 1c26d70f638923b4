// SPDX-License-Identifier: MIT
#include "explore/order/choices.h"

#include <stdlib.h>

#include "base/fail.h"

#define CHOICES_MOST 8192

static struct choice {
	const uint8_t *more;
	uint16_t taken;
	uint16_t count;
} path[CHOICES_MOST];
static unsigned int length, position;

unsigned int choose(unsigned int count, const uint8_t *more)
{
	if (count < 2 && !more)
		return 0;
	if (position == CHOICES_MOST)
		end_with(EXIT_RESOURCE, "an execution has over %d choices: give a smaller budget",
			 CHOICES_MOST);
	if (position == length)
		path[length++] = (struct choice){ .more = more, .count = (uint16_t)count };
	return path[position++].taken;
}

void choices_begin(void)
{
	length = position = 0;
}

void choices_again(void)
{
	position = 0;
}

bool choices_next(void)
{
	struct choice *last;

	for (; length; length--) {
		last = &path[length - 1];
		if (++last->taken < last->count + (last->more ? *last->more : 0))
			break;
	}
	position = 0;
	return length;
}
