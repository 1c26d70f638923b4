/* SPDX-License-Identifier: MIT */
/*
 * EVENT(name, id, FIELDS); declares a type from its list of fields:
 *
 *	#define FIELDS(F) F(u64, number) F(text, job, 16) F(string, path) F(seq, samples, u32)
 *
 *   F(u8 .. u64, i8 .. i64, f32, f64, field)   a number
 *   F(enumeration, field, "idle = 0, busy")    an int32_t with labels
 *   F(text, field, 16)                         a string in so many bytes, its end cut off
 *   F(string, field)                           a string of any length, which ends with 0
 *   F(seq, field, u32)                         an array of integers; its count follows it
 *
 * It makes struct name, with a member for each field; name_type, for options.types; name_write(t,
 * fields...) and name_record(t, &a_struct), which return as try_write() does. Event without fields:
 * a struct event_type of yours with "" and 0 bytes.
 */
#pragma once

/* A kind of field: its class, and the type of C that numbers have. */
#define F_KIND_u8 NUMBER, uint8_t
#define F_KIND_u16 NUMBER, uint16_t
#define F_KIND_u32 NUMBER, uint32_t
#define F_KIND_u64 NUMBER, uint64_t
#define F_KIND_i8 NUMBER, int8_t
#define F_KIND_i16 NUMBER, int16_t
#define F_KIND_i32 NUMBER, int32_t
#define F_KIND_i64 NUMBER, int64_t
#define F_KIND_f32 NUMBER, float
#define F_KIND_f64 NUMBER, double
#define F_KIND_enumeration ENUM, int32_t
#define F_KIND_text TEXT, const char *
#define F_KIND_string STRING, const char *
#define F_KIND_seq SEQ, const void *

/* F_DO(WHAT, kind, field, more) is F_WHAT_CLASS(type, field, more, kind). */
#define F_DO(what, kind, field, more, ...) F_CALL(what, F_KIND_##kind, field, more, kind)
#define F_CALL(what, class_and_type, ...) F_NAMED(what, class_and_type, __VA_ARGS__)
#define F_NAMED(what, class, ...) what##_##class(__VA_ARGS__)
/* The type of an array's elements. */
#define F_ELEMENT(kind) F_SECOND(F_KIND_##kind)
#define F_SECOND(...) F_TYPE_OF(__VA_ARGS__)
#define F_TYPE_OF(class, type) F_OF_##class(type)
#define F_OF_NUMBER(type) type

#define F_MEMBERS(...) F_DO(F_MEMBER, __VA_ARGS__, , )
#define F_MEMBER_NUMBER(type, field, more, kind) type field;
#define F_MEMBER_ENUM(type, field, more, kind) \
	_Static_assert(sizeof("" more) > 1, "enumeration " #field " has no labels"); \
	type field;
#define F_MEMBER_TEXT(type, field, more, kind) \
	_Static_assert((more) > 0, "text " #field " has no byte"); \
	type field;
#define F_MEMBER_STRING F_MEMBER_NUMBER
#define F_MEMBER_SEQ(type, field, more, kind) \
	const F_ELEMENT(more) * field; \
	uint32_t field##_count;

#define F_PARAMS(...) F_DO(F_PARAM, __VA_ARGS__, , )
#define F_PARAM_NUMBER(type, field, more, kind) , type field
#define F_PARAM_ENUM F_PARAM_NUMBER
#define F_PARAM_TEXT F_PARAM_NUMBER
#define F_PARAM_STRING F_PARAM_NUMBER
#define F_PARAM_SEQ(type, field, more, kind) , const F_ELEMENT(more) * field, uint32_t field##_count

#define F_VALUES(...) F_DO(F_VALUE, __VA_ARGS__, , )
#define F_VALUE_NUMBER(type, field, more, kind) field,
#define F_VALUE_ENUM F_VALUE_NUMBER
#define F_VALUE_TEXT F_VALUE_NUMBER
#define F_VALUE_STRING F_VALUE_NUMBER
#define F_VALUE_SEQ(type, field, more, kind) field, field##_count,

/* Bytes as far as the compiler knows them, and whether there are more. */
#define F_FIXEDS(...) F_DO(F_FIXED, __VA_ARGS__, , )
#define F_FIXED_NUMBER(type, field, more, kind) +(uint32_t)sizeof(type)
#define F_FIXED_ENUM F_FIXED_NUMBER
#define F_FIXED_TEXT(type, field, more, kind) +(more)
#define F_FIXED_STRING(type, field, more, kind)
#define F_FIXED_SEQ(type, field, more, kind) +4u
#define F_VARIES(...) F_DO(F_VARY, __VA_ARGS__, , )
#define F_VARY_NUMBER(type, field, more, kind)
#define F_VARY_ENUM F_VARY_NUMBER
#define F_VARY_TEXT F_VARY_NUMBER
#define F_VARY_STRING(type, field, more, kind) || true
#define F_VARY_SEQ F_VARY_STRING

/* Measured once: a string that another thread changes meanwhile overruns nothing. */
#define F_LENGTHS(...) F_DO(F_LENGTH, __VA_ARGS__, , )
#define F_LENGTH_NUMBER(type, field, more, kind)
#define F_LENGTH_ENUM F_LENGTH_NUMBER
#define F_LENGTH_TEXT(type, field, more, kind) \
	const uint64_t field##_bytes_ = field_length(of_->field, (more)-1u);
#define F_LENGTH_STRING(type, field, more, kind) \
	const uint64_t field##_bytes_ = field_length(of_->field, UINT32_MAX);
#define F_LENGTH_SEQ(type, field, more, kind) \
	const uint64_t field##_bytes_ = \
		array_length(of_->field, of_->field##_count, sizeof(F_ELEMENT(more)));
#define F_SIZES(...) F_DO(F_SIZE, __VA_ARGS__, , )
#define F_SIZE_NUMBER F_LENGTH_NUMBER
#define F_SIZE_ENUM F_LENGTH_NUMBER
#define F_SIZE_TEXT(type, field, more, kind) +(field##_bytes_ & FIELD_NULL)
#define F_SIZE_STRING(type, field, more, kind) +field##_bytes_ + 1u
#define F_SIZE_SEQ(type, field, more, kind) +field##_bytes_

#define F_PUTS(...) F_DO(F_PUT, __VA_ARGS__, , )
#define F_PUT_NUMBER(type, field, more, kind) at_ = field_put(at_, &of_->field, sizeof(of_->field));
#define F_PUT_ENUM F_PUT_NUMBER
#define F_PUT_TEXT(type, field, more, kind) \
	memset(at_ + field##_bytes_, 0, (more)-field##_bytes_); \
	field_put(at_, of_->field, field##_bytes_); \
	at_ += (more);
#define F_PUT_STRING(type, field, more, kind) \
	at_ = field_put(at_, of_->field, field##_bytes_); \
	*at_++ = 0;
#define F_PUT_SEQ(type, field, more, kind) \
	at_ = field_put(at_, &of_->field##_count, 4); \
	at_ = field_put(at_, of_->field, field##_bytes_);
#define F_TEXTS(...) F_DO(F_TEXT, __VA_ARGS__, , ) /* the metadata's, below */

#ifdef SCHEME_RESTARTS
/* The section copies them from there, again where it starts over. */
#define F_PLACE(bytes, varies) \
	(rsv_.payload = (uint8_t *)__builtin_alloca((varies) ? (size_t)rsv_.size : (bytes) + 1))
#define F_END(number, varies) end_fields(t_, number, varies, &rsv_)
#else
#define F_PLACE(bytes, varies) rsv_.payload
#define F_END(number, varies) end(t_, &rsv_)
#endif

#define FIELD_NULL (UINT64_C(1) << 60) /* in place of a length: there is no such string */

/* Of a text of a fixed size no more is read; the compiler knows how long a literal is. */
static inline uint64_t field_length(const char *text, uint64_t most)
{
	const void *end;

	if (!text || most == UINT32_MAX || __builtin_constant_p(strlen(text)))
		return !text ? FIELD_NULL : strlen(text) > most ? most : strlen(text);
	__asm__("" : "+r"(most)); /* or gcc warns of arrays that are smaller */
	end = memchr(text, 0, (size_t)most);
	return end ? (uint64_t)((const char *)end - text) : most;
}

static inline uint64_t array_length(const void *array, uint32_t count, uint64_t element_bytes)
{
	return array || !count ? count * element_bytes : FIELD_NULL;
}

static inline uint8_t *field_put(uint8_t *at, const void *from, uint64_t bytes)
{
	if (bytes)
		memcpy(at, from, (size_t)bytes);
	return at + bytes;
}

#define EVENT(name, number, FIELDS) \
	_Static_assert((uint64_t)(number) < EVENT_SIZED, "event " #name ": its id is 0 to 599"); \
	_Static_assert((0 FIELDS(F_FIXEDS)) <= PAYLOAD_MOST, \
		       "event " #name " never fits a sub-buffer"); \
	struct name { \
		FIELDS(F_MEMBERS) \
	}; \
	static const struct event_type name##_type __attribute__(( \
		unused)) = { #name, "" FIELDS(F_TEXTS), number, \
			     (false FIELDS(F_VARIES)) ? VARIABLE : (0 FIELDS(F_FIXEDS)) }; \
	static inline __attribute__((unused)) int name##_record(struct tracer *t_, \
								const struct name *of_) \
	{ \
		struct reservation rsv_; \
		uint8_t *at_; \
		int error_; \
		if (!of_) \
			return refuse(t_, NO_POINTER); \
		FIELDS(F_LENGTHS) \
		error_ = begin_fields(t_, number, (0 FIELDS(F_FIXEDS))FIELDS(F_SIZES), \
				      (false FIELDS(F_VARIES)), &rsv_); \
		if (error_) \
			return error_; \
		at_ = F_PLACE((0 FIELDS(F_FIXEDS)), (false FIELDS(F_VARIES))); \
		FIELDS(F_PUTS) \
		(void)at_; \
		return F_END(number, (false FIELDS(F_VARIES))); \
	} \
	static inline __attribute__((unused)) int name##_write(struct tracer *t_ FIELDS(F_PARAMS)) \
	{ \
		const struct name of_ = { FIELDS(F_VALUES) }; \
		return name##_record(t_, &of_); \
	} \
	struct name
