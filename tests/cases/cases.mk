# SPDX-License-Identifier: MIT
# Known faults (cases.py): what was published and wrong (schemes/history), and small faults put into
# today's sources (tests/mutants).

# Rows of history are explored like all others; nothing else runs them.
-include $(BUILD)/history.mk
$(BUILD)/history.mk: schemes/history/history.def tests/cases/cases.mk
	@mkdir -p $(@D)
	@sed -n -e 's/^X(\([^,]*\), *\([^,]*\),\(.*\))$$/HISTORY_ROWS += \1\nheader_\1 := \2\n'\
	'defines_\1 := \3/p' $< > $@
	$(row_lines)
$(foreach row,$(HISTORY_ROWS),$(eval $(call explored_reader_rule,$(row))))
$(foreach row,$(HISTORY_ROWS),$(foreach shape,$(SHAPES),\
	$(eval $(call explored_row_rule,$(row),$(shape)))))

storm_support := $(addprefix $(EXPLORED)/storm_,interrupts.o ring.o)
# A row of TREE in a storm of signals: its objects come before the library, which has the others.
storm_flags = -I$(TREE) $(CFLAGS_ALL) $(EXPLORE_WARN) \
	-MMD -MP
define storm_rule
$(EXPLORED)/$(1).checked.o $(EXPLORED)/$(1).timed.o: $(TREE)/judge/driver.c $(BUILD)/flags
$(EXPLORED)/$(1).storm_reader.o: $(TREE)/judge/reader.c $(BUILD)/flags
$(EXPLORED)/$(1).checked.o $(EXPLORED)/$(1).timed.o $(EXPLORED)/$(1).storm_reader.o:
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(storm_flags) -DROW=$(1) \
		$$(if $$(findstring .timed.,$$@),-DSTAMPEDE_TIMED,-DSTAMPEDE_CHECKED) \
		-DSCHEME_HEADER='"schemes/$$(header_$(1)).h"' $$(defines_$(1)) -c $$< -o $$@
$(EXPLORED)/$(1).storm: $(O)/runner/run_stress.o $(EXPLORED)/$(1).checked.o \
		$(EXPLORED)/$(1).timed.o $(EXPLORED)/$(1).storm_reader.o $(storm_support) $(library)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(LDFLAGS_ALL) $$(filter %.o %.a,$$^) $$(LIBS) -o $$@
endef
$(foreach row,$(ROWS),$(eval $(call storm_rule,$(row))))
$(storm_support): $(EXPLORED)/storm_%.o: $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(storm_flags) -c $(firstword $(filter %/$*.c,$^)) -o $@
$(EXPLORED)/storm_interrupts.o: $(TREE)/workloads/engine/interrupts.c
$(EXPLORED)/storm_ring.o: $(TREE)/schemes/core/ring.c

cases = python3 tests/cases/cases.py --build $(BUILD) $(ARGS)

# A file *.patches has many patches, each after a line "### name": build/mutants/name.patch.
$(BUILD)/mutants/.split: $(wildcard tests/mutants/*.patches)
$(BUILD)/history/.split: schemes/history/history.patches
$(BUILD)/refused/.split: tests/explore/refused.patches
splits := $(foreach folder,mutants history refused,$(BUILD)/$(folder)/.split)
$(splits):
	@rm -rf $(@D) && mkdir -p $(@D)
	@awk '/^### / { close(to); to = "$(@D)/" $$2 ".patch"; next } { print > to }' $^ && touch $@
explored-cases explored-quick history mutants tests verdicts: $(splits)

published = schemes/history/history.def $(BUILD)/history/*.patch

# What make test explores of these, built beforehand and in parallel.
explored-cases: $(or $(filter explored,$(MAKECMDGOALS)),explored-quick)
	$(call say,CASES,$@)
	@$(cases) --objects $(published) \
		$$(grep -o 'mutants/[a-z0-9_]*[a-z0-9*]' tests/explore/test_mutants.sh | sort -u | \
			sed 's,.*,$(BUILD)/&.patch,')
test_packages += patch

history: ##- find each published fault again, at its smallest budget
	@sh runner/packages.sh $(build_packages) patch
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/explore
	@$(cases) $(published)

mutants: ##- find each small fault planted in today's schemes, at its smallest budget
	@sh runner/packages.sh $(build_packages) patch
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/explore $(BUILD)/run-stress
	@$(cases) $(BUILD)/mutants/*.patch

TIER ?= quick
verdicts: ##- record rows' verdicts and limits for the page (TIER=long SCHEMES=all)
	@sh runner/packages.sh $(build_packages) patch
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/explore $(if $(SCHEMES),explored-all,explored)
	@python3 tests/cases/explored.py --build $(BUILD) --tier $(TIER) \
		$(if $(SCHEMES),--schemes "$(SCHEMES)") $(ARGS)

.PHONY: verdicts explored-cases history mutants
