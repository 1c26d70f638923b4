// SPDX-License-Identifier: MIT
#include "schemes/core/points.h"

struct points points;
