/* SPDX-License-Identifier: MIT */
/*
 * Claims of writers on several CPUs in one ring (the *_locked rows), for spin: every order in which
 * their steps can come, while a clock goes on that all of them read. Each WRITER records EVENTS; a
 * short header has the low two bits of the stamp. When all are done a reader decodes the records in
 * the order of the buffer: each time has to be the stamp that was taken, no place may be claimed
 * twice, and the commit counter has to account for all of them.
 *
 *   -DPACKED        one word of upper stamp bits and offset (packed_word_locked); else the offset
 *                   alone, and the newest stamp in a word that is stored behind the claim
 *                   (extended_header_locked)
 * Mutants:
 *   -DUNFENCED      the clock is read before the load in front of it has come back (rows without
 *                   CLOCK_FENCED, which promise less)
 *   -DNO_LOCK       compare and store are two steps
 *   -DSTAMP_KEPT    a claim that failed is tried again with the stamp that it had
 *   -DWORD_KEPT     and one with the header that it had
 *   -DLAST_EARLY    the newest stamp is stored before the claim
 *   -DCOMMIT_SPLIT  the commit is a load and a store
 *
 * A comment that begins with "step:" names what the code does there.
 */
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef EVENTS
#define EVENTS 2
#endif
#ifndef CLOCK_MOST
#define CLOCK_MOST 6 /* ticks: more than a wrap; tests/long.sh has more */
#endif
#define RECORDS (WRITERS * EVENTS)
#define WRAP 4
#ifdef PACKED
#define SAME_UPPER (upper == seen_upper)
#else
#define SAME_UPPER true
#endif
#define UPPER(stamp) ((stamp) / WRAP)

byte now = 1;
byte tail; /* records that were claimed */
byte upper; /* of the newest stamp: PACKED, the same word as the tail */
byte last; /* else */
byte commits;
byte done;
byte stamps[RECORDS]; /* what was taken */
byte lows[RECORDS]; /* what a reader has of it */
bool wholes[RECORDS]; /* the whole stamp */
bool claimed[RECORDS];

active proctype clock()
{
	do
	:: now < CLOCK_MOST && done < WRITERS -> now++
	:: done == WRITERS -> break
	:: now == CLOCK_MOST -> break
	od
}

inline see()
{
	atomic {
		seen = tail; /* step: tail */
		seen_upper = upper
	}
}

inline choose()
{
#ifdef PACKED
	whole = UPPER(stamp) != seen_upper
#else
	/* Unsigned: a last that is newer than the stamp is far, too. */
	whole = stamp < last || stamp - last >= WRAP /* step: last */
#endif
}

active [WRITERS] proctype writer()
{
	byte count = 0, seen, seen_upper, stamp, before;
	bool whole, won;

	do
	:: count == EVENTS -> break
	:: else ->
#ifdef UNFENCED
		stamp = now;
		see();
#else
		see();
		stamp = now; /* step: clock */
#endif
		choose();
		do
		:: true ->
#ifdef LAST_EARLY
			last = stamp;
#endif
#ifdef NO_LOCK
			won = tail == seen;
			if
			:: won -> tail = seen + 1; upper = UPPER(stamp)
			:: else
			fi;
#else
			atomic { /* step: claim */
				won = tail == seen && SAME_UPPER;
				if
				:: won -> tail = seen + 1; upper = UPPER(stamp)
				:: else
				fi
			}
#endif
			if
			:: won -> break
			:: else
			fi;
#ifdef STAMP_KEPT
			see();
			choose();
#else
			see(); /* step: tail again */
			stamp = now; /* step: clock again */
#ifndef WORD_KEPT
			choose();
#endif
#endif
		od;
		atomic { /* nobody else looks at these before the end */
			assert(!claimed[seen]);
			claimed[seen] = true;
			stamps[seen] = stamp;
			lows[seen] = stamp % WRAP;
			wholes[seen] = whole
		}
#if !defined(PACKED) && !defined(LAST_EARLY)
		last = stamp; /* step: store last */
#endif
#ifdef COMMIT_SPLIT
		before = commits;
		commits = before + 1;
#else
		commits++; /* step: commit */
#endif
		count++
	od;
	done++
}

active proctype reader()
{
	byte at = 0, time = 0;

	(done == WRITERS);
	assert(commits == RECORDS);
	do
	:: at == RECORDS -> break
	:: else ->
		if
		:: wholes[at] -> time = stamps[at]
		:: else -> time = time + ((lows[at] + WRAP - time % WRAP) % WRAP)
		fi;
		assert(time == stamps[at]);
		at++
	od
}
