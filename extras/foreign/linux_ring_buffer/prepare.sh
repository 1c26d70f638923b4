#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: prepare.sh OUT   Linux's ring buffer as Debian ships it (package linux-source-6.1 or another,
# or LINUX_SOURCE=DIR, a tree of one's own; with REPAIRED=1 as repair.sed repairs it), and headers of the kernel's that are empty: kernel.c has
# what they would declare.
set -e
out=$1
if [ -z "${LINUX_SOURCE:-}" ]; then
	archive=$(ls /usr/src/linux-source-6.1.tar.xz /usr/src/linux-source-*.tar.xz 2>/dev/null | head -1) # the shim is of 6.1
	[ -n "$archive" ] || {
		echo "stampede: no /usr/src/linux-source-*.tar.xz (package linux-source-6.1)" >&2
		exit 69
	}
	name=$(basename "$archive" .tar.xz)
	LINUX_SOURCE=$out/$name
	[ -f "$LINUX_SOURCE/kernel/trace/ring_buffer.c" ] ||
		tar -C "$out" -xJf "$archive" "$name/kernel/trace/ring_buffer.c" "$name/kernel/events" \
			"$name/include/linux/ring_buffer.h" "$name/include/linux/perf_event.h" \
			"$name/include/linux/circ_buf.h" "$name/include/uapi/linux/perf_event.h"
fi
mkdir -p "$out/kernel/linux" "$out/kernel/asm"
cp "$LINUX_SOURCE/kernel/trace/ring_buffer.c" "$LINUX_SOURCE/include/linux/ring_buffer.h" "$out/kernel"
here=$(dirname "$(readlink -f "$0")")
[ -z "${REPAIRED:-}" ] || sh "$here/../repair.sh" "$here/repair.sed" "$out/kernel/ring_buffer.c"
mv "$out/kernel/ring_buffer.h" "$out/kernel/linux"
sed -n 's/^#include <\(linux\|asm\)\(\/[^>]*\)>.*/\1\2/p' "$out/kernel/ring_buffer.c" "$out/kernel/linux/ring_buffer.h" |
	grep -v 'linux/ring_buffer.h' | while read -r header; do
	mkdir -p "$out/kernel/$(dirname "$header")"
	: >"$out/kernel/$header"
done

# What there is nothing of: no second CPU, no process that waits, no console.
is() { # VALUE NAME...: macros, whatever their arguments
	value=$1
	shift
	printf "#define %s(...) $value\n" "$@"
}
{
	printf 'struct %s { int unused; };\n' hlist_node lock_class_key mutex completion work_struct irq_work
	printf 'struct page { void *mapping; };\n'
	is '((void)0)' pr_warn pr_info printk_once lockdep_assert_held lockdep_set_class trace_seq_puts trace_seq_putc \
		trace_seq_printf raw_spin_lock_init raw_spin_lock raw_spin_unlock raw_spin_lock_irq raw_spin_unlock_irq \
		arch_spin_lock arch_spin_unlock mutex_init mutex_lock mutex_unlock __mutex_init init_completion complete \
		wait_for_completion INIT_WORK schedule_work_on init_irq_work irq_work_queue irq_work_sync \
		init_waitqueue_head wake_up_all poll_wait cpuhp_state_remove_instance udelay cpumask_set_cpu \
		cpumask_clear_cpu cpumask_copy free_cpumask_var kfree free_page __free_page free_pages
	is 'barrier()' smp_wmb smp_rmb smp_mb smp_mb__after_atomic preempt_disable_notrace preempt_enable_notrace \
		preempt_disable preempt_enable put_cpu synchronize_rcu cpus_read_lock cpus_read_unlock cond_resched \
		schedule might_sleep set_current_oom_origin clear_current_oom_origin
	is 0 raw_smp_processor_id smp_processor_id get_cpu wait_event_interruptible cpuhp_state_add_instance_nocalls \
		cpuhp_state_remove_instance_nocalls cpuhp_state_add_instance fatal_signal_pending copy_to_user \
		trace_seq_has_overflowed security_locked_down cpumask_of cpu_to_node
	is 1 raw_spin_trylock cpu_online cpumask_test_cpu zalloc_cpumask_var alloc_cpumask_var page_ref_count
} >"$out/kernel/nothing.h"
echo "-I$out/kernel -fno-strict-aliasing -USHAPE_SUBBUF_SHIFT -DSHAPE_SUBBUF_SHIFT=12 -USHAPE_BITS -DSHAPE_BITS=27"
