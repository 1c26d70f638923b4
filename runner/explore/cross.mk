# SPDX-License-Identifier: MIT
# The explorer for another machine, with labelled points only:
#   make EXPLORE_CC="gcc -m32" EXPLORED=build/explored-i386 build/explored-i386/explore

engine_sources := $(filter-out runner/explore/row.c,$(wildcard runner/explore/*.c)) \
	$(addprefix runner/,check.c options.c drivers.c points.c progress.c ticks.c export.c) \
	traces/ctf_metadata.c traces/ftrace_trace.c \
	schemes/core/mask.c $(wildcard schemes/core/restart*.c)
engine_objects := $(engine_sources:%.c=$(EXPLORED)/engine/%.o)

$(EXPLORED)/engine/%.o: %.c $(BUILD)/flags
	$(call say,CC,$(EXPLORED)/$*)
	@mkdir -p $(@D)
	$(Q)$(EXPLORE_CC) -std=gnu11 -O2 -fno-pie -D_GNU_SOURCE= -DEXPLORE_WITHOUT_JSON $(WARN) \
		$(INCLUDES) \
		-ffunction-sections -fdata-sections -MMD -MP -c $< -o $@

# The rows' names are in their readers. drivers.c knows other builds too, and they go: hence no
# -rdynamic, which would keep everything, but a list of what the rows call.
$(EXPLORED)/explore: $(engine_objects) $(ROWS:%=$(EXPLORED)/%.reader.o) $(EXPLORED)/ring.o \
		$(EXPLORED)/format_ctf.o
	$(call say,LD,$@)
	$(Q)$(EXPLORE_CC) -no-pie -Wl,--gc-sections -Wl,--export-dynamic-symbol='explore_*' \
		-Wl,--export-dynamic-symbol='check_*' \
		-Wl,--export-dynamic-symbol=mask_signals \
		-o $@ $(filter %.o,$^) -lm
