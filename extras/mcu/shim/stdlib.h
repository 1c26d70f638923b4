/* SPDX-License-Identifier: MIT */
#pragma once

_Noreturn void abort(void);
