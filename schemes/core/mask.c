// SPDX-License-Identifier: MIT
#include "mask.h"

sigset_t mask_signals;
