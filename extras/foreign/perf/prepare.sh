#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: prepare.sh OUT   perf's ring buffer, of the kernel that linux_ring_buffer/prepare.sh finds, and what takes
# a sample's time and calls the ring buffer in that kernel's core.c.
set -e
sh "$(dirname "$0")/../linux_ring_buffer/prepare.sh" "$1"
tree=${LINUX_SOURCE:-$(ls -d "$1"/linux-source-* | head -1)} # 6.1 before 6.12
out=$1/kernel
mkdir -p "$out/events"
cp "$tree/kernel/events/ring_buffer.c" "$tree/kernel/events/internal.h" "$out/events"
cp "$tree/include/linux/circ_buf.h" "$out/linux"
for header in hardirq nospec poll refcount slab uaccess vmalloc; do
	: >"$out/linux/$header.h"
done
{
	printf '#pragma once\nstruct perf_event;\nstruct perf_sample_data;\n'
	cat "$tree/include/uapi/linux/perf_event.h"
	sed -n '/^typedef.*perf_copy_f/,/;/p; /^struct perf_output_handle {/,/^};/p; /define perf_output_put/p
		/^perf_event_header__init_id/i extern void
		/^perf_event_header__init_id/,/^$/p; /^extern void perf_output_sample/,/regs);/p
		/^extern int perf_output_begin(/,/int len);/p' \
		"$tree/include/linux/perf_event.h"
} >"$out/linux/perf_event.h"
{
	sed -n '/^static void __perf_event_header__init_id/,/^static void perf_output_read_one/{ /read_one/!p }' \
		"$tree/kernel/events/core.c"
	echo 'static __always_inline int'
	sed -n '/^__perf_event_output(/,/^int$/{ /^int$/!p }' "$tree/kernel/events/core.c"
} >"$out/events/output.c"

# What has no second CPU, and what only the AUX area needs, in which no event is.
is() { # VALUE NAME...: macros, whatever their arguments
	value=$1
	shift
	printf "#define %s(...) $value\n" "$@"
}
{
	is '((void)0)' ClearPagePrivate SetPagePrivate set_page_private split_page mutex_init spin_lock_init refcount_set \
		pagefault_disable pagefault_enable
	is 'barrier()' rcu_read_lock rcu_read_unlock
	is 0 get_order ilog2 order_base_2 min_t rounddown offset_in_page array_index_nospec page_private kcalloc_node \
		in_atomic has_aux refcount_dec_and_test refcount_inc_not_zero __copy_from_user_inatomic \
		perf_event_pid perf_event_tid
} >>"$out/nothing.h"
echo "-fno-tree-loop-distribute-patterns -DBACKWARD=${PERF_BACKWARD:-0}"
