/* SPDX-License-Identifier: MIT */
#include "kernel/shim/shim.h"
