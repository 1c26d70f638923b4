# SPDX-License-Identifier: MIT
# What a tracer costs real programs, by row: libraries to preload, and what drives and checks them.
PRELOADS := $(BUILD)/programs
program_rows := packed_word varint_low full_tsc
program_packages := hyperfine sqlite3 redis-tools lttng-tools liblttng-ust-dev
program_recorders := none $(program_rows) \
	$(if $(wildcard /usr/include/lttng/tracepoint.h /usr/include/*/lttng/tracepoint.h),lttng)

# One after the other: take.sh writes to the same file for all.
$(PRELOADS)/taken: $(BUILD)/take-facts $(take_sources)
	@mkdir -p $(@D)
	$(Q)for row in $(program_rows); do \
		CUT="$(MAKE) --no-print-directory" sh extras/take/take.sh $(BUILD) $$row >/dev/null || exit; done
	@touch $@

# $(1): none, a row or lttng.
define preload_rule
$(PRELOADS)/preload.$(1).so: extras/programs/preload.c extras/programs/lttng_tp.h \
		$(if $(filter $(1),$(program_rows)),$(PRELOADS)/taken) $(BUILD)/flags
	$$(call say,SO,preload.$(1))
	@mkdir -p $$(@D)
	$$(Q)$$(CC) -std=gnu11 $(OPT) -g -D_GNU_SOURCE $$(WARN) -Wno-unused-function -I. -I$(BUILD) -fPIC \
		-shared -fvisibility=hidden -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc -pthread \
		$(if $(filter lttng,$(1)),-DLTTNG) $(if $(filter $(1),$(program_rows)),-DROW=$(1) -DHEADER='<take/$(1)_reader.h>') \
		$$< -o $$@ -ldl $(if $(filter lttng,$(1)),-llttng-ust)
endef
$(foreach recorder,$(program_recorders),$(eval $(call preload_rule,$(recorder))))

programs-preloads: $(program_recorders:%=$(PRELOADS)/preload.%.so)

programs: ## what a tracer costs real programs, by row (INSTALL=1: with their packages)
	@sh runner/packages.sh $(build_packages) $(if $(filter-out 0,$(INSTALL)),$(program_packages))
	@$(MAKE) --no-print-directory $(jobs) programs-preloads
	@python3 -B extras/programs/programs.py $(BUILD) $(ARGS)

.PHONY: programs programs-preloads
