// SPDX-License-Identifier: MIT
#include "schemes/parts/mask.h"

sigset_t mask_signals;
