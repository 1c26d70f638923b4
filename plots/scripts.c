// SPDX-License-Identifier: MIT
#include "plots/scripts.h"

#include <string.h>

/* Found from where the compiler is started, as the Makefile does it: the project's directory. */
#ifndef PLOTS_SOURCE
#define PLOTS_SOURCE "plots"
#endif

#define SCRIPTS(X) X(style, style.gp) X(cost, cost.gp) X(space, space.gp) X(rate, rate.gp) \
	X(storm, storm.gp) X(late_beat, late_beat.gp) X(injected, injected.gp) \
	X(layouts, layouts.gp) X(threads, threads.gp) \
	X(replay, replay.gp) X(idle, idle.gp) X(tails, tails.gp) X(ties, ties.gp) X(seek, seek.gp) \
	X(report_css, report.css) X(report_js, report.js)

#define INCLUDE(name, file)                                              \
	__asm__(".pushsection .rodata\n"                           \
		"script_" #name ":\n"                              \
		".incbin \"" PLOTS_SOURCE "/" #file "\"\n"      \
		"script_" #name "_end:\n"                          \
		".byte 0\n"                                        \
		".popsection\n");                                  \
	extern const char script_##name[] __attribute__((visibility("hidden"))), \
		script_##name##_end[] __attribute__((visibility("hidden")));
SCRIPTS(INCLUDE)

const char *script_text(const char *name, size_t *size)
{
#define FIND(script, file)                                               \
	if (!strcmp(name, #script)) {                              \
		*size = (size_t)(script_##script##_end - script_##script); \
		return script_##script;                            \
	}
	SCRIPTS(FIND)
	*size = 0;
	return NULL;
}
