/* SPDX-License-Identifier: MIT */
/*
 * What all writers share, as one string of bytes: two states with the same string continue alike,
 * but for the writer that is in the middle of a record.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the world, into `to`: so many bytes. `reads`: a reader may come, and is part of it. */
size_t shared_save(uint8_t *to, bool reads);
void shared_restore(const uint8_t *from, size_t bytes, bool reads);
