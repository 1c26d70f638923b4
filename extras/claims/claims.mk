# SPDX-License-Identifier: MIT
# What the claims need of the known faults: which cases there are, with the budgets that they are
# pinned to, and the explored form of what was printed: of each row that is explored by a budget of
# the claim's own. Of what a patch is for, `make history` leaves it in $(BUILD)/cases.

history_heads := schemes/history/history.def $(wildcard schemes/history/*.patch)
$(BUILD)/history_cases.inc: $(history_heads) extras/claims/history_cases.awk
	@mkdir -p $(@D)
	@awk -f extras/claims/history_cases.awk $(history_heads) > $@
$(O)/extras/claims/explored.o: $(BUILD)/history_cases.inc

# Stops are put into x86-64 assembly; elsewhere these claims say that nothing was explored.
ifneq ($(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),)
claims_explored := seed_001_flag.wrap4.so $(sort $(shell sed -n \
	's/.*EXPLORED."\([a-z0-9_]*\)", "--shape \([a-z0-9]*\) .*/\1.\2.so/p' extras/claims/claims.def))
claims_objects := $(addprefix $(BUILD)/explored/,$(filter $(addsuffix .%,$(ROWS) $(HISTORY_ROWS)),\
	$(claims_explored)))
endif
claims-explored: $(BUILD)/explore $(claims_objects)
$(BUILD)/tests/claims/test_claims: | claims-explored

.PHONY: claims-explored
