// SPDX-License-Identifier: MIT
/* One field after the other, by the metadata alone. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "schemes/format/format_ctf.h"
#include "traces/ctf_read.h"

static const uint8_t *packet_bytes(const struct ctf_reader *reader)
{
	return reader->bytes + reader->packet.offset;
}

bool ctf_fault_here(struct ctf_reader *reader, const char *what)
{
	return trace_fault(&reader->fault, reader->packet.offset + reader->bit / 8, "%s", what);
}

static bool overrun(struct ctf_reader *reader, const struct ctf_field *field)
{
	/* Of a packet whose header is being read nothing is known yet. */
	return trace_fault(&reader->fault, reader->packet.offset + reader->bit / 8,
			   reader->packet.bytes ?
				   "field '%.60s' runs over the end of its packet's content" :
				   "truncated: the file ends before '%.60s' of a packet's header",
			   field ? field->name : "");
}

/* `size` bits from bit `at` on, low bits first; they are inside the file. */
static uint64_t get_bits(const uint8_t *bytes, uint64_t at, uint32_t size)
{
	uint32_t shift = at % 8, count = (shift + size + 7) / 8, i;
	uint64_t low = 0, high = 0;

	bytes += at / 8;
	if (!shift && size == 64)
		return get_u64(bytes);
	if (!shift && size == 32)
		return get_u32(bytes);
	for (i = 0; i < count && i < 8; i++)
		low |= (uint64_t)bytes[i] << 8 * i;
	if (count > 8)
		high = bytes[8];
	low >>= shift;
	if (shift)
		low |= high << (64 - shift);
	return low & bits_mask(size);
}

static uint64_t get_integer(const struct ctf_reader *reader, const struct ctf_type *type)
{
	uint64_t value = get_bits(packet_bytes(reader), reader->bit, type->size);

	if (type->big_endian)
		value = __builtin_bswap64(value) >> (64 - type->size);
	if (type->is_signed && type->size < 64 && value >> (type->size - 1))
		value |= ~bits_mask(type->size);
	return value;
}

/* What was read of an integer field. */
static void keep(struct ctf_reader *reader, const struct ctf_type *type,
		 const struct ctf_field *field, uint64_t value, uint32_t bits)
{
	if (type->clock) {
		reader->time = bits_advance(reader->time, value, bits);
		if (bits > reader->clock_bits)
			reader->clock_bits = bits;
	}
	if (field && field->slot != CTF_NO_SLOT)
		reader->slots[field->slot] = value;
	if (reader->integer && field)
		reader->integer(reader->arg, field, value);
}

static bool walk_scalar(struct ctf_reader *reader, const struct ctf_type *type,
			const struct ctf_field *field)
{
	uint64_t value;

	if (type->size > reader->packet.content_bits - reader->bit)
		return overrun(reader, field);
	if (type->big_endian && reader->bit % 8)
		return ctf_fault_here(reader, "a big-endian field that begins inside a byte");
	value = get_integer(reader, type);
	reader->bit += type->size;
	if (type->kind != CTF_FLOAT)
		keep(reader, type, field, value, type->size);
	return true;
}

/* LEB128: 7 bits a byte, the lowest first; the highest bit says that there is more. */
static bool walk_varlen(struct ctf_reader *reader, const struct ctf_type *type,
			const struct ctf_field *field)
{
	uint64_t value = 0, group, left = (reader->packet.content_bits - reader->bit) / 8;
	const uint8_t *at = packet_bytes(reader) + reader->bit / 8;
	uint32_t bits = 0;

	do {
		if (bits / 7 == left)
			return overrun(reader, field);
		group = *at & 0x7f;
		if (bits == 70 ||
		    (bits == 63 && group != 0 && group != (type->is_signed ? 0x7f : 1)))
			return ctf_fault_here(reader, "an integer of more than 64 bits");
		value |= group << bits;
		bits += 7;
	} while (*at++ & 0x80);
	if (type->is_signed && bits < 64 && group & 0x40)
		value |= ~bits_mask(bits);
	reader->bit += bits / 7 * 8;
	keep(reader, type, field, value, bits < 64 ? bits : 64);
	return true;
}

static bool walk_string(struct ctf_reader *reader, const struct ctf_type *type,
			const struct ctf_field *field)
{
	static const uint8_t zeros[4];
	const uint8_t *begin = packet_bytes(reader) + reader->bit / 8, *at = begin;
	uint64_t left = (reader->packet.content_bits - reader->bit) / 8;
	const uint8_t *end = begin + left;
	uint32_t bytes = type->size / 8;

	if (bytes == 1) {
		at = memchr(begin, 0, left);
		if (!at)
			at = end;
	}
	while ((uint64_t)(end - at) >= bytes && memcmp(at, zeros, bytes) != 0)
		at += bytes;
	if ((uint64_t)(end - at) < bytes)
		return overrun(reader, field);
	reader->bit += (uint64_t)(at + bytes - begin) * 8;
	return true;
}

static bool walk_variant(struct ctf_reader *reader, const struct ctf_type *type)
{
	const struct ctf_field *option = tsdl_option(type, reader->slots[type->slot]);

	if (!option && type->optional)
		return true;
	if (!option)
		return trace_fault(&reader->fault, reader->packet.offset + reader->bit / 8,
				   "no option of the variant for the value %" PRIu64 " of '%.60s'",
				   reader->slots[type->slot], type->tag);
	return ctf_walk(reader, option->type, option);
}

static bool walk_elements(struct ctf_reader *reader, const struct ctf_type *type,
			  const struct ctf_field *field)
{
	uint64_t length = type->kind == CTF_ARRAY ? type->length : reader->slots[type->slot], i;
	const struct ctf_type *element = type->element;
	/* Elements have no field of their own: no slots, and nobody is shown them. */
	uint64_t left = reader->packet.content_bits - reader->bit;

	if (length > left)
		return overrun(reader, field);
	if ((element->kind == CTF_INTEGER || element->kind == CTF_FLOAT) &&
	    element->size % element->align == 0) {
		reader->bit = bits_align(reader->bit, element->align);
		left = reader->packet.content_bits - reader->bit;
		if (reader->bit > reader->packet.content_bits || length > left / element->size)
			return overrun(reader, field);
		reader->bit += length * element->size;
		return true;
	}
	for (i = 0; i < length; i++)
		if (!ctf_walk(reader, element, NULL))
			return false;
	return true;
}

bool ctf_walk(struct ctf_reader *reader, const struct ctf_type *type, const struct ctf_field *field)
{
	uint32_t i;

	if (!reader->budget)
		return ctf_fault_here(reader, "more empty fields than a record can have");
	reader->budget--;
	reader->bit = bits_align(reader->bit, type->align);
	if (reader->bit > reader->packet.content_bits)
		return overrun(reader, field);
	switch (type->kind) {
	case CTF_INTEGER:
	case CTF_FLOAT:
		return walk_scalar(reader, type, field);
	case CTF_VARLEN:
		return walk_varlen(reader, type, field);
	case CTF_STRING:
		return walk_string(reader, type, field);
	case CTF_VARIANT:
		return walk_variant(reader, type);
	case CTF_ARRAY:
	case CTF_SEQUENCE:
		return walk_elements(reader, type, field);
	case CTF_STRUCT:
		break;
	}
	for (i = 0; i < type->count; i++)
		if (!ctf_walk(reader, type->fields[i].type, &type->fields[i]))
			return false;
	return true;
}
