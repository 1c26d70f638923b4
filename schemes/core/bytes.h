/* SPDX-License-Identifier: MIT */
/* Fields of any alignment in a record's bytes; little endian, as the machine is. */
#ifndef STAMPEDE_SCHEMES_CORE_BYTES_H
#define STAMPEDE_SCHEMES_CORE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline void put_u16(uint8_t *at, uint32_t value)
{
	uint16_t field = (uint16_t)value;

	memcpy(at, &field, sizeof(field));
}

static inline void put_u32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static inline void put_u64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

static inline uint16_t get_u16(const uint8_t *at)
{
	uint16_t field;

	memcpy(&field, at, sizeof(field));
	return field;
}

static inline uint32_t get_u32(const uint8_t *at)
{
	uint32_t field;

	memcpy(&field, at, sizeof(field));
	return field;
}

static inline uint64_t get_u64(const uint8_t *at)
{
	uint64_t field;

	memcpy(&field, at, sizeof(field));
	return field;
}

#endif
