# SPDX-License-Identifier: MIT
# Cache lines and pages that an event touches, counted by valgrind's lackey.
$(BUILD)/touch: $(O)/extras/lines/touch.o $(library)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) $(filter %.o %.a,$^) $(LIBS) -o $@

lines: ##- lines and pages that an event of each row touches, beside results/latest (SCHEMES="A B")
	@sh runner/packages.sh $(build_packages) valgrind
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/touch
	@python3 extras/lines/lines.py $(BUILD)/touch results/latest/bench.json $(SCHEMES)

.PHONY: lines
