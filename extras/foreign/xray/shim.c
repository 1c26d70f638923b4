// SPDX-License-Identifier: MIT
/* LLVM XRay's flight data recorder: recorder.cc has all but this. */
#include "explore/stops/foreign.h"

/* A handler reads the clock before it knows that it may record, so time goes back in the trace. */
static const struct scheme_desc foreign_desc = {
	.title = "XRay's flight data recorder",
	.source = "https://llvm.org/docs/XRayFDRFormat.html",
	.promises = PROMISE_EXACT | PROMISE_WINDOW | PROMISE_WRAP_PROOF,
};
