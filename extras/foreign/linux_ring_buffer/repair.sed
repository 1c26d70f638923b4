# Linux, kernel/trace/ring_buffer.c, __rb_reserve_next(), condition F of the slow path: the difference to the event
# before is used only if no event crossed to another page and took its claim back, and only if it fits.
/^ \/\*F\*\/	/,/\{$/ s/info->after < ts\) \{$/info->after < ts \&\&\
		    tail_page == READ_ONCE(cpu_buffer->tail_page) \&\&\
		    ((info->add_timestamp \& RB_ADD_STAMP_EXTEND) ||\
		     !test_time_stamp(ts - info->after))) {/
