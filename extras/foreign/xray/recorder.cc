// SPDX-License-Identifier: MIT
/*
 * XRay's controller, writer and queue of buffers as they are, called as its handlers call them. One
 * event: a function that ends in a call of another one, and a custom event that carries the value.
 */
#include <sanitizer_common/sanitizer_libc.h>

inline void *__sanitizer::internal_memcpy(void *to, const void *from, uptr bytes)
{
	return __builtin_memcpy(to, from, bytes);
}

#include <xray_buffer_queue.cpp>
#include <xray_fdr_controller.h>
#include <xray_recursion_guard.h>

#include "explore/stops/foreign.h"

/* ---- in place of the rest of the runtime ---- */

#define STAND_IN(type, name, arguments, result) \
	FOREIGN_PLAIN type name arguments \
	{ \
		return result; \
	}

FOREIGN_SCOPE FOREIGN_PLAIN void *memset(void *to, int byte, size_t bytes)
{
	void *at = to;

	__asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(byte) : "memory");
	return to;
}

static STAND_IN(int, wall_clock, (clockid_t, struct timespec *), 0);
namespace __sanitizer
{
uptr PageSizeCached = 64;
atomic_uint32_t current_verbosity;
STAND_IN(uptr, GetPageSize, (), PageSizeCached);
STAND_IN(uptr, internal_mmap, (void *, uptr bytes, int, int, int, u64),
	 reinterpret_cast<uptr>(foreign_memory(bytes)));
STAND_IN(uptr, internal_munmap, (void *, uptr), 0);
STAND_IN(bool, internal_iserror, (uptr, int *), false);
STAND_IN(tid_t, GetTid, (), 1);
STAND_IN(uptr, internal_getpid, (), 1);
STAND_IN(void, RawWrite, (const char *), void());
STAND_IN(void, Report, (const char *, ...), void());
/* The explorer finds a writer that crashes: it waits for whom it interrupts, or dies. */
STAND_IN(void, StaticSpinMutex::LockSlow, (), __builtin_trap());
STAND_IN(void, Die, (), __builtin_trap());
} // namespace __sanitizer

/* ---- what a thread has ---- */

using namespace __xray;

#define THRESHOLD 5 /* ticks: what took less is rewound */
#define UP 1 /* ticks since boot: the controller takes a time of 0 for none */

static atomic_uint8_t running;
static uint64_t turned_away;
static BufferQueue::Buffer buffer;
alignas(64) static char queue_at[sizeof(BufferQueue)];
alignas(64) static char writer_at[sizeof(FDRLogWriter)], controller_at[sizeof(FDRController<>)];
#define QUEUE reinterpret_cast<BufferQueue &>(queue_at)
#define WRITER reinterpret_cast<FDRLogWriter &>(writer_at)
#define CONTROLLER reinterpret_cast<FDRController<> &>(controller_at)

FOREIGN_PLAIN void foreign_begin(void)
{
	bool good = false;

	new (queue_at) BufferQueue(256, 8, good);
	if (!good || QUEUE.getBuffer(buffer) != BufferQueue::ErrorCode::Ok)
		__builtin_trap();
	new (writer_at) FDRLogWriter(buffer);
	new (controller_at) FDRController<>(&QUEUE, buffer, WRITER, wall_clock, THRESHOLD);
}

/* What handlers do: the clock, then the guard, then the controller. */
#define HANDLE(good, method, ...) \
	do { \
		uint64_t now = foreign_clock() + UP; \
		RecursionGuard guard(running); \
\
		good = guard && CONTROLLER.method(__VA_ARGS__); \
	} while (0)

bool foreign_record(uint64_t value, uint32_t)
{
	bool good;

	HANDLE(good, functionEnter, 1, now, foreign_cpu());
	HANDLE(good, functionTailExit, 1, now, foreign_cpu());
	HANDLE(good, functionEnter, 2, now, foreign_cpu());
	HANDLE(good, functionExit, 2, now, foreign_cpu());
	HANDLE(good, customEvent, now, foreign_cpu(), &value, sizeof(value));
	turned_away += !good; /* XRay does not count these */
	return good;
}

/* ---- a reader, by the page in shim.c ---- */

template <class T> struct __attribute__((packed)) word {
	T value;
};
#define WORD(type, at) (reinterpret_cast<const word<type> *>(at)->value)

/* Custom events, until a record that no reader knows. */
static void read_buffer(const BufferQueue::Buffer &from)
{
	auto at = static_cast<const uint8_t *>(from.Data);
	auto end = at + atomic_load(from.Extents, memory_order_acquire);
	uint64_t time = 0;

	while (end - at >= 8) {
		const uint8_t *record = at;
		unsigned int kind = *at >> 1;

		at += *at & 1 ? 16 : 8;
		if (!(*record & 1)) { /* a function's */
			time += WORD(uint32_t, record + 4);
		} else if (kind == 2 || kind == 3) { /* a CPU and the time, or the time */
			time = WORD(uint64_t, record + (kind == 2 ? 3 : 1));
		} else if (kind == 5 && WORD(int32_t, record + 1) == 8 && end - at >= 8) {
			time += WORD(int32_t, record + 5);
			foreign_event(WORD(uint64_t, at), time - UP, false);
			at += 8;
		} else if (kind != 0 && kind != 4 && kind != 9) {
			return;
		}
	}
}

FOREIGN_PLAIN void foreign_read(void)
{
	CONTROLLER.flush();
	QUEUE.apply(read_buffer);
	foreign_lost(turned_away);
}
