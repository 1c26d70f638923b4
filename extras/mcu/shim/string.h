/* SPDX-License-Identifier: MIT */
/* What schemes use of it. */
#ifndef STAMPEDE_MCU_SHIM_STRING_H
#define STAMPEDE_MCU_SHIM_STRING_H

#define memcpy __builtin_memcpy
#define strlen __builtin_strlen

#endif
