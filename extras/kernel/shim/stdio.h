/* SPDX-License-Identifier: MIT */
/* Only readers print; a pointer to what they print to is declared everywhere. */
#ifndef STAMPEDE_KERNEL_SHIM_STDIO_H
#define STAMPEDE_KERNEL_SHIM_STDIO_H

#include "extras/kernel/shim/shim.h"

typedef struct file_of_readers FILE;

#endif
