// SPDX-License-Identifier: MIT
/*
 * What Linux's ring_buffer.c needs of the rest of the kernel, for one CPU whose interrupts are
 * nested writers. Reader and writers never run side by side, so locks of readers are nothing.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/epoll.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
typedef unsigned int gfp_t, __poll_t;
typedef struct {
	long value;
} local_t;
typedef struct {
	int value;
} atomic_t;
typedef local_t local64_t;
typedef int raw_spinlock_t, arch_spinlock_t, wait_queue_head_t, cpumask_var_t;
struct list_head {
	struct list_head *next, *prev;
};
struct trace_seq;
struct file;
static struct task_struct {
	void *mm;
} current_task;
struct poll_table_struct;
typedef struct poll_table_struct poll_table;
typedef bool (*ring_buffer_cond_fn)(void *data);

#define PAGE_SHIFT 7
#define PAGE_SIZE (1UL << PAGE_SHIFT) /* small, so that few events end a page */
#define PAGE_MASK (~(PAGE_SIZE - 1))
#define BITS_PER_LONG 64
#define BIT(n) (1UL << (n))
#define L1_CACHE_BYTES 64
#define cache_line_size() 64
#define nr_cpu_ids 1

#define __init
#define __rcu
#define __user
#define __aligned(n) __attribute__((aligned(n)))
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define noinline __attribute__((__noinline__)) /* undefine it after the kernel's files */
#define ____cacheline_aligned
#define EXPORT_SYMBOL_GPL(name)
#define READ_ONCE(what) (*(volatile __typeof__(what) *)&(what))
#define WRITE_ONCE(what, value) ((void)(*(volatile __typeof__(what) *)&(what) = (value)))
#define barrier() __asm__ volatile("" ::: "memory")
#define typeof __typeof__
#define container_of(at, type, member) ((type *)((char *)(at)-offsetof(type, member)))
#define ALIGN(value, to) (((value) + (to)-1) / (to) * (to))
#define DIV_ROUND_UP(value, by) (((value) + (by)-1) / (by))
#define is_signed_type(type) ((type)-1 < (type)0)
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min(a, b) ((a) < (b) ? (a) : (b))

/* One instruction each, as on x86, where interrupts come before it or after it. */
#define local_read(at) READ_ONCE((at)->value)
#define local_set(at, new) WRITE_ONCE((at)->value, new)
#define local_add_return(by, at) __atomic_add_fetch(&(at)->value, by, __ATOMIC_RELAXED)
#define local_add(by, at) ((void)local_add_return(by, at))
#define local_sub(by, at) ((void)local_add_return(-(long)(by), at))
#define local_inc(at) ((void)local_add_return(1, at))
#define local_dec(at) ((void)local_add_return(-1, at))
#define local_inc_return(at) local_add_return(1, at)
#define local_cmpxchg(at, old, new) cmpxchg(&(at)->value, (long)(old), (long)(new))
#define local64_read local_read
#define local64_set local_set
#define local64_cmpxchg local_cmpxchg
#define cmpxchg(at, old, new) __sync_val_compare_and_swap(at, old, new)
#define try_cmpxchg(at, old, new) \
	__atomic_compare_exchange_n(at, old, new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define atomic_read(at) READ_ONCE((at)->value)
#define atomic_set(at, new) WRITE_ONCE((at)->value, new)
#define atomic_inc(at) ((void)__atomic_add_fetch(&(at)->value, 1, __ATOMIC_RELAXED))
#define atomic_dec(at) ((void)__atomic_add_fetch(&(at)->value, -1, __ATOMIC_RELAXED))
#define atomic_add(by, at) ((void)__atomic_add_fetch(&(at)->value, by, __ATOMIC_RELAXED))
#define atomic_sub(by, at) ((void)__atomic_add_fetch(&(at)->value, -(by), __ATOMIC_RELAXED))
#define atomic_or(by, at) ((void)__atomic_or_fetch(&(at)->value, by, __ATOMIC_RELAXED))
#define atomic_cmpxchg(at, old, new) cmpxchg(&(at)->value, old, new)
#define atomic_inc_return(at) __atomic_add_fetch(&(at)->value, 1, __ATOMIC_RELAXED)

/* How deep interrupts are nested: normal, soft interrupt, interrupt, NMI. */
static unsigned int interrupts;
#define interrupt_context_level() ((int)interrupts - 1)
#define in_nmi() (interrupts > 3)
#define in_interrupt() (interrupts > 1)

#define WARN_ON(what) (!!(what))
#define WARN_ON_ONCE(what) WARN_ON(what)
#define WARN_ONCE(what, ...) WARN_ON(what)
#define WARN(what, ...) WARN_ON(what)
#define BUG_ON(what) WARN_ON(what)

/* No other CPU waits, polls, resizes or reads: the rest of this is in nothing.h (prepare.sh). */
#include <nothing.h>
#define NOTHING(...) ((void)0)
#define raw_spin_lock_irqsave(lock, flags) ((void)((flags) = 0))
#define raw_spin_unlock_irqrestore(lock, flags) ((void)(flags))
#define __ARCH_SPIN_LOCK_UNLOCKED 0
#define local_irq_save(flags) ((void)((flags) = 0))
#define local_irq_restore(flags) ((void)(flags))
#define scoped_guard(...)
#define guard(...) NOTHING
#define si_mem_available() LONG_MAX
#define current (&current_task)
#define ERR_PTR(error) ((void *)(long)(error))
#define PTR_ERR(at) ((long)(at))
#define IS_ERR(at) ((unsigned long)(at) > -4096UL)

#define CONFIG_RETPOLINE 0
#define CONFIG_RING_BUFFER 1
#define CONFIG_ARCH_HAVE_NMI_SAFE_CMPXCHG 1
#define IS_ENABLED(option) (option)
#define trace_clock_local foreign_clock
#define __same_type(a, b) __builtin_types_compatible_p(__typeof__(a), __typeof__(b))

/* One CPU. */
#define for_each_cpu(cpu, mask) for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define for_each_cpu_and(cpu, mask, other) for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define for_each_online_cpu(cpu) for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define RING_BUFFER_ALL_CPUS -1

/* Memory is never given back. */
#define GFP_KERNEL 0
#define __GFP_RETRY_MAYFAIL 0
#define __GFP_NORETRY 0
#define __GFP_COMP 0
#define __GFP_ZERO 0
#define kzalloc(bytes, flags) foreign_memory(bytes)
#define kzalloc_node(bytes, flags, node) foreign_memory(bytes)
#define kmalloc(bytes, flags) foreign_memory(bytes)
#define alloc_pages_node(...) foreign_page()
#define alloc_pages(...) foreign_page()
#define page_address(page) ((void *)(page))
#define virt_to_page(at) ((struct page *)(at))

static FOREIGN_PLAIN struct page *foreign_page(void)
{
	static uint8_t *next; /* pages begin at multiples of their size */

	if (!next)
		next = (uint8_t *)ALIGN((uintptr_t)foreign_memory(8 * PAGE_SIZE), PAGE_SIZE);
	next += PAGE_SIZE;
	return (struct page *)(next - PAGE_SIZE);
}

#define INIT_LIST_HEAD(at) ((at)->next = (at)->prev = (at))
#define LIST_HEAD(name) struct list_head name = { &(name), &(name) }
#define list_entry container_of
#define list_for_each_entry(one, head, member) \
	for ((one) = container_of((head)->next, __typeof__(*(one)), member); \
	     &(one)->member != (head); \
	     (one) = container_of((one)->member.next, __typeof__(*(one)), member))
#define list_for_each_entry_safe(one, after, head, member) \
	for ((one) = container_of((head)->next, __typeof__(*(one)), member), \
	    (after) = container_of((one)->member.next, __typeof__(*(one)), member); \
	     &(one)->member != (head); (one) = (after), \
	    (after) = container_of((after)->member.next, __typeof__(*(one)), member))

static inline void list_link(struct list_head *one, struct list_head *before,
			     struct list_head *after)
{
	after->prev = before->next = one;
	one->next = after;
	one->prev = before;
}
#define list_empty(at) ((at)->next == (at))
#define list_add(one, head) list_link(one, head, (head)->next)
#define list_add_tail(one, head) list_link(one, (head)->prev, head)

static inline void list_del_init(struct list_head *one)
{
	one->next->prev = one->prev;
	one->prev->next = one->next;
	INIT_LIST_HEAD(one);
}
#define list_del list_del_init
#define list_for_each(at, head) for ((at) = (head)->next; (at) != (head); (at) = (at)->next)
