/* SPDX-License-Identifier: MIT */
/*
 * What a user can do wrong: each call is refused with an error of its own, between two events that
 * are not lost. Writes a trace into the current folder, for another reader; its `good` events are
 * numbered 0, 1 ... and their count is printed. With -DHEADER, PREFIX and UPPER (taken.h).
 */
#include "tests/take/taken.h"

#define GOOD(F) F(u64, number)
E(EVENT)(good, 1, GOOD);
#define TEXTS(F) F(text, job, 8) F(string, path) F(seq, samples, u32)
E(EVENT)(texts, 2, TEXTS);
static const struct T(
	event_type) fixed = { "fixed", "u64 _a; u64 _b;", 3, 16 },
		    none = { "none", "", 599, 0 }, raw = { "raw", "u8 _a;", 4, E(VARIABLE) };
#define MOST E(PAYLOAD_MOST)
#define VARIABLE_MOST E(VARIABLE_MOST)

static struct T(tracer) t, other, copy, closed;
static struct T(event_type) types[5];
static struct T(options) options = { types, 5, 0, false, NULL };
static struct T(clock_rate) rate;
#ifndef SECTIONS
static struct T(reservation) rsv, empty_rsv, ended, foreign;
#endif
static struct T(packet) packet, held;
static uint8_t memory[1 << 20] __attribute__((aligned(64)));
static uint8_t bytes[70000];
static uint64_t goods, seen, before;
static FILE *text;
static char *endless; /* as many bytes as the field has, and no more */

/* open() of another tracer with one type, or other memory, that is wrong. */
static int opens(const char *name, const char *fields, uint32_t id, uint32_t size)
{
	struct T(event_type) one = { name, fields, id, size };
	struct T(options) its = { &one, 1, 0, false, NULL };

	return T(open)(&other, &its);
}

static int opens_two(uint32_t id, uint32_t size_of_a, uint32_t size_of_b)
{
	struct T(event_type) two[2] = { { "a", "", id, size_of_a }, { "b", "", id, size_of_b } };
	struct T(options) its = { two, 2, 0, false, NULL };

	return T(open)(&other, &its);
}

static int opens_in(uint8_t *at, uint8_t first)
{
	struct T(options) its = { types, 5, 0, false, at };

	memory[128] = first;
	return T(open)(&other, &its);
}

static int opens_none(void)
{
	struct T(options) its = { NULL, 1, 0, false, NULL };

	return T(open)(&other, &its);
}

#ifndef SECTIONS
static int ends_copy(void)
{
	return T(end)(&t, &foreign);
}
#endif

static int releases(uint64_t number)
{
	struct T(packet) one = held;

	one.number = number;
	return T(release)(&t, &one);
}

#define HELD "is held" /* the next needs a packet that is read, */
#define LET_GO "released" /* and from here on none */
#define DETACHED "no reader"

struct misuse {
	const char *what;
	int expect;
};

/* X(what is wrong, the call, its error) */
#ifdef SECTIONS /* the compiler refuses them all */
#define BEGIN_MISUSES
#else
#define BEGIN_MISUSES \
	X("begin: too few", T(try_begin)(&t, 3, 8, &rsv), BAD_SIZE) \
	X("begin: too many", T(try_begin)(&t, 3, 24, &rsv), BAD_SIZE) \
	X("begin: a size of 2^32 - 1", T(try_begin)(&t, 3, UINT32_MAX, &rsv), BAD_SIZE) \
	X("begin: undeclared", T(try_begin)(&t, 6, 8, &rsv), UNDECLARED) \
	X("begin: id 70000", T(try_begin)(&t, 70000, 8, &rsv), BAD_ID) \
	X("begin: no tracer", T(try_begin)(NULL, 3, 16, &rsv), NO_POINTER) \
	X("begin: no reservation", T(try_begin)(&t, 3, 16, NULL), NO_POINTER) \
	X("begin: no reservation, variable", T(try_begin)(&t, 4, 16, NULL), NO_POINTER) \
	X("end: no reservation", T(end)(&t, NULL), NO_POINTER) \
	X("end: no tracer", T(end)(NULL, &rsv), NO_POINTER) \
	X("variable: begin", T(try_begin)(&t, 4, MOST + 1, &rsv), TOO_LARGE) \
	X("end without a begin", T(end)(&t, &empty_rsv), NOT_HELD) \
	X("end of a begin that was refused", T(end)(&t, &rsv), NOT_HELD) \
	X("end twice", T(end)(&t, &ended), NOT_HELD) \
	X("end of another ring's begin", ends_copy(), NOT_HELD)
#endif
#define MISUSES \
	X("one byte too few", T(try_write)(&t, 3, bytes, 15), BAD_SIZE) \
	X("one byte too many", T(try_write)(&t, 3, bytes, 17), BAD_SIZE) \
	X("no byte", T(try_write)(&t, 3, bytes, 0), BAD_SIZE) \
	X("a size of 2^32 - 1", T(try_write)(&t, 3, bytes, UINT32_MAX), BAD_SIZE) \
	X("a byte for none", T(try_write)(&t, 599, bytes, 1), BAD_SIZE) \
	X("a size like a pointer's", T(try_write)(&t, 1, bytes, 4), BAD_SIZE) \
	X("more than a sub-buffer, of a type of 16", T(try_write)(&t, 3, bytes, 70000), BAD_SIZE) \
	X("an undeclared id", T(try_write)(&t, 5, bytes, 8), UNDECLARED) \
	X("id 0, undeclared", T(try_write)(&t, 0, bytes, 8), UNDECLARED) \
	X("id 30, undeclared", T(try_write)(&t, 30, bytes, 8), UNDECLARED) \
	X("the escape's id, undeclared", T(try_write)(&t, 31, bytes, 8), UNDECLARED) \
	X("id 598, undeclared, no bytes", T(try_write)(&t, 598, bytes, 0), UNDECLARED) \
	X("undeclared, 2^32 - 1 bytes", T(try_write)(&t, 5, bytes, UINT32_MAX), UNDECLARED) \
	X("switched off", T(enable)(&t, 3, false) + T(try_write)(&t, 3, bytes, 16), OFF) \
	X("variable, switched off", T(enable)(&t, 4, false) + T(try_write)(&t, 4, bytes, 16), OFF) \
	X("switched on again", T(enable)(&t, 3, true) + T(enable)(&t, 4, true), OK) \
	X("id 600", T(try_write)(&t, 600, bytes, 8), BAD_ID) \
	X("id 1199", T(try_write)(&t, 1199, bytes, 8), BAD_ID) \
	X("id 70000", T(try_write)(&t, 70000, bytes, 8), BAD_ID) \
	X("id 2^16 + 1", T(try_write)(&t, 65537, bytes, 8), BAD_ID) \
	X("id -1", T(try_write)(&t, UINT32_MAX, bytes, 8), BAD_ID) \
	X("no payload", T(try_write)(&t, 3, NULL, 16), NO_POINTER) \
	X("no payload, variable", T(try_write)(&t, 4, NULL, 16), NO_POINTER) \
	X("no tracer", T(try_write)(NULL, 3, bytes, 16), NO_POINTER) \
	X("no struct", texts_record(&t, NULL), NO_POINTER) \
	X("a text that has no end", texts_write(&t, endless, "", NULL, 0), OK) \
	X("text is NULL", texts_write(&t, NULL, "", NULL, 0), NO_POINTER) \
	X("string is NULL", texts_write(&t, "", NULL, NULL, 0), NO_POINTER) \
	X("seq is NULL", texts_write(&t, "", "", NULL, 1), NO_POINTER) \
	X("seq of 2^32 - 1", texts_write(&t, "", "", (uint32_t *)memory, UINT32_MAX), TOO_LARGE) \
	BEGIN_MISUSES \
	X("more than fits", T(try_write)(&t, 4, bytes, VARIABLE_MOST + 1), TOO_LARGE) \
	X("more than 16 bits", T(try_write)(&t, 4, bytes, 65536), TOO_LARGE) \
	X("variable: 2^32 - 1", T(try_write)(&t, 4, bytes, UINT32_MAX), TOO_LARGE) \
	X("write: a copy of a tracer", T(flush_open)(&copy), NOT_OPEN) \
	X("write: closed", T(try_write)(&closed, 1, bytes, 8), NOT_OPEN) \
	X("write: never opened", T(try_write)(&other, 1, bytes, 8), NOT_OPEN) \
	X("flush: closed", T(flush_open)(&closed), NOT_OPEN) \
	X("flush: no tracer", T(flush_open)(NULL), NO_POINTER) \
	X("attach: closed", T(attach)(&closed), NOT_OPEN) \
	X("attach: a copy", T(attach)(&copy), NOT_OPEN) \
	X("attach: no tracer", T(attach)(NULL), NO_POINTER) \
	X("attach twice", T(attach)(&t), BUSY) \
	X("detach: closed", T(detach)(&closed), NOT_OPEN) \
	X("read: no packet", T(read)(&t, NULL), NO_POINTER) \
	X("read: closed", T(read)(&closed, &packet), NOT_OPEN) \
	X("release: no packet", T(release)(&t, NULL), NO_POINTER) \
	X("release what nobody read", T(release)(&t, &packet), NOT_HELD) \
	X(HELD, 0, OK) \
	X("release a later packet", releases(held.number + 1), NOT_HELD) \
	X("release a packet of 2^40", releases(UINT64_C(1) << 40), NOT_HELD) \
	X("release packet -1", releases(UINT64_MAX), NOT_HELD) \
	X(LET_GO, 0, OK) \
	X("release twice", T(release)(&t, &held), NOT_HELD) \
	X("open twice", T(open)(&t, &options), TWICE) \
	X("open: no options", T(open)(&other, NULL), NO_POINTER) \
	X("open: no tracer", T(open)(NULL, &options), NO_POINTER) \
	X("open: no types", opens_none(), NO_POINTER) \
	X("open: no name", opens(NULL, "", 1, 8), NO_POINTER) \
	X("open: no fields", opens("a", NULL, 1, 8), NO_POINTER) \
	X("open: id 600", opens("a", "", 600, 8), BAD_ID) \
	X("open: id 70000", opens("a", "", 70000, 8), BAD_ID) \
	X("open: larger than fits", opens("a", "", 1, MOST + 1), TOO_LARGE) \
	X("open: an id twice", opens_two(1, 0, 8) & opens_two(7, 0, 0), TWICE) \
	X("open: mixed twice", opens_two(7, E(VARIABLE), 0) & opens_two(7, 0, E(VARIABLE)), TWICE) \
	X("open: an id twice, variable", opens_two(7, E(VARIABLE), E(VARIABLE)), TWICE) \
	X("open: a name with a space", opens("a b", "", 1, 8), BAD_NAME) \
	X("open: a name with a quote", opens("a\"", "", 1, 8), BAD_NAME) \
	X("open: a name with a digit first", opens("1a", "", 1, 8), BAD_NAME) \
	X("open: an empty name", opens("", "", 1, 8), BAD_NAME) \
	X("open: memory off by 1", opens_in(memory + 1, 0), MISALIGNED) \
	X("open: memory off by 32", opens_in(memory + 32, 0), MISALIGNED) \
	X("open: memory that was used", opens_in(memory, 1), NOT_ZERO) \
	X("metadata: no file", T(metadata)(NULL, &options, &rate), NO_POINTER) \
	X("metadata: no clock", T(metadata)(text, &options, NULL), NO_POINTER) \
	X("metadata: no options", T(metadata)(text, NULL, &rate), NO_POINTER) \
	X("measure: no clock", T(clock_measure)(NULL, 1), NO_POINTER) \
	X("close: no tracer", T(close)(NULL), NO_POINTER) \
	X(DETACHED, 0, OK) \
	X("detach twice", T(detach)(&t), NO_READER) \
	X("read without attach", T(read)(&t, &packet), NO_READER) \
	X("release without attach", T(release)(&t, &packet), NO_READER)

static void good(void)
{
	CHECK(!good_write(&t, goods));
	goods++;
}

/* Complete sub-buffers to the trace; but for the last, where that is to be held. */
static void drain(FILE *stream, bool hold)
{
	struct T(event) event;
	uint64_t number;
	int got;

	T(flush_open)(&t);
	while ((got = T(read)(&t, &packet)) == 1) {
		CHECK(fwrite(packet.bytes, packet.size, 1, stream) == 1);
		while (T(next)(&packet, &event)) {
			if (event.id != 1)
				continue;
			memcpy(&number, event.payload, 8);
			CHECK(number == seen++);
		}
		if (hold) {
			held = packet;
			return;
		}
		CHECK(!T(release)(&t, &packet));
	}
	CHECK(!got);
}

static void misused(const char *what, int got, int expect, uint64_t counted)
{
	if (got != expect) {
		fprintf(stderr, "%s: %d, not %d\n", what, got, expect);
		wrong++;
	}
	/* All but BUSY and OFF, and those that got no open tracer, count. */
	if (T(refused)(&t) > counted + (expect != E(OFF)) || T(lost)(&t)) {
		fprintf(stderr, "%s: counted wrong\n", what);
		wrong++;
	}
	good();
}

int main(void)
{
	FILE *stream = fopen("0", "wb");
	uint64_t misuses = 0;
	struct T(event) event;

	types[0] = good_type, types[1] = texts_type, types[2] = fixed, types[3] = none,
	types[4] = raw;
	text = fopen("metadata", "w");
	endless = (char *)memset(malloc(8), 'x', 8);
	T(clock_measure)(&rate, 5);
	if (!text || !stream || T(metadata)(text, &options, &rate) || T(open)(&t, &options) ||
	    T(attach)(&t) || T(open)(&closed, &options) || T(close)(&closed) || T(close)(&closed))
		return 1;
	memcpy(&copy, &t, sizeof(t));
#ifndef SECTIONS
	CHECK(T(begin)(&t, 3, 16, &ended) && memset(ended.payload, 1, 16) && !T(end)(&t, &ended));
	CHECK(!T(open)(&other, &options) && T(begin)(&other, 3, 16, &foreign));
	CHECK(!T(close)(&other));
#endif
	CHECK(T(write)(&t, 599, NULL, 0) && T(write)(&t, 4, bytes, 1));
	CHECK(!T(next)(NULL, &event) && !T(next)(&packet, &event) && !T(next)(&packet, NULL));
	good();
#define X(what, call, error) \
	if (!strcmp(what, HELD)) { \
		drain(stream, true); \
	} else if (!strcmp(what, LET_GO)) { \
		CHECK(!T(release)(&t, &held) && !T(next)(&held, &event)); \
	} else if (!strcmp(what, DETACHED)) { \
		drain(stream, false); \
		CHECK(!T(detach)(&t)); \
	} else { \
		before = T(refused)(&t); \
		misused(what, call, E(error), before); \
		misuses++; \
	}
	MISUSES
#undef X
	CHECK(T(refused)(&t) >= (FIRST ? 35 : 50) && !T(attach)(&t));
	drain(stream, false);
	CHECK(seen == goods);
	CHECK(!fclose(text) && !fclose(stream));
	printf("%d misuses, %d good events\n", (int)misuses, (int)goods);
	return wrong != 0;
}
