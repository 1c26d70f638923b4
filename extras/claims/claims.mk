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

# For who judges this as an artifact: all of it with the table of what is published, and that table tried.
artifact: ##- a tarball with what README and docs claim: build/stampede-VERSION.tar.gz
	@mkdir -p $(BUILD)
	@python3 -B extras/claims/reproduce.py --list >$(BUILD)/CLAIMS.txt
	@git archive --prefix=stampede-$(VERSION)/ --add-file=$(BUILD)/CLAIMS.txt \
		-o $(BUILD)/stampede-$(VERSION).tar.gz HEAD
	@echo $(BUILD)/stampede-$(VERSION).tar.gz

reproduce: ##- try what README and docs claim, in an hour (ARGS="--only WORDS", ARGS=--list)
	@sh runner/packages.sh $(build_packages) $(plot_packages)
	@$(MAKE) --no-print-directory $(jobs) all claims-explored
	@$(MAKE) --no-print-directory $(jobs) explored SCHEMES="=packed_word =extended_header =three_read"
	@python3 -B extras/claims/reproduce.py $(ARGS)

.PHONY: claims-explored artifact reproduce
