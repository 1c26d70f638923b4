#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: prepare.sh OUT   LTTng's ring buffer and its client for kernels, as Debian's package
# lttng-modules-dkms has them (downloaded, not installed; or LTTNG_SOURCE=DIR, a tree of one's own), and
# headers of the kernel's that are empty: shim.c and linux_ring_buffer/kernel.c have what they would declare.
set -e
out=$1/lttng
[ -n "${LTTNG_SOURCE:-}" ] || for try in 1 2; do
	LTTNG_SOURCE=$(ls -d /usr/src/lttng-modules-2* "$1"/package/usr/src/lttng-modules-2* 2>/dev/null | tail -1)
	[ -z "$LTTNG_SOURCE" ] && [ $try = 1 ] && mkdir -p "$1/package" || break
	(cd "$1/package" && apt-get download -qq lttng-modules-dkms && dpkg -x lttng-modules-dkms_*.deb .) >/dev/null 2>&1 || :
done
[ -n "$LTTNG_SOURCE" ] || {
	echo "stampede: no /usr/src/lttng-modules-2*, and no download of it (package lttng-modules-dkms)" >&2
	exit 69
}
rm -rf "$out" && mkdir -p "$out/lttng" "$out/wrapper"
cp -r "$LTTNG_SOURCE/include/ringbuffer" "$LTTNG_SOURCE"/src/lib/ringbuffer/ring_buffer_[bf]*end.c \
	"$LTTNG_SOURCE"/src/lttng-ring-buffer-client* "$out"
for header in align bitfield bug cpuhotplug kernel-version prio_heap tracer tracer-core; do
	cp "$LTTNG_SOURCE/include/lttng/$header.h" "$out/lttng"
done
cp "$LTTNG_SOURCE"/include/wrapper/compiler.h "$LTTNG_SOURCE"/include/wrapper/inline_memcpy.h "$out/wrapper"
: >"$out/ringbuffer/iterator.h" # another reader than ours
# Of what the client is called through, and registers.
sed -n '/^struct lttng_kernel_channel_buffer_ops\(_private\)\? {/,/^};/p; /^struct lttng_transport {/,/^};/p' \
	"$LTTNG_SOURCE/include/lttng/events.h" "$LTTNG_SOURCE/include/lttng/events-internal.h" >"$out/operations.h"
find "$out" -name '*.[ch]' -exec sed -n 's/^#[ \t]*include <\([a-z]*\/[^>]*\)>.*/\1/p' {} + | sort -u | while read -r header; do
	[ "$header" = linux/errno.h ] || [ -f "$out/$header" ] || { mkdir -p "$out/$(dirname "$header")" && : >"$out/$header"; }
done

is() { # VALUE NAME...: macros, whatever their arguments
	value=$1
	shift
	printf "#define %s(...) $value\n" "$@"
}
{
	is '((void)0)' printk raw_spin_lock_init init_waitqueue_head init_irq_work irq_work_sync irq_work_queue \
		wake_up_interruptible init_timer init_timer_pinned add_timer add_timer_on mod_timer del_timer_sync spin_lock \
		spin_lock_init spin_unlock kref_init kref_put __free_page vfree lttng_kvfree kfree free_percpu free_cpumask_var \
		module_put cpumask_set_cpu prefetch strlcpy \
		unregister_hotcpu_notifier wrapper_vmalloc_sync_mappings wrapper_set_current_oom_origin wrapper_clear_current_oom_origin \
		pagefault_disable pagefault_enable lttng_cpus_read_lock lttng_cpus_read_unlock channel_iterator_reset \
		channel_iterator_free channel_iterator_unregister_notifiers lib_ring_buffer_iterator_reset
	is '' module_init module_exit MODULE_LICENSE MODULE_AUTHOR MODULE_DESCRIPTION MODULE_VERSION
	is 'barrier()' smp_wmb smp_rmb smp_mb smp_read_barrier_depends lttng_smp_mb__after_atomic \
		lttng_smp_mb__before_atomic rcu_read_lock_sched_notrace rcu_read_unlock_sched_notrace
	is 0 smp_processor_id raw_smp_processor_id cpumask_test_cpu cpu_to_node raw_spin_is_locked page_to_pfn \
		usecs_to_jiffies channel_iterator_init smp_call_function_single smp_call_function __copy_from_user_inatomic
	is 1 strcmp lttng_access_ok try_module_get zalloc_cpumask_var wrapper_check_enough_free_pages lttng_kref_get
	is NULL pfn_to_page
} >"$out/nothing.h"
echo "-I$out -fno-tree-loop-distribute-patterns -USHAPE_SUBBUF_SHIFT -DSHAPE_SUBBUF_SHIFT=12 -USHAPE_BITS -DSHAPE_BITS=27"
