/* SPDX-License-Identifier: MIT */
#include "extras/kernel/shim/shim.h"
