/* SPDX-License-Identifier: MIT */
/* Bits of the short time field and of the counter, where a row of schemes.def says nothing. */
#ifndef STAMPEDE_SCHEMES_CORE_WIDTHS_H
#define STAMPEDE_SCHEMES_CORE_WIDTHS_H

#ifndef STAMP_BITS
#define STAMP_BITS 27
#endif
#ifndef COUNTER_BITS
#define COUNTER_BITS 64
#endif

#endif
