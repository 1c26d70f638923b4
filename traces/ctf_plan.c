// SPDX-License-Identifier: MIT
/* Which events of a stream can be decoded without looking at the metadata again. */
#include <stdlib.h>

#include "schemes/core/bits.h"
#include "traces/ctf_read.h"

int64_t ctf_fixed_bytes(const struct ctf_type *type, uint32_t align_bytes)
{
	uint64_t bits = 0;
	int64_t bytes;
	uint32_t i;

	if (!type)
		return 0;
	if (type->align > 8 * align_bytes)
		return -1;
	if (type->kind == CTF_INTEGER || type->kind == CTF_FLOAT)
		return type->size % 8 ? -1 : (int64_t)(type->size / 8);
	if (type->kind == CTF_ARRAY) {
		bytes = ctf_fixed_bytes(type->element, align_bytes);
		/* Elements have to be dense, and not more than any packet holds. */
		if (bytes < 0 || type->length > UINT32_MAX / 8 || bytes > UINT16_MAX ||
		    (uint64_t)bytes * 8 % type->element->align)
			return -1;
		return bytes * (int64_t)type->length;
	}
	if (type->kind != CTF_STRUCT)
		return -1;
	for (i = 0; i < type->count; i++) {
		const struct ctf_type *field = type->fields[i].type;

		bits = bits_align(bits, field->align);
		if (field->kind == CTF_INTEGER && field->size % 8) {
			bits += field->size;
			continue;
		}
		bytes = ctf_fixed_bytes(field, align_bytes);
		if (bytes < 0 || bits % 8)
			return -1;
		bits += (uint64_t)bytes * 8;
		if (bits > UINT32_MAX)
			return -1;
	}
	return bits % 8 ? -1 : (int64_t)(bits / 8);
}

/* Where the clock's low bits lie behind an id of `bits` bits; false: not in this way. */
static bool clock_behind(const struct ctf_type *type, uint32_t bits, struct ctf_plan *plan)
{
	const struct ctf_type *field;
	uint32_t at, i;

	if (type->kind != CTF_STRUCT || !type->count)
		return false;
	at = (uint32_t)bits_align(bits, type->align);
	for (i = 0; i < type->count; i++) {
		field = type->fields[i].type;
		if (field->kind != CTF_INTEGER || field->big_endian ||
		    type->fields[i].slot != CTF_NO_SLOT || field->clock != !i)
			return false;
		at = (uint32_t)bits_align(at, field->align);
		if (!i) {
			plan->time_shift = at;
			plan->time_bits = field->size;
		}
		at += field->size;
		if (at > 64)
			return false;
	}
	plan->header_bytes = at / 8;
	return at % 8 == 0;
}

/* The header's shape for `value` of its id; false: not short. */
static bool short_header(const struct ctf_type *header, uint64_t value, struct ctf_plan *plan)
{
	const struct ctf_type *id = header->fields[0].type, *behind;
	const struct ctf_field *option;

	behind = header->fields[1].type;
	if (behind->kind != CTF_VARIANT || header->count != 2 ||
	    behind->slot != header->fields[0].slot || behind->slot == CTF_NO_SLOT)
		return false;
	option = tsdl_option(behind, value);
	return option && clock_behind(option->type, id->size, plan);
}

/* Does anything in `type` hang on a value, or set the clock? */
static bool has_tags(const struct ctf_type *type)
{
	uint32_t i;

	if (!type)
		return false;
	if (type->kind == CTF_VARIANT || type->kind == CTF_SEQUENCE || type->clock)
		return true;
	if (type->element && has_tags(type->element))
		return true;
	for (i = 0; i < type->count; i++)
		if (has_tags(type->fields[i].type))
			return true;
	return false;
}

/* The bytes of the record of `event` by `plan`; 0: it has to be read field by field. */
static uint32_t planned_bytes(const struct ctf_stream *stream, const struct ctf_event *event,
			      const struct ctf_plan *plan)
{
	const struct ctf_type *parts[] = { stream->event_context, event->context, event->fields };
	uint64_t bytes = plan->header_bytes;
	unsigned int i;
	int64_t part;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!parts[i])
			continue;
		part = ctf_fixed_bytes(parts[i], plan->align_bytes);
		if (part < 0 || has_tags(parts[i]) || bytes * 8 % parts[i]->align)
			return 0;
		bytes += (uint64_t)part;
	}
	if (bytes % plan->align_bytes || bytes > UINT16_MAX)
		return 0;
	return (uint32_t)bytes;
}

static bool is_id(const struct ctf_field *field)
{
	return field->type->kind == CTF_INTEGER && !field->type->is_signed &&
	       !field->type->big_endian && !field->type->clock && field->role == CTF_ROLE_ID;
}

bool ctf_plan_make(const struct ctf_stream *stream, struct ctf_plan *plan)
{
	const struct ctf_type *header = stream->event_header;
	struct ctf_plan one;
	uint32_t *bytes, i;
	uint64_t id;

	*plan = (struct ctf_plan){ .header_bytes = 0 };
	if (header->count != 2 || !is_id(&header->fields[0]) || header->fields[0].type->size > 16 ||
	    header->align % 8 || header->align > 64 || !stream->event_count)
		return true;
	plan->align_bytes = header->align / 8;
	plan->id_mask = (uint32_t)bits_mask(header->fields[0].type->size);
	for (i = 0; i < stream->event_count; i++)
		if (stream->events[i]->id <= plan->id_mask)
			plan->ids = (uint32_t)stream->events[i]->id + 1;
	bytes = calloc(plan->ids + 1, sizeof(*bytes));
	plan->record_bytes = bytes;
	for (i = 0; bytes && i < stream->event_count; i++) {
		id = stream->events[i]->id;
		one = *plan;
		if (id > plan->id_mask || !short_header(header, id, &one))
			continue;
		/* The first short header says how all of them look. */
		if (!plan->header_bytes)
			*plan = one;
		if (one.header_bytes == plan->header_bytes && one.time_shift == plan->time_shift &&
		    one.time_bits == plan->time_bits)
			bytes[id] = planned_bytes(stream, stream->events[i], plan);
	}
	return bytes;
}
