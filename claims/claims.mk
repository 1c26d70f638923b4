# SPDX-License-Identifier: MIT
# What the claims need of the known faults: which cases there are, with the budgets that they are
# pinned to, and the explored form of what was printed. Of what a patch is for, `make history` leaves
# it in $(BUILD)/cases.

history_heads := schemes/history/history.def $(wildcard schemes/history/*.patch)
$(BUILD)/history_cases.inc: $(history_heads) claims/history_cases.awk
	@mkdir -p $(@D)
	@awk -f claims/history_cases.awk $(history_heads) > $@
$(O)/claims/explored.o: $(BUILD)/history_cases.inc

# Stops are put into x86-64 assembly; elsewhere these claims say that nothing was explored.
ifneq ($(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),)
claims_objects := $(addprefix $(BUILD)/explored/,seed_001.page.so seed_001_flag.wrap4.so \
	seed_004.page.so nested_stamps.page.so nested_retry.page.so \
	extended_header_locked.page.so)
endif
claims-explored: $(BUILD)/explore $(claims_objects)
$(BUILD)/tests/claims/test_claims: | claims-explored

.PHONY: claims-explored
