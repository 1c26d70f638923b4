/* SPDX-License-Identifier: MIT */
/*
 * The seam: the one file that knows for which build a translation unit is compiled. All others ask
 * it for what they need to know, by the names below; each of them is 0 or 1.
 *
 *   build      STAMPEDE_...    what is compiled so
 *   -          (none)          all that is not a row: the programs, the judge, the ring's cold half
 *   timed      TIMED           rows as a tracer would have them; the payload is the stamp
 *   cheap      TIMED CHEAP     the same, with a clock that costs next to nothing
 *   injected   TIMED INJECTED  the same, with wraps and nested writers by plan
 *   checked    CHECKED         rows in a storm of signals; the payload is for the oracles
 *   counting   COUNTING        rows on a virtual clock; an interrupt is a call at a point
 *   explored   EXPLORED        a row's writers, which can be stopped anywhere, on a virtual clock
 *              EXPLORED TIMED  the same, with the payload of the timed build
 *
 * An explored row comes in a shape, which is log2 of a sub-buffer's bytes, log2 of how many there
 * are, and the bits of the short field, 0 for the row's own: SHAPE_SUBBUF_SHIFT, SHAPE_COUNT_SHIFT
 * and SHAPE_BITS. With EXPLORE_POINTS it stops at labelled points only. EXPLORE_IDENTIFIES makes
 * a counting row the reader of records with the timed build's payload.
 *
 * There are no others, and a translation unit is of one build from its first line to its last: the
 * macros stand on the command line, never in a file. tests/schemes/test_seam.sh tries all
 * combinations.
 */
#ifndef STAMPEDE_SCHEMES_CORE_SEAM_H
#define STAMPEDE_SCHEMES_CORE_SEAM_H

#ifdef STAMPEDE_TIMED
#define SEAM_IS_TIMED 1
#else
#define SEAM_IS_TIMED 0
#endif
#ifdef STAMPEDE_CHEAP
#define SEAM_IS_CHEAP 1
#else
#define SEAM_IS_CHEAP 0
#endif
#ifdef STAMPEDE_INJECTED
#define SEAM_IS_INJECTED 1
#else
#define SEAM_IS_INJECTED 0
#endif
#ifdef STAMPEDE_CHECKED
#define SEAM_IS_CHECKED 1
#else
#define SEAM_IS_CHECKED 0
#endif
#ifdef STAMPEDE_COUNTING
#define SEAM_IS_COUNTING 1
#else
#define SEAM_IS_COUNTING 0
#endif
#ifdef STAMPEDE_EXPLORED
#define SEAM_IS_EXPLORED 1
#else
#define SEAM_IS_EXPLORED 0
#endif

/* ---- what makes no sense ---- */

#if SEAM_IS_TIMED + SEAM_IS_CHECKED + SEAM_IS_COUNTING > 1
#error "a row is timed, checked or counting: one of STAMPEDE_TIMED, _CHECKED and _COUNTING"
#endif
#if (SEAM_IS_CHEAP || SEAM_IS_INJECTED) && !SEAM_IS_TIMED
#error "STAMPEDE_CHEAP and STAMPEDE_INJECTED are of the timed build: add STAMPEDE_TIMED"
#endif
#if SEAM_IS_CHEAP + SEAM_IS_INJECTED + SEAM_IS_EXPLORED > 1
#error "each has a clock of its own: one of STAMPEDE_CHEAP, _INJECTED and _EXPLORED"
#endif
#if SEAM_IS_EXPLORED && (SEAM_IS_CHECKED || SEAM_IS_COUNTING)
#error "STAMPEDE_EXPLORED goes alone or with STAMPEDE_TIMED"
#endif
#if SEAM_IS_EXPLORED && \
	!(defined(SHAPE_SUBBUF_SHIFT) && defined(SHAPE_COUNT_SHIFT) && defined(SHAPE_BITS))
#error "an explored row has a shape: SHAPE_SUBBUF_SHIFT, SHAPE_COUNT_SHIFT and SHAPE_BITS"
#endif
#if !SEAM_IS_EXPLORED && \
	(defined(SHAPE_SUBBUF_SHIFT) || defined(SHAPE_COUNT_SHIFT) || defined(SHAPE_BITS))
#error "only explored rows have a shape: add STAMPEDE_EXPLORED"
#endif
#if defined(EXPLORE_POINTS) && !SEAM_IS_EXPLORED
#error "EXPLORE_POINTS is for explored rows: add STAMPEDE_EXPLORED"
#endif
#if defined(EXPLORE_IDENTIFIES) && !SEAM_IS_COUNTING
#error "EXPLORE_IDENTIFIES is for the reader: add STAMPEDE_COUNTING"
#endif

/* ---- the build's name; there is none for what is no row ---- */

#if SEAM_IS_EXPLORED
#define SEAM_BUILD explored
#elif SEAM_IS_CHEAP
#define SEAM_BUILD cheap
#elif SEAM_IS_INJECTED
#define SEAM_BUILD injected
#elif SEAM_IS_TIMED
#define SEAM_BUILD timed
#elif SEAM_IS_CHECKED
#define SEAM_BUILD checked
#elif SEAM_IS_COUNTING
#define SEAM_BUILD counting
#endif

/* ---- the clock: the real one, or ---- */

#define SEAM_CLOCK_VIRTUAL (SEAM_IS_COUNTING || SEAM_IS_EXPLORED) /* a word that reads advance */
#define SEAM_CLOCK_REPLACED SEAM_IS_CHECKED /* the real one, or what a run has put there */
#define SEAM_CLOCK_BIASED SEAM_IS_INJECTED /* the real one plus a bias */
#define SEAM_CLOCK_CHEAP SEAM_IS_CHEAP /* a word that the caller of record() advances */

/* ---- who comes between: signals, or ---- */

#define SEAM_INTERRUPTS_CALLED SEAM_IS_COUNTING /* by points.hook, a call at each point */
#define SEAM_INTERRUPTS_STOPPED SEAM_IS_EXPLORED /* whoever runs the writer stops it, anywhere */
#define SEAM_INTERRUPTS_AT_CLOCK SEAM_IS_INJECTED /* also injection.nest() after clock reads */

#ifdef EXPLORE_POINTS
#define SEAM_POINTS_STOP 1 /* a stopped writer stops in point_stop(), a call at each point */
#else
#define SEAM_POINTS_STOP 0
#endif
/* POINT_PATH() labels an instruction: there are no calls that could tell of the place. */
#define SEAM_PATHS_LABELLED (SEAM_IS_EXPLORED && !SEAM_POINTS_STOP)

/* ---- the ring ---- */

/*
 * Geometry and widths are constants, so that the reserve path has the instructions that a tracer
 * with compiled-in geometry would have: 32 sub-buffers of 4 KiB where rows are timed, so that
 * the rings of a row and of its floors fit a cache of the second level together. Otherwise each run
 * sets them.
 */
/* A program on a small machine has fewer (extras/mcu). */
#ifndef RING_TIMED_SUBBUF_SHIFT
#define RING_TIMED_SUBBUF_SHIFT 12
#define RING_TIMED_COUNT_SHIFT 5
#endif
#define SEAM_GEOMETRY_CONSTANT (SEAM_IS_TIMED || SEAM_IS_EXPLORED)
#if SEAM_IS_EXPLORED
#define SEAM_SUBBUF_SHIFT SHAPE_SUBBUF_SHIFT
#define SEAM_COUNT_SHIFT SHAPE_COUNT_SHIFT
#define SEAM_NARROW_BITS SHAPE_BITS /* the short field, if not 0; see core/widths.h */
#else
#define SEAM_SUBBUF_SHIFT RING_TIMED_SUBBUF_SHIFT
#define SEAM_COUNT_SHIFT RING_TIMED_COUNT_SHIFT
#define SEAM_NARROW_BITS 0
#endif
/*
 * What ring_init() sets once is in words of its own, seam_constant_*: whoever stops writers can
 * then see that such an access is to nothing that they share.
 */
#define SEAM_CONSTANTS_APART SEAM_IS_EXPLORED

/* ---- records ---- */

#define SEAM_PAYLOAD_STAMP SEAM_IS_TIMED /* the payload is the stamp; else a check_payload */
#define SEAM_PAYLOAD_GIVEN 0 /* or, in extras/take/size.h, the caller's */
#define SEAM_INEXACT_STORED SEAM_IS_INJECTED /* and CHECK_INEXACT, where the stamp is inexact */
/* Reserve paths are functions in section reserve_text, so that hits inside them can be counted. */
#define SEAM_RESERVE_APART SEAM_IS_CHECKED
#define SEAM_SLOW_APART SEAM_IS_EXPLORED /* slow ones have a section too: reserve_slow */
#ifdef EXPLORE_IDENTIFIES
#define SEAM_IDENTIFIES 1 /* decoded events go through identify_event() (judge/identify.h) */
#else
#define SEAM_IDENTIFIES 0
#endif

#endif
