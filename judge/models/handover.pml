/* SPDX-License-Identifier: MIT */
/*
 * The hand-over of sub-buffers to a reader on another CPU (judge/live.h), for spin: every order in
 * which the steps of both can come. A writer (with whoever interrupts it; to the reader they are one)
 * opens sub-buffers of two words in a ring of SLOTS and fills each with its number; the reader must
 * never believe a word of another number, and of a ring that discards it gets all of them in turn.
 *
 *   -DOVERWRITE       the ring overwrites, and the reader copies; else it discards
 *   -DWEAK            stores and loads pass each other unless an order is asked for, as on arm64; else
 *                     each CPU's stores are seen in their order, as on x86-64
 *   -DMASKED          the writer is alone, and stores the first word before it moves the tail
 * Mutants:
 *   -DCOMMIT_EARLY    the commit comes before the payload
 *   -DCOMMIT_RELAXED  no release at the commit (WEAK)
 *   -DREAD_RELAXED    no acquire behind the load of the commit counter (WEAK)
 *   -DCONSUME_RELAXED no release before the store of consumed (WEAK)
 *   -DNO_LOOK         the reader believes its copy without the second look at the tail
 *   -DLOOK_EARLY      it looks before it copies
 *   -DLOOK_AMID       it looks when it has copied the first word
 *   -DNO_MARGIN       the oldest slot counts as safe (MASKED)
 *   -DIGNORE_CONSUMED the writer opens what has not been read
 *
 * A comment that begins with "step:" names what the code does there, by the label of its access; a test holds both
 * to the same order.
 */
#ifndef SLOTS
#define SLOTS 3
#endif
#ifndef LAST
#define LAST 6 /* numbers that are written */
#endif
#define WORDS 2
#define TRIES 3 /* of a reader that copies */

byte tail; /* number behind the newest sub-buffer */
byte commits[SLOTS]; /* number + 1 of the round that is complete; of round 0: 0 */
byte consumed;
byte words[SLOTS * WORDS]; /* who wrote each: number + 1 */

#define SLOT(number) ((number) % SLOTS)
#define WORD(number, at) words[SLOT(number) * WORDS + (at)]

/* ---- the writer ---- */

/* Both words and the commit: in their order, or in any that nothing forbids. */
inline fill(number)
{
#if defined(COMMIT_EARLY) && !defined(WEAK)
	commits[SLOT(number)] = number + 1;
	WORD(number, 0) = number + 1;
	WORD(number, 1) = number + 1;
#elif defined(WEAK)
	done0 = false;
	done1 = false;
	do
	:: !done0 -> WORD(number, 0) = number + 1; done0 = true
	:: !done1 -> WORD(number, 1) = number + 1; done1 = true
	:: done0 && done1 -> break
#ifdef COMMIT_RELAXED
	:: commits[SLOT(number)] != number + 1 -> commits[SLOT(number)] = number + 1
#endif
	od;
	commits[SLOT(number)] = number + 1 /* step: commit */
#else
#ifndef MASKED
	WORD(number, 0) = number + 1;
#endif
	WORD(number, 1) = number + 1;
	commits[SLOT(number)] = number + 1 /* step: commit */
#endif
}

active proctype writer()
{
	byte number = 0;
	bool done0, done1;

	do
	:: number == LAST -> break
	:: else ->
		/* step: open: commits */
		assert(number < SLOTS || commits[SLOT(number)] == number - SLOTS + 1);
#if !defined(OVERWRITE) && !defined(IGNORE_CONSUMED)
		(number - consumed < SLOTS); /* step: open: consumed */
#endif
#ifdef MASKED
		WORD(number, 0) = number + 1;
#endif
		tail = number + 1; /* step: claim */
		fill(number);
		number++
	od
}

/* ---- the reader ---- */

byte got; /* numbers that it believed */

#define BELIEVE(word, number) assert((word) == (number) + 1)

#ifdef OVERWRITE
#ifdef NO_MARGIN
#define SAFE(number) (tail - (number) <= SLOTS)
#else
#define SAFE(number) (tail - (number) < SLOTS)
#endif

/* It may come at any time and try any of the sub-buffers that the ring may have. */
active proctype reader()
{
	byte tries = 0, number, first, second;
	bool safe;

	do
	:: tries == TRIES -> break
	:: else ->
		tries++;
		number = tail; /* step: read: tail */
		do
		:: number > 0 && tail - number < SLOTS -> number--
		:: break
		od;
		if
		:: commits[SLOT(number)] == number + 1 -> /* step: read: commits */
#ifdef LOOK_EARLY
			safe = SAFE(number);
#endif
			first = WORD(number, 0);
#ifdef LOOK_AMID
			safe = SAFE(number);
#endif
			second = WORD(number, 1);
#ifdef NO_LOOK
			safe = true;
#elif !defined(LOOK_EARLY) && !defined(LOOK_AMID)
			safe = SAFE(number); /* step: read: tail */
#endif
			if
			:: safe ->
				BELIEVE(first, number);
				BELIEVE(second, number);
				got++
			:: else
			fi
		:: else
		fi
	od
}
#else
active proctype reader()
{
	byte number = 0, first, second;

	do
	:: number == LAST -> break
	:: else ->
#if defined(WEAK) && defined(READ_RELAXED)
		/* The first word may have been loaded at any time before. */
		first = WORD(number, 0);
		(commits[SLOT(number)] == number + 1);
#else
		(commits[SLOT(number)] == number + 1); /* step: read: commits */
		first = WORD(number, 0);
#endif
#if defined(WEAK) && defined(CONSUME_RELAXED)
		consumed = number + 1;
		second = WORD(number, 1);
#else
		second = WORD(number, 1);
		consumed = number + 1; /* step: read: consumed */
#endif
		BELIEVE(first, number);
		BELIEVE(second, number);
		got++;
		number++
	od;
	assert(got == LAST)
}
#endif
