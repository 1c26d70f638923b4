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

/* ---- what a header is made of, for one value of its id ---- */

#define TAGS_MOST 4

/* Where a field lies, in bits of the header. */
struct bit_place {
	uint32_t at, size;
};

struct shape {
	uint64_t value; /* of the id */
	uint32_t align; /* of the header */
	uint32_t at; /* bits so far */
	bool has_id, has_time, has_guard;
	bool varlen; /* the time is, and nothing may be behind it */
	uint32_t id_slot;
	struct bit_place id, time, guard;
	uint64_t guard_low, guard_high;
	struct {
		uint32_t slot;
		struct bit_place place;
	} tags[TAGS_MOST]; /* that a variant may hang on */
	uint32_t tag_count;
};

/* Has it no bits, wherever it lies? */
static bool is_nothing(const struct ctf_type *type)
{
	return type->kind == CTF_STRUCT && !type->count && type->align == 1;
}

static bool add_integer(struct shape *shape, const struct ctf_field *field)
{
	const struct ctf_type *type = field->type;
	const struct bit_place place = { shape->at, type->size };

	if (type->big_endian || type->is_signed || shape->varlen)
		return false;
	shape->at += type->size;
	if (field->role == CTF_ROLE_ID) {
		if (shape->has_id || type->clock || type->size > 16)
			return false;
		shape->has_id = true;
		shape->id = place;
		shape->id_slot = field->slot;
	} else if (type->clock) {
		if (shape->has_time || field->slot != CTF_NO_SLOT)
			return false;
		shape->has_time = true;
		shape->time = place;
	} else if (field->slot != CTF_NO_SLOT) {
		if (shape->tag_count == TAGS_MOST)
			return false;
		shape->tags[shape->tag_count].slot = field->slot;
		shape->tags[shape->tag_count++].place = place;
	}
	return true;
}

/* Whole bytes, behind an id of whole bytes. */
static bool add_varlen(struct shape *shape, const struct ctf_field *field)
{
	if (!field->type->clock || field->slot != CTF_NO_SLOT || shape->has_time ||
	    !shape->has_id || shape->id.at || shape->at != shape->id.size || shape->at % 8 ||
	    shape->align != 8)
		return false;
	shape->has_time = shape->varlen = true;
	shape->time = (struct bit_place){ shape->at, 0 };
	return true;
}

/* The first values of another tag than the id that make the variant nothing are its guard. */
static bool add_guard(struct shape *shape, const struct ctf_type *variant)
{
	bool all = variant->optional;
	uint32_t i;

	for (i = 0; i < variant->count; i++)
		all = all && is_nothing(variant->fields[i].type);
	if (all)
		return true;
	for (i = 0; i < shape->tag_count && shape->tags[i].slot != variant->slot; i++)
		;
	if (i == shape->tag_count || shape->has_guard || variant->tag_is_signed ||
	    !variant->choice_count || !is_nothing(variant->fields[variant->choices[0].option].type))
		return false;
	shape->has_guard = true;
	shape->guard = shape->tags[i].place;
	shape->guard_low = variant->choices[0].low;
	shape->guard_high = variant->choices[0].high;
	return true;
}

/* False: it is not short, or is not known to be. */
static bool add_field(struct shape *shape, const struct ctf_field *field)
{
	const struct ctf_type *type = field->type;
	const struct ctf_field *option;
	uint32_t i;

	if (type->align > shape->align || shape->at > 8 * 16)
		return false;
	shape->at = (uint32_t)bits_align(shape->at, type->align);
	if (type->kind == CTF_INTEGER)
		return add_integer(shape, field);
	if (type->kind == CTF_VARLEN)
		return add_varlen(shape, field);
	if (type->kind == CTF_VARIANT && (!shape->has_id || type->slot != shape->id_slot))
		return add_guard(shape, type);
	if (type->kind == CTF_VARIANT) {
		option = tsdl_option(type, shape->value);
		return option ? add_field(shape, option) : type->optional;
	}
	for (i = 0; type->kind == CTF_STRUCT && i < type->count; i++)
		if (!add_field(shape, &type->fields[i]))
			return false;
	return type->kind == CTF_STRUCT;
}

/* Where a word of 8 bytes has to begin for both; false: nowhere. */
static bool one_word(struct bit_place one, struct bit_place two, uint32_t *byte)
{
	uint32_t begin = one.at < two.at ? one.at : two.at;

	*byte = begin / 8;
	return one.at + one.size <= 8 * *byte + 64 && two.at + two.size <= 8 * *byte + 64;
}

/* The header's shape for `value` of its id; false: not short. */
static bool short_header(const struct ctf_type *header, uint64_t value, struct ctf_plan *plan)
{
	const struct ctf_field root = { .type = (struct ctf_type *)(uintptr_t)header };
	struct shape shape = { .value = value, .align = header->align, .id_slot = CTF_NO_SLOT };

	if (!add_field(&shape, &root) || !shape.has_id || !shape.has_time || shape.at % 8)
		return false;
	if (!shape.has_guard)
		shape.guard = shape.id;
	if (!one_word(shape.id, shape.guard, &plan->id_byte) ||
	    !one_word(shape.time, shape.time, &plan->time_byte))
		return false;
	plan->id_shift = shape.id.at - 8 * plan->id_byte;
	plan->id_mask = (uint32_t)bits_mask(shape.id.size);
	if (shape.has_guard) {
		plan->guard_shift = shape.guard.at - 8 * plan->id_byte;
		plan->guard_mask = bits_mask(shape.guard.size);
		plan->guard_low = shape.guard_low;
		plan->guard_span = shape.guard_high - shape.guard_low;
	}
	plan->varlen = shape.varlen;
	plan->one_word = !shape.varlen && !shape.has_guard && !shape.id.at &&
			 shape.time.at + shape.time.size <= 64;
	if (plan->one_word)
		plan->time_byte = 0;
	plan->time_shift = shape.time.at - 8 * plan->time_byte;
	/* What one byte more holds is no other form: the whole clock is. */
	plan->time_bits = shape.varlen ? 63 : shape.time.size;
	plan->header_bytes = shape.at / 8;
	return true;
}

/* Are the headers of two ids of one shape? */
static bool same_shape(const struct ctf_plan *one, const struct ctf_plan *two)
{
	return one->id_byte == two->id_byte && one->id_shift == two->id_shift &&
	       one->id_mask == two->id_mask && one->guard_shift == two->guard_shift &&
	       one->guard_mask == two->guard_mask && one->guard_low == two->guard_low &&
	       one->guard_span == two->guard_span && one->time_byte == two->time_byte &&
	       one->time_shift == two->time_shift && one->time_bits == two->time_bits &&
	       one->header_bytes == two->header_bytes && one->varlen == two->varlen;
}

/* ---- what is behind it ---- */

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

bool ctf_plan_make(const struct ctf_stream *stream, struct ctf_plan *plan)
{
	const struct ctf_type *header = stream->event_header;
	struct ctf_plan one;
	uint32_t *bytes, i;
	uint64_t id;

	*plan = (struct ctf_plan){ .header_bytes = 0 };
	if (header->align % 8 || header->align > 64 || !stream->event_count)
		return true;
	plan->align_bytes = header->align / 8;
	for (i = 0; i < stream->event_count; i++)
		if (stream->events[i]->id <= UINT16_MAX)
			plan->ids = (uint32_t)stream->events[i]->id + 1;
	bytes = calloc(plan->ids + 1, sizeof(*bytes));
	plan->record_bytes = bytes;
	for (i = 0; bytes && i < stream->event_count; i++) {
		id = stream->events[i]->id;
		one = *plan;
		if (id > UINT16_MAX || !short_header(header, id, &one) || id > one.id_mask)
			continue;
		/* The first short header says how all of them look. */
		if (!plan->header_bytes)
			*plan = one;
		if (same_shape(&one, plan))
			bytes[id] = planned_bytes(stream, stream->events[i], plan);
	}
	return bytes;
}
