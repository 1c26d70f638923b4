# SPDX-License-Identifier: MIT
# Known faults (cases.py): what was published and wrong (schemes/history), and small faults put into
# today's sources (tests/mutants).

# Rows of history are explored like all others; nothing else runs them.
-include $(BUILD)/history.mk
$(BUILD)/history.mk: schemes/history/history.def runner/explore/cases.mk
	@mkdir -p $(@D)
	@sed -n -e 's/^X(\([^,]*\), *\([^,]*\),\(.*\))$$/HISTORY_ROWS += \1\nheader_\1 := \2\n'\
	'defines_\1 := \3/p' $< > $@
$(foreach row,$(HISTORY_ROWS),$(eval $(call explored_reader_rule,$(row))))
$(foreach row,$(HISTORY_ROWS),$(foreach shape,$(SHAPES),\
	$(eval $(call explored_row_rule,$(row),$(shape)))))

cases = python3 runner/explore/cases.py --build $(BUILD) $(ARGS)

history: ## what was published wrong, rediscovered at the smallest budget that does
	@sh runner/packages.sh $(build_packages) patch
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/explore
	@$(cases) schemes/history/history.def $(wildcard schemes/history/*.patch)

mutants: ## small faults in today's schemes, each found at the smallest budget that does
	@sh runner/packages.sh $(build_packages) patch
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/explore
	@$(cases) $(wildcard tests/mutants/*.patch)

.PHONY: history mutants
