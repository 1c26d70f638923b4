# barectf, barectf.c as generated: a tracing function enters its section first, and reads the clock then. A compiler
# may move neither out of the section.
/^	\/\* Save timestamp \*\//,+1d
s/^(	*)ctx->in_tracing_section = 0;/\1__asm__ volatile("" : : : "memory");\
&/
/^void barectf_default_trace_/,$s/^	ctx->in_tracing_section = 1;/&\
	__asm__ volatile("" : : : "memory");\
	sctx->cur_last_event_ts = ctx->cbs.default_clock_get_value(ctx->data);/
