/* SPDX-License-Identifier: MIT */
/*
 * For tests of a taken header: -DHEADER="...", and its names without their prefix, -DPREFIX, as
 * T(). CHECK() says what is not so, and counts it. -DSECTIONS: a row without begin() and end(), and
 * whose first packet has number 1.
 */
#pragma once

#include HEADER

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define T(name) PASTE(PREFIX, name)
#define E(name) PASTE(UPPER, name) /* -DUPPER: the prefix of macros and errors */
#define CHECK(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
			wrong++; \
		} \
	} while (0)

static int wrong;

#ifdef SECTIONS
enum { FIRST = 1 };
#else
enum { FIRST = 0 };
#endif
