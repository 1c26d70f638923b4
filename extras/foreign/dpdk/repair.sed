# DPDK, rte_trace_point.h: a signal handler may record. The time is read before the place is claimed, and both anew if
# an event came in between.
s/^	uint32_t offset = RTE_ALIGN_CEIL\(trace->offset, (\w+)\);/	uint32_t before, offset;\
	uint64_t tsc;\
\
again:\
	before = __atomic_load_n(\&trace->offset, __ATOMIC_RELAXED);\
	__atomic_signal_fence(__ATOMIC_SEQ_CST);\
	tsc = rte_get_tsc_cycles();\
	offset = RTE_ALIGN_CEIL(before, \1);/
s/^	trace->offset = offset;/	if (unlikely(!__atomic_compare_exchange_n(\&trace->offset, \&before, offset, 0,\
			__ATOMIC_RELAXED, __ATOMIC_RELAXED)))\
		goto again;\
	*(uint64_t *)mem = tsc;/
s/val = rte_get_tsc_cycles\(\) &/val = *(uint64_t *)mem \&/
