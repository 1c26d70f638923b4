/* SPDX-License-Identifier: MIT */
#ifndef STAMPEDE_MCU_SHIM_STDLIB_H
#define STAMPEDE_MCU_SHIM_STDLIB_H

_Noreturn void abort(void);

#endif
