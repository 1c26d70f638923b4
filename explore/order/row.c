// SPDX-License-Identifier: MIT
/* Compiled with -DORDER_DRIVER, the row's driver of the counting build. */
#include "explore/order/row.h"
#include "judge/live.h"

extern const struct driver ORDER_DRIVER;
extern const struct order_row order_row;
const struct order_row order_row = { .driver = &ORDER_DRIVER, .take = live_take };
