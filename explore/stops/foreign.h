/* SPDX-License-Identifier: MIT */
/*
 * What a shim and the explorer know of each other. A shim is a folder with a file shim.c, which
 * includes a tracer's own source as its owner ships it, and defines what is declared first below.
 * docs/foreign.md is the guide.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __cplusplus
#include "schemes/core/scheme.h"
#endif

/* In C++ files beside shim.c (foreign.mk) are all functions of the shim, and in it foreign_desc. */
#ifdef __cplusplus
#define FOREIGN_SCOPE extern "C" __attribute__((visibility("hidden")))
#elif defined(FOREIGN_CXX)
#define FOREIGN_SCOPE extern __attribute__((visibility("hidden"), externally_visible))
#else
#define FOREIGN_SCOPE static
#endif

/* A function of the shim that no interrupt comes into. */
#define FOREIGN_PLAIN __attribute__((__noinline__, section("explore_plain")))

/* ---- what a shim defines ---- */

/*
 * What the tracer is, promises and needs. Asked are PROMISE_MONOTONIC, _EXACT, _WINDOW and
 * _WRAP_PROOF; that each event is read once, or counted as lost, every tracer owes.
 */
#ifndef __cplusplus
static const struct scheme_desc foreign_desc;
#endif

/* Sets up the tracer; its static variables are as after loading. Plain. */
FOREIGN_SCOPE void foreign_begin(void);

/*
 * Records one event that carries `value`, all 64 bits of it, and behind it `extra` bytes of
 * anything, a multiple of 4, if the tracer has events of several sizes. False: the tracer told its
 * caller that it is lost. Interrupted everywhere; an interrupt calls it again.
 */
FOREIGN_SCOPE bool foreign_record(uint64_t value, uint32_t extra);

/* Reads all back, by foreign_event() in the order of the tracer's reader, and foreign_lost().
 * Plain. */
FOREIGN_SCOPE void foreign_read(void);

/* ---- what it may call ---- */

/*
 * The clock, in ticks, 64 bits. The stamp of an event is what it read last before it returned. It
 * can be set to go on by one tick with each read (the default), or by none, or by a wrap.
 */
FOREIGN_SCOPE uint64_t foreign_clock(void);

/* So many bytes of the explored memory, aligned to 64, zeros; NULL where too few are left. */
FOREIGN_SCOPE void *foreign_memory(size_t bytes);

/*
 * The tracer's reader finds an event with `value` and `time`. `inexact`: the trace says that this
 * is not the time at which it happened.
 */
FOREIGN_SCOPE void foreign_event(uint64_t value, uint64_t time, bool inexact);

/* Which CPU runs (--writers), from 0 on. */
FOREIGN_SCOPE unsigned int foreign_cpu(void);

/* What came out, in foreign_read(), not 0: hexadecimal digits that --outcomes prints. */
FOREIGN_SCOPE void foreign_outcome(uint64_t digits);

/* The tracer says that so many events are lost, in all. */
FOREIGN_SCOPE void foreign_lost(uint64_t events);
