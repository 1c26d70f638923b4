/* SPDX-License-Identifier: MIT */
/* Only readers print; a pointer to what they print to is declared everywhere. */
#pragma once

#include "extras/kernel/shim/shim.h"

typedef struct file_of_readers FILE;
