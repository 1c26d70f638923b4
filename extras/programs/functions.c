// SPDX-License-Identifier: MIT
/* Preloaded: an event at the entry and exit of each function of a program built with
 * -finstrument-functions. Without it, glibc's hooks do nothing. */
#include "extras/programs/preload.h"

enum { ENTER = 1, LEAVE = 2 };

/* gcc knows them, and clang asks for prototypes. */
PRELOAD_EXPORT void __cyg_profile_func_enter(void *function, void *caller);
PRELOAD_EXPORT void __cyg_profile_func_exit(void *function, void *caller);

PRELOAD_EXPORT void __cyg_profile_func_enter(void *function, void *caller)
{
	event(ENTER, (uintptr_t)function, (uintptr_t)caller);
}

PRELOAD_EXPORT void __cyg_profile_func_exit(void *function, void *caller)
{
	event(LEAVE, (uintptr_t)function, (uintptr_t)caller);
}
