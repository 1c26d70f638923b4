/* SPDX-License-Identifier: MIT */
#define assert(holds) ((holds) ? (void)0 : __builtin_trap())
