// SPDX-License-Identifier: MIT
#include "explore/order/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "explore/order/choices.h"

#define PLACES 512
#define MESSAGES 64 /* stores of a place in an execution */
#define VIEWS 1024 /* that stores of an execution carry */
#define VALUES 6 /* that a late load of a place may give */
#define STAMPS_APART 64

struct view {
	uint16_t at[PLACES];
};

/* A store. */
struct message {
	uint64_t value; /* of the whole place */
	uint64_t mask; /* of what was stored */
	const struct view *view; /* NULL: none */
	uint16_t stamp; /* where it is in the order of its place */
	bool joined; /* nothing comes between it and the one before */
};

static struct spot {
	uint64_t *word;
	unsigned int count;
	struct message message[MESSAGES];
	uint8_t values;
	struct {
		uint64_t value;
		unsigned int cpu;
	} stored[VALUES];
} places[PLACES];
static unsigned int place_count;

static struct shared {
	uintptr_t begin, end;
	unsigned int place;
} shared[8];
static unsigned int shares;

static struct {
	struct view now; /* what it may not load older stores than */
	struct view acquired; /* what an acquire fence makes of that */
	struct view released; /* what its stores carry: of its last release fence */
	bool has_released;
} cpus[MACHINE_CPUS];
static unsigned int running;
static struct view views[VIEWS], sequential;
static unsigned int view_count;

static struct {
	uintptr_t at;
	size_t bytes; /* 0: nothing */
	int order;
} pending;

static struct {
	struct spot *place; /* NULL: none */
	uint64_t value;
	unsigned int cpu;
} late;
static bool was_late; /* in this execution */

void machine_share_nothing(void)
{
	shares = place_count = 0;
	memset(places, 0, sizeof(places));
}

void machine_share(void *at, size_t bytes)
{
	uintptr_t begin = (uintptr_t)at;
	size_t i;

	if (place_count + bytes / 8 > PLACES || shares == sizeof(shared) / sizeof(shared[0]))
		END_FAULT("more memory than order_run() allows");
	shared[shares++] = (struct shared){ begin, begin + bytes, place_count };
	for (i = 0; i < bytes / 8; i++)
		places[place_count++].word = (uint64_t *)at + i;
}

static struct spot *place_at(uintptr_t at)
{
	unsigned int i;

	for (i = 0; i < shares; i++)
		if (at - shared[i].begin < shared[i].end - shared[i].begin)
			return &places[shared[i].place + (at - shared[i].begin) / 8];
	return NULL;
}

bool machine_shares(const volatile void *at)
{
	return place_at((uintptr_t)at);
}

static unsigned int number_of(const struct spot *place)
{
	return (unsigned int)(place - places);
}

static void join(struct view *view, const struct view *other)
{
	unsigned int i;

	for (i = 0; other && i < place_count; i++)
		if (view->at[i] < other->at[i])
			view->at[i] = other->at[i];
}

static void copy(struct view *to, const struct view *from)
{
	memcpy(to, from, place_count * sizeof(to->at[0]));
}

static const struct view *carried(const struct view *view, const struct view *other)
{
	struct view *both;

	if (view_count == VIEWS)
		end_with(EXIT_RESOURCE, "an execution has over %d views: give a smaller budget",
			 VIEWS);
	both = &views[view_count++];
	copy(both, view);
	join(both, other);
	return both;
}

void machine_begin(void)
{
	unsigned int i;

	for (i = 0; i < place_count; i++) {
		places[i].count = 1;
		places[i].message[0] = (struct message){ .value = *places[i].word };
	}
	memset(cpus, 0, sizeof(cpus));
	memset(&sequential, 0, sizeof(sequential));
	view_count = 0;
	running = 0;
	pending.bytes = 0;
	late.place = NULL;
	was_late = false;
}

static struct message *newest(struct spot *place)
{
	return &place->message[place->count - 1];
}

bool machine_end(void)
{
	unsigned int i;

	for (i = 0; i < place_count; i++)
		*places[i].word = newest(&places[i])->value;
	return !late.place;
}

/* The oldest store of the place that the running CPU may load. */
static unsigned int oldest(const struct spot *place)
{
	uint16_t stamp = cpus[running].now.at[number_of(place)];
	unsigned int i = 0;

	while (place->message[i].stamp < stamp)
		i++;
	return i;
}

void machine_switch(unsigned int cpu)
{
	unsigned int i;

	running = cpu;
	for (i = 0; i < place_count; i++)
		if (places[i].count > 1)
			*places[i].word = places[i].message[oldest(&places[i])].value;
}

/* What comes now stays behind the late load that the running CPU has made. */
static void settle(const struct spot *place)
{
	if (late.place && late.cpu == running && (!place || late.place == place))
		order_abandon();
}

static void seen(struct spot *place, const struct message *message, bool acquires)
{
	uint16_t *now = &cpus[running].now.at[number_of(place)];
	uint16_t *acquired = &cpus[running].acquired.at[number_of(place)];

	if (*now < message->stamp)
		*now = message->stamp;
	if (*acquired < message->stamp)
		*acquired = message->stamp;
	join(&cpus[running].acquired, message->view);
	if (acquires)
		join(&cpus[running].now, message->view);
	*place->word = message->value;
}

/* The running CPU's load gives what another one has not stored yet. */
static void load_late(struct spot *place, unsigned int value)
{
	unsigned int i;

	if (place->stored[value].cpu == running)
		order_abandon();
	for (i = 0; i < place->count; i++)
		if (place->message[i].value == place->stored[value].value)
			order_abandon(); /* it is no news */
	order_left.delays--;
	was_late = true;
	late.place = place;
	late.value = place->stored[value].value;
	late.cpu = running;
	*place->word = late.value;
	order_say("loads what is stored later");
}

static bool has_room(const struct spot *place, unsigned int at)
{
	return !place->message[at].joined &&
	       place->message[at].stamp - place->message[at - 1].stamp > 1;
}

/*
 * One store of those that may be loaded; NULL: it is late. `updates`: something is stored right
 * behind it, if it is *expected or that is NULL.
 */
static struct message *pick(struct spot *place, bool plain, bool updates, const uint64_t *expected)
{
	unsigned int count = 0, first = oldest(place), i, chosen, from[MESSAGES];
	bool may = order_left.delays, may_late = may && plain && !was_late && order_others();

	for (i = place->count; i-- > first;)
		if (!count ||
		    (may && !(updates && (!expected || place->message[i].value == *expected) &&
			      !has_room(place, i + 1))))
			from[count++] = i;
	chosen = choose(count, may_late ? &place->values : NULL);
	if (chosen >= count) {
		load_late(place, chosen - count);
		return NULL;
	}
	order_left.delays -= chosen > 0;
	if (chosen)
		order_say("loads an older value, %u before the newest",
			  place->count - 1 - from[chosen]);
	return &place->message[from[chosen]];
}

static bool is_acquire(int order)
{
	return order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME || order == __ATOMIC_ACQ_REL;
}

static bool is_release(int order)
{
	return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL;
}

void machine_load(const volatile void *at, size_t bytes, int order)
{
	uintptr_t to = (uintptr_t)at;
	struct message *message;
	struct spot *place;

	for (; to < (uintptr_t)at + bytes; to = (to | 7) + 1) {
		place = place_at(to);
		settle(is_acquire(order) ? NULL : place);
		message = pick(place, order == MACHINE_PLAIN, false, NULL);
		if (message)
			seen(place, message, is_acquire(order));
	}
}

/* Later executions may load it late. A guess proves nothing. */
static void remember(struct spot *place, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < place->values; i++)
		if (place->stored[i].value == value)
			return;
	if (was_late || place->values == VALUES)
		return;
	place->stored[place->values].value = value;
	place->stored[place->values++].cpu = running;
}

/* Behind the message `at - 1`. */
static struct message *put(struct spot *place, unsigned int at, struct message message)
{
	struct message *to = &place->message[at];
	unsigned int i;

	if (place->count == MESSAGES || newest(place)->stamp > UINT16_MAX - STAMPS_APART)
		end_with(EXIT_RESOURCE, "over %d stores in one place: give a smaller budget",
			 MESSAGES);
	message.stamp = at == place->count ? to[-1].stamp + STAMPS_APART :
					     (uint16_t)((to[-1].stamp + to->stamp) / 2);
	memmove(to + 1, to, (place->count - at) * sizeof(*to));
	place->count++;
	*to = message;
	for (i = at; i < place->count; i++)
		place->message[i].value = (place->message[i - 1].value & ~place->message[i].mask) |
					  (place->message[i].value & place->message[i].mask);
	remember(place, to->value);
	if (late.place == place && late.cpu != running && late.value == to->value &&
	    to->stamp > cpus[late.cpu].now.at[number_of(place)]) {
		cpus[late.cpu].now.at[number_of(place)] = to->stamp;
		late.place = NULL;
	}
	return to;
}

/* Where the running CPU's store comes: last, or before others that it has not seen. */
static unsigned int where(const struct spot *place)
{
	unsigned int count = 0, first = oldest(place) + 1, at, chosen, to[MESSAGES];

	for (at = place->count; at >= first; at--)
		if (at == place->count || (order_left.delays && has_room(place, at)))
			to[count++] = at;
	chosen = choose(count, NULL);
	order_left.delays -= chosen > 0;
	if (chosen)
		order_say("stores before %u that others have stored", place->count - to[chosen]);
	return to[chosen];
}

/* What a store of the running CPU carries, which may have read `before`. */
static void send(struct spot *place, struct message *message, int order, const struct view *before)
{
	seen(place, message, false);
	if (is_release(order))
		message->view = carried(&cpus[running].now, before);
	else if (cpus[running].has_released)
		message->view = carried(&cpus[running].released, before);
	else
		message->view = before;
}

void machine_store(const volatile void *at, size_t bytes, int order)
{
	pending.at = (uintptr_t)at;
	pending.bytes = bytes;
	pending.order = order;
}

void machine_stored(void)
{
	uintptr_t at = pending.at, end = at + pending.bytes, next;
	uint64_t value, mask;
	struct spot *place;

	pending.bytes = 0;
	for (; at < end; at = next) {
		next = (at | 7) + 1;
		mask = UINT64_MAX << at % 8 * 8;
		if (end < next)
			mask &= UINT64_MAX >> (next - end) * 8;
		place = place_at(at);
		value = *place->word;
		settle(is_release(pending.order) ? NULL : place);
		send(place,
		     put(place, where(place), (struct message){ .value = value, .mask = mask }),
		     pending.order, NULL);
	}
}

bool machine_update(volatile uint64_t *at, uint64_t (*next)(uint64_t old, uint64_t value),
		    uint64_t value, const uint64_t *expected, int order, int failed, uint64_t *old)
{
	struct spot *place = place_at((uintptr_t)at);
	struct message *read;
	const struct view *before;

	settle(order == __ATOMIC_RELAXED ? place : NULL);
	read = pick(place, false, true, expected);
	*old = read->value;
	if (expected && *expected != *old) {
		seen(place, read, is_acquire(failed));
		return false;
	}
	seen(place, read, is_acquire(order));
	before = read->view;
	send(place,
	     put(place, (unsigned int)(read - place->message) + 1,
		 (struct message){
			 .value = next(*old, value), .mask = UINT64_MAX, .joined = true }),
	     order, before);
	return true;
}

void machine_fence(int order)
{
	machine_stored();
	settle(NULL);
	if (order != __ATOMIC_RELEASE)
		copy(&cpus[running].now, &cpus[running].acquired);
	if (order == __ATOMIC_SEQ_CST) {
		join(&cpus[running].now, &sequential);
		join(&cpus[running].acquired, &sequential);
		copy(&sequential, &cpus[running].now);
	}
	if (order == __ATOMIC_ACQUIRE)
		return;
	copy(&cpus[running].released, &cpus[running].now);
	cpus[running].has_released = true;
}
