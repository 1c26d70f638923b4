// SPDX-License-Identifier: MIT
#include <rte_trace_point_register.h>

#include "extras/tracers/dpdk/stamp.h"

RTE_TRACE_POINT_REGISTER(stampede_stamp, stampede.stamp)
