# SPDX-License-Identifier: MIT
# A scheme in one header, for a program of one's own: make take ROW=packed_word.

TAKEN := $(O)/take
take_sources := $(wildcard extras/take/*.h extras/take/*.py schemes/*.h schemes/*.def schemes/core/* \
	schemes/parts/*.h schemes/format/*)

# A file that is cut again as it was keeps its time: what includes it is not built again.
cut = python3 -B extras/take/take.py scheme $* $(@D)
$(TAKEN)/%.scheme.h $(TAKEN)/%.row.h $(TAKEN)/%.api.h $(TAKEN)/%.read_api.h \
		$(TAKEN)/%.consumer.h $(TAKEN)/%.rest.h: $(TAKEN)/%.cut
	@[ -e $@ ] || $(cut)
$(TAKEN)/%.cut: $(take_sources)
	$(call say,TAKE,$*)
	@mkdir -p $(@D)
	$(Q)$(cut) && touch $@

# What comes back as a row: its line in schemes.def includes what is cut.
taken_rows := $(foreach row,$(ROWS),$(if $(findstring -include,$(defines_$(row))),$(row)))
define taken_rule
$(O)/reader/$(1).o $(BUILDS:%=$(O)/%/$(1).o) $(SHAPES:%=$(EXPLORED)/$(1).%.so) $(SHAPES:%=$(EXPLORED)/$(1).%.points.so) \
	$(EXPLORED)/$(1).driver.o $(EXPLORED)/$(1).reader.o $(EXPLORED)/$(1).timed.reader.o: $(TAKEN)/$(1:taken_%=%).row.h
endef
$(foreach row,$(taken_rows),$(eval $(call taken_rule,$(row))))

# For `make take`: what the row is, without the others. Its driver stands for those of all builds.
facts_judge := $(addprefix $(O)/judge/,check.o judge.o products.o loss.o buffer.o)
$(TAKEN)/%/take-facts: judge/drivers.c $(O)/extras/take/facts.o $(O)/runner/describe.o $(O)/counting/%.o $(O)/reader/%.o \
		$(facts_judge) $(foreach module,traces schemes base,$(call archive_of,$(module)))
	$(call say,LD,$@)
	@mkdir -p $(@D)/schemes && grep '^X($*,' schemes/schemes.def >$(@D)/schemes/schemes.def
	$(Q)$(CC) -I$(@D) $(CFLAGS_ALL) $(foreach one,timed cheap injected checked,-Ddriver_$(one)_$*=driver_counting_$*) \
		$(LDFLAGS_ALL) $(filter %.c %.o %.a,$^) $(LIBS) -o $@
.PRECIOUS: $(TAKEN)/%/take-facts $(TAKEN)/%.cut

all: $(BUILD)/take-facts
$(BUILD)/take-facts: $(O)/extras/take/facts.o $(library)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) $(filter %.o %.a,$^) $(LIBS) -o $@

# The shapes of them that tests/take looks at.
explored-taken: $(foreach row,$(taken_rows),$(filter-out %.wrapends.so,\
	$(SHAPES:%=$(EXPLORED)/$(row).%.so)))
.PHONY: explored-taken
