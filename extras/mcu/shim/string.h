/* SPDX-License-Identifier: MIT */
/* What schemes use of it. */
#pragma once

#define memcpy __builtin_memcpy
#define strlen __builtin_strlen
