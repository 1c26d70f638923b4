/* SPDX-License-Identifier: MIT */
/* What api.h declares. */
#pragma once

struct tracer {
	struct scheme_ring scheme __attribute__((aligned(64)));
	/* With copies of some sub-buffers, where the oldest gives way. */
	struct scheme_ring spare __attribute__((aligned(64)));
	const struct tracer *self; /* while it is open: a copy says otherwise */
	void *memory; /* that close() gives back */
	/*
	 * By id: one more than the bytes of its payload, and behind these one more than the most
	 * that it may have. 0: no such type, and in a tracer that is not open none at all.
	 */
	uint32_t sizes[2 * EVENT_SIZED];
	uint64_t refused;
	uint64_t held; /* what was read and not released: its number, and one more */
	struct handover reader;
};

#define RING_MEMORY ((UINT64_C(1) << (SUBBUF_SHIFT + COUNT_SHIFT)))
#define BOOKS_MEMORY (sizeof(struct subbuf) << COUNT_SHIFT)

/* Counts what is refused, in any thread. Returns why. */
static __attribute__((noinline, cold, unused)) int refuse(struct tracer *t, int why)
{
	if (t)
		__atomic_fetch_add(&t->refused, 1, __ATOMIC_RELAXED);
	return why;
}

static inline int check_open(const struct tracer *t)
{
	return !t ? NO_POINTER : t->self != t ? NOT_OPEN : OK;
}

static inline int close(struct tracer *t)
{
	if (!t)
		return NO_POINTER;
	if (t->self == t && t->memory == t)
		return refuse(t, BUSY); /* here() and the consumer have it */
	if (t->self == t)
		free(t->memory);
	t->self = NULL;
	t->memory = NULL;
	memset(t->sizes, 0, sizeof(t->sizes));
	return OK;
}

static inline bool is_name(const char *name)
{
	const char *known = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return !name[strspn(name, known)] && (*name < '0' || *name > '9');
}

static inline int check_type(const struct event_type *type, uint32_t *sizes)
{
	bool varies = type->bytes == VARIABLE;

	if (!type->name || !type->fields)
		return NO_POINTER;
	if (!*type->name || !is_name(type->name))
		return BAD_NAME;
	if (type->id >= EVENT_SIZED)
		return BAD_ID;
	if (!varies && type->bytes > PAYLOAD_MOST)
		return TOO_LARGE;
	if (sizes[type->id] || sizes[EVENT_SIZED + type->id])
		return TWICE;
#ifdef CTF_STAMP_EVENT
	if (type->id == CTF_ID_STAMP)
		return TWICE; /* the scheme's own event of a whole stamp */
#endif
	sizes[type->id + (varies ? EVENT_SIZED : 0)] = (varies ? VARIABLE_MOST : type->bytes) + 1;
	return OK;
}

/* The payloads' sizes into `sizes`, which are 0. */
static inline int check_types(const struct options *options, uint32_t *sizes)
{
	int error = OK;
	uint32_t i;

	if (!options || (!options->types && options->type_count))
		return NO_POINTER;
	for (i = 0; i < options->type_count && !error; i++)
		error = check_type(&options->types[i], sizes);
	return error;
}

static inline size_t open_bytes(const struct options *options)
{
	return (size_t)(RING_MEMORY + BOOKS_MEMORY) * (options && options->overwrite ? 2 : 1);
}

/* Memory of the program: books lie at multiples of a cache line, and are 0. */
static inline int check_memory(const uint8_t *memory)
{
	size_t i;

	if ((uintptr_t)memory % 64)
		return MISALIGNED;
	for (i = 0; i < BOOKS_MEMORY; i++)
		if (memory[i])
			return NOT_ZERO;
	return OK;
}

static inline int open(struct tracer *t, const struct options *options)
{
	struct ring_config config;
	uint8_t *at;
	int error;

	if (!t || !options)
		return NO_POINTER;
	if (t->self == t)
		return refuse(t, TWICE);
	memset(t, 0, sizeof(*t));
	memset(&config, 0, sizeof(config));
	error = check_types(options, t->sizes);
#ifdef SCHEME_RESTARTS
	if (!error && restart_cpu() < 0)
		error = NO_RSEQ;
#endif
	at = (uint8_t *)options->memory;
	if (!error && at)
		error = check_memory(at);
	if (!error && !at) {
		t->memory = aligned_alloc(64, open_bytes(options));
		at = (uint8_t *)t->memory;
		if (at)
			memset(at, 0, open_bytes(options));
		else
			error = NO_MEMORY;
	}
	if (error) {
		memset(t->sizes, 0, sizeof(t->sizes));
		return error;
	}
	config.mode = options->overwrite ? RING_OVERWRITE : RING_DISCARD;
	config.subbuf_shift = SUBBUF_SHIFT;
	config.count_shift = COUNT_SHIFT;
	config.stamp_bits = STAMP_BITS;
	config.counter_bits = COUNTER_BITS;
	config.cpu = options->number;
	scheme_init(&t->scheme, &config, at + BOOKS_MEMORY, (struct subbuf *)(void *)at);
	at += RING_MEMORY + BOOKS_MEMORY;
	if (options->overwrite)
		scheme_init(&t->spare, &config, at + BOOKS_MEMORY, (struct subbuf *)(void *)at);
	t->self = t;
	return OK;
}

/* Why an event of this id and size is not one of a type. */
static inline int check_event(const struct tracer *t, uint32_t id, uint32_t bytes)
{
	uint32_t fixed, varies;

	if (!t)
		return NO_POINTER;
	if (t->self != t)
		return NOT_OPEN;
	if (id >= EVENT_SIZED)
		return BAD_ID;
	fixed = size_load(t->sizes, id);
	varies = size_load(t->sizes, EVENT_SIZED + id);
	if (!fixed && !varies)
		return UNDECLARED;
	if ((fixed | varies) & SIZE_OFF)
		return OFF;
	if (fixed)
		return fixed - 1 == bytes ? OK : BAD_SIZE;
	return bytes < varies ? OK : TOO_LARGE;
}

/* Is it an event of fixed size, and all in order? */
static inline bool is_fixed(const struct tracer *t, uint32_t id, uint32_t bytes)
{
	return likely(t && id < EVENT_SIZED && size_load(t->sizes, id) == (uint64_t)bytes + 1);
}

#ifdef SCHEME_RESTARTS
/* Types that vary, whose size stands before them; events without a payload, and mistakes. */
static __attribute__((noinline, unused)) int write_other(struct tracer *t, uint32_t id,
							 const void *payload, uint32_t bytes)
{
	int error = payload || !bytes ? check_event(t, id, bytes) : NO_POINTER;
	uint32_t prefix;
	struct source src;
	uint8_t *whole;

	if (error)
		return error == OFF ? OFF : refuse(t, error);
	prefix = size_load(t->sizes, id) ? 0 : VARIABLE_PREFIX;
	whole = (uint8_t *)__builtin_alloca(VARIABLE_PREFIX + bytes);
	put_u16(whole, bytes);
	if (bytes)
		memcpy(whole + prefix, payload, bytes);
	src.payload = whole;
	return record(&t->scheme, id, prefix + bytes, &src) ? OK : FULL;
}

/* For EVENT(), which then puts the fields where the section copies them from. */
RECORD int begin_fields(struct tracer *t, uint32_t id, uint64_t bytes, bool varies,
			struct reservation *rsv)
{
	int error = OK;

	rsv->size = bytes;
	if (unlikely(bytes > UINT32_MAX))
		error = bytes >= FIELD_NULL ? NO_POINTER : TOO_LARGE;
	else if (varies || !is_fixed(t, id, (uint32_t)bytes))
		error = check_event(t, id, (uint32_t)bytes);
	return unlikely(error) && error != OFF ? refuse(t, error) : error;
}

RECORD int end_fields(struct tracer *t, uint32_t id, bool varies, struct reservation *rsv)
{
	struct source src;

	src.payload = rsv->payload;
	if (varies)
		return write_other(t, id, rsv->payload, (uint32_t)rsv->size);
	return record(&t->scheme, id, (uint32_t)rsv->size, &src) ? OK : FULL;
}
#else
/*
 * Events of types that vary, those without a payload, and mistakes: then `size` is the error. By
 * value: a pointer that leaves the caller would cost the plain path stores to the stack.
 */
static __attribute__((noinline, unused)) struct reservation
reserve_other(struct tracer *t, uint32_t id, uint32_t bytes)
{
	int error = check_event(t, id, bytes);
	struct reservation rsv;
	uint32_t prefix;

	memset(&rsv, 0, sizeof(rsv));
	rsv.size = (uint64_t)error;
	if (error) {
		if (error != OFF)
			refuse(t, error);
		return rsv;
	}
	prefix = size_load(t->sizes, id) ? 0 : VARIABLE_PREFIX;
	rsv = reserve(&t->scheme, id, prefix + bytes);
	if (rsv.payload && prefix)
		put_u16(rsv.payload, bytes);
	if (rsv.payload)
		rsv.payload += prefix;
	return rsv;
}

RECORD int try_begin(struct tracer *t, uint32_t id, uint32_t bytes, struct reservation *rsv)
{
	if (unlikely(!rsv))
		return refuse(t, NO_POINTER);
	if (!is_fixed(t, id, bytes)) {
		*rsv = reserve_other(t, id, bytes);
		return rsv->payload ? OK : rsv->size ? (int)rsv->size : FULL;
	}
	*rsv = reserve(&t->scheme, id, bytes);
	return rsv->payload ? OK : FULL;
}

RECORD bool begin(struct tracer *t, uint32_t id, uint32_t bytes, struct reservation *rsv)
{
	return !try_begin(t, id, bytes, rsv);
}

/* For EVENT(): `bytes` are of a sum that NULL makes too large. */
RECORD int begin_fields(struct tracer *t, uint32_t id, uint64_t bytes, bool varies,
			struct reservation *rsv)
{
	if (unlikely(bytes > UINT32_MAX))
		return refuse(t, bytes >= FIELD_NULL ? NO_POINTER : TOO_LARGE);
	if (!varies)
		return try_begin(t, id, (uint32_t)bytes, rsv);
	*rsv = reserve_other(t, id, (uint32_t)bytes);
	return rsv->payload ? OK : rsv->size ? (int)rsv->size : FULL;
}

RECORD int end(struct tracer *t, struct reservation *rsv)
{
	if (unlikely(!t || !rsv))
		return refuse(t, NO_POINTER);
	if (unlikely(!rsv->payload ||
		     (uintptr_t)rsv->subbuf - (uintptr_t)t->scheme.ring.subbufs >= BOOKS_MEMORY))
		return refuse(t, NOT_HELD);
	commit(&t->scheme, rsv);
	rsv->payload = NULL; /* once */
	return OK;
}

static __attribute__((noinline, unused)) int write_other(struct tracer *t, uint32_t id,
							 const void *payload, uint32_t bytes)
{
	struct reservation rsv;

	if (!payload && bytes)
		return refuse(t, NO_POINTER);
	rsv = reserve_other(t, id, bytes);
	if (!rsv.payload)
		return rsv.size ? (int)rsv.size : FULL;
	if (bytes)
		memcpy(rsv.payload, payload, bytes);
	return end(t, &rsv);
}
#endif

RECORD int try_write(struct tracer *t, uint32_t id, const void *payload, uint32_t bytes)
{
	struct source src;

	src.payload = payload;
	if (!is_fixed(t, id, bytes) || unlikely(!payload))
		return write_other(t, id, payload, bytes);
	return record(&t->scheme, id, bytes, &src) ? OK : FULL;
}

RECORD bool write(struct tracer *t, uint32_t id, const void *payload, uint32_t bytes)
{
	return !try_write(t, id, payload, bytes);
}

static inline int flush_open(struct tracer *t)
{
	int error = check_open(t);

	if (error)
		return refuse(t, error);
	flush(&t->scheme);
	return OK;
}

static inline int enable(struct tracer *t, uint32_t id, bool on)
{
	int error = check_open(t);
	uint32_t *size;

	if (error || id >= EVENT_SIZED)
		return refuse(t, error ? error : BAD_ID);
	size = &t->sizes[size_load(t->sizes, id) ? id : EVENT_SIZED + id];
	if (!size_load(size, 0))
		return refuse(t, UNDECLARED);
	if (on)
		__atomic_fetch_and(size, ~SIZE_OFF, __ATOMIC_RELAXED);
	else
		__atomic_fetch_or(size, SIZE_OFF, __ATOMIC_RELAXED);
	return OK;
}

static inline uint64_t lost(const struct tracer *t)
{
	return t ? once_load(&t->scheme.ring.lost) + once_load(&t->scheme.ring.refused) : 0;
}

static inline uint64_t refused(const struct tracer *t)
{
	return t ? __atomic_load_n(&t->refused, __ATOMIC_RELAXED) : 0;
}
