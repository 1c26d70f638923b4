# SPDX-License-Identifier: MIT
# What a tracer costs real programs, by row: libraries to preload, and what drives and judges them.
PRELOADS := $(BUILD)/programs
program_rows := packed_word varint_low full_tsc
program_sets := malloc calls functions
program_packages := sqlite3 xz-utils redis-tools libstb-dev lttng-tools liblttng-ust-dev babeltrace2
program_recorders := none $(program_rows) \
	$(if $(wildcard /usr/include/lttng/tracepoint.h /usr/include/*/lttng/tracepoint.h),lttng)
program_preloads := $(foreach set,$(program_sets),$(program_recorders:%=$(PRELOADS)/$(set).%.so) \
	$(program_rows:%=$(PRELOADS)/$(set).%.judged.so))

# One after the other: take.sh writes to the same file for all.
$(PRELOADS)/taken: $(BUILD)/take-facts $(take_sources)
	@mkdir -p $(@D)
	$(Q)for row in $(program_rows); do \
		CUT="$(MAKE) --no-print-directory" sh extras/take/take.sh $(BUILD) $$row >/dev/null || exit; done
	@touch $@

# $(1) a set, $(2) none, a row or lttng, $(3) .judged, or nothing. PRELOAD_HEADER: of another ring.
define preload_rule
$(PRELOADS)/$(1).$(2)$(3).so: extras/programs/$(1).c $(wildcard extras/programs/*.h) \
		$(if $(filter $(2),$(program_rows)),$(PRELOADS)/taken) $(BUILD)/flags
	$$(call say,SO,$(1).$(2)$(3))
	@mkdir -p $$(@D)
	$$(Q)$$(CC) -std=gnu11 $(OPT) -g -D_GNU_SOURCE $$(WARN) -Wno-unused-function -I. -I$(BUILD) -fPIC \
		-shared -fvisibility=hidden -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc -pthread $(if $(3),-DJUDGED) $(if $(filter lttng,$(2)),-DLTTNG) \
		$(if $(filter $(2),$(program_rows)),-DROW=$(2) -DHEADER='<take/$(2)_reader.h>') \
		$$< -o $$@ -ldl $(if $(filter lttng,$(2)),-llttng-ust)
endef
$(foreach set,$(program_sets),$(foreach recorder,$(program_recorders), \
	$(eval $(call preload_rule,$(set),$(recorder),))))
$(foreach set,$(program_sets),$(foreach row,$(program_rows), \
	$(eval $(call preload_rule,$(set),$(row),.judged))))

programs-preloads: $(program_preloads)

programs: ## what a tracer costs real programs, by row (INSTALL=1: with their packages)
	@sh runner/packages.sh $(build_packages) $(if $(filter-out 0,$(INSTALL)),$(program_packages))
	@$(MAKE) --no-print-directory $(jobs) programs-preloads
	@python3 -B extras/programs/programs.py $(BUILD) $(ARGS)

.PHONY: programs programs-preloads
