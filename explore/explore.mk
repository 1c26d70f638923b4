# SPDX-License-Identifier: MIT
# The explorer: one shared object for each row and shape, its writers with stops in their assembly.
# EXPLORE_CC, EXPLORE_OPT and EXPLORED build others beside the usual ones; TREE is where schemes,
# runner and workloads are read from (a patched copy for tests/mutants).

EXPLORE_CC ?= $(CC)
EXPLORE_CXX ?= g++
EXPLORE_OPT ?= -O2
EXPLORED ?= $(BUILD)/explored
TREE ?= .
STOPS_PY ?= explore/stops/stops.py

# shape_S := the numbers of explore/shapes.def
comma := ,
shapes_def := $(shell sed -n 's/^X(\(.*\))$$/\1/p' explore/shapes.def | tr -d ' ')
SHAPES := $(foreach line,$(shapes_def),$(firstword $(subst $(comma), ,$(line))))
$(foreach line,$(shapes_def),$(eval shape_$(firstword $(subst $(comma), ,$(line))) := \
	$(wordlist 2,4,$(subst $(comma), ,$(line)))))
timed_shapes := timed

# A fault that is put in may leave a variable unused: cases.py asks for no warnings.
EXPLORE_WARN ?= -Wall -Wextra -Wundef $(werror) -Wno-unused-function
# arm64's atomics are inline: the library that chooses them by CPU keeps what it found in a variable.
explore_arm64 := $(filter aarch64-%,$(shell $(EXPLORE_CC) -dumpmachine 2>/dev/null))
explored_flags = -std=gnu11 -D_GNU_SOURCE= $(EXPLORE_WARN) \
	-I$(TREE) -I$(BUILD) -I$(O) -fPIC -fvisibility=hidden $(if $(explore_arm64),-mno-outline-atomics)
# A stop saves the general registers and no others; at a labelled point, which is a call, only arm64
# could have something in those.
points_flags := -g1 $(if $(explore_arm64),-mgeneral-regs-only)
# No red zone: a stop is a call. No jump tables: their entries are outside of the code. Frame
# pointers are left to the compiler's level.
stops_flags := -g1 -mno-red-zone -mgeneral-regs-only -fcf-protection=none -fno-jump-tables \
	-fno-asynchronous-unwind-tables -fno-stack-protector

main_rows := $(foreach row,$(ROWS),$(if $(findstring -DVARIANT,$(defines_$(row))),,$(row)))

# The reader and the rest of the driver, the same for all shapes but the timed ones,
# whose reader knows from the log what their payload does not say.
define explored_reader_rule
$(EXPLORED)/$(1).driver.o: $(TREE)/judge/driver.c $(BUILD)/flags $(BUILD)/rows/$(1)
$(EXPLORED)/$(1).reader.o $(EXPLORED)/$(1).timed.reader.o: $(TREE)/judge/reader.c $(BUILD)/flags $(BUILD)/rows/$(1)
$(EXPLORED)/$(1).driver.o $(EXPLORED)/$(1).reader.o $(EXPLORED)/$(1).timed.reader.o:
	@mkdir -p $$(@D)
	$$(Q)$$(EXPLORE_CC) -O2 $$(explored_flags) -MMD -MP -DSTAMPEDE_COUNTING -DROW=$(1) \
		$$(if $$(findstring .timed.,$$@),-DEXPLORE_IDENTIFIES) \
		-DSCHEME_HEADER='"schemes/$$(header_$(1)).h"' $$(defines_$(1)) -c $$< -o $$@
endef

explored_flags_of = $(explored_flags) $(EXPLORE_DEFS) -MMD -MP -MT $$@ -MF $$(@:.so=.d) \
	-DROW=$(1) -DSCHEME_HEADER='"schemes/$$(header_$(1)).h"' $$(defines_$(1)) \
	-DSTAMPEDE_EXPLORED -DSHAPE=$(2) -DSHAPE_SUBBUF_SHIFT=$(word 1,$(shape_$(2))) \
	-DSHAPE_COUNT_SHIFT=$(word 2,$(shape_$(2))) -DSHAPE_BITS=$(word 3,$(shape_$(2))) \
	$(if $(filter $(timed_shapes),$(2)),-DSTAMPEDE_TIMED) -DDRIVER_NAME=driver_counting_$(1)
explored_rest = $(EXPLORED)/$(1)$(if $(filter $(timed_shapes),$(2)),.timed).reader.o $(EXPLORED)/$(1).driver.o \
	$(EXPLORED)/handover.o $(EXPLORED)/ring.o $(EXPLORED)/format_ctf.o $(BUILD)/flags

# Two makes may build the same object at once (cases.py runs one): each in files of its own.
define explored_row_rule
$(EXPLORED)/$(1).$(2).so: $(TREE)/explore/stops/row.c $(STOPS_PY) $(dir $(STOPS_PY))own.py $(explored_rest)
	$$(if $$(STOPS),,$$(call say,STOPS,$(1).$(2)))
	$$(Q)own=$$(@:.so=).$$$$$$$$; trap 'rm -f '$$$$own.s' '$$$$own.in.s' '$$$$own.new EXIT; \
		$$(EXPLORE_CC) $$(EXPLORE_OPT) $$(stops_flags) $(explored_flags_of) -S $$< -o $$$$own.in.s && \
		$$(python) -S -B $$(STOPS_PY) $$$$own.in.s $$$$own.s && \
		$$(EXPLORE_CC) -shared -Wl,-z,now -o $$$$own.new $$$$own.s $$(filter %.o,$$^) && mv $$$$own.new $$@
$(EXPLORED)/$(1).$(2).points.so: $(TREE)/explore/stops/row.c $(explored_rest)
	$$(call say,POINTS,$(1).$(2))
	$$(Q)$$(EXPLORE_CC) $$(EXPLORE_OPT) $$(points_flags) $(explored_flags_of) -DEXPLORE_POINTS \
		-shared -Wl,-z,now -o $$@ $$< $$(filter %.o,$$^)
endef
$(foreach row,$(ROWS),$(eval $(call explored_reader_rule,$(row))))
$(foreach row,$(ROWS),$(foreach shape,$(SHAPES),$(eval $(call explored_row_rule,$(row),$(shape)))))

# With C11's atomics, each access told to explore/order/hooks.c.
order_flags = $(EXPLORE_OPT) $(filter-out -fvisibility%,$(explored_flags)) -fsanitize=thread -DPOINT_C11 \
	$(if $(findstring clang,$(EXPLORE_CC)),,-Wno-tsan) -DSTAMPEDE_COUNTING -Dmemcpy=order_memcpy
order_parts := judge/driver judge/reader judge/live schemes/core/ring schemes/format/format_ctf explore/order/row
define order_rule
$(EXPLORED)/$(1).order.so: $(order_parts:%=$(TREE)/%.c) $(BUILD)/flags $(BUILD)/rows/$(1)
	@mkdir -p $$(@D)/$(1).order
	$$(Q)for part in $(order_parts); do $$(EXPLORE_CC) $$(order_flags) -DROW=$(1) \
		-DORDER_DRIVER=driver_counting_$(1) -DSCHEME_HEADER='"schemes/$$(header_$(1)).h"' \
		$$(defines_$(1)) -MMD -MP -MT $$@ -c $(TREE)/$$$$part.c \
		-o $$(@D)/$(1).order/$$$${part##*/}.o || exit; done
	$$(Q)$$(EXPLORE_CC) -shared -Wl,-z,now,-Bsymbolic -o $$@ \
		$(foreach part,$(order_parts),$$(@D)/$(1).order/$(notdir $(part)).o)
-include $(wildcard $(EXPLORED)/$(1).order/*.d)
endef
$(foreach row,$(ROWS),$(eval $(call order_rule,$(row))))

explored_support = @mkdir -p $(@D); \
	$(EXPLORE_CC) -O2 $(explored_flags) -MMD -MP -DSTAMPEDE_COUNTING -c $< -o $@
$(EXPLORED)/%.o: $(TREE)/schemes/core/%.c $(BUILD)/flags
	$(explored_support)
$(EXPLORED)/%.o: $(TREE)/schemes/format/%.c $(BUILD)/flags
	$(explored_support)
$(EXPLORED)/handover.o: $(TREE)/explore/stops/handover.c $(BUILD)/flags
	$(explored_support)

# SCHEMES names rows as the explorer takes them: "=row" that one, "row" its variants too, or "all".
named_row = $(if $(filter =%,$(1)),$(patsubst =%,%,$(1)),$(filter $(1) $(1)_%,$(ROWS)))
chosen_names := $(subst $(comma), ,$(SCHEMES))
chosen_rows := $(if $(filter all,$(chosen_names)),$(ROWS),$(if $(chosen_names),\
	$(filter $(foreach name,$(chosen_names),$(call named_row,$(name))),$(ROWS)),$(main_rows)))
explored := $(foreach row,$(chosen_rows),$(SHAPES:%=$(EXPLORED)/$(row).%.so))
# What the quick tier comes to, and make test: the other shape is of longer ones.
explored_quick := $(foreach row,$(main_rows),$(filter-out %.wrapends.so,\
	$(SHAPES:%=$(EXPLORED)/$(row).%.so)))
explored_all := $(foreach row,$(ROWS),$(SHAPES:%=$(EXPLORED)/$(row).%.so))

# The engine is in the library; the rows call back into the program.
$(BUILD)/explore: $(O)/explore/explore.o $(O)/explore/order/hooks.o $(filter-out $(BUILD)/libtraces_read.a,$(library))
$(BUILD)/explore: LDFLAGS_ALL += -rdynamic

# Rows of SCHEMES whose source nobody has searched are searched before a program calls them kept.
ifneq ($(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null)),)
define explore_unknown
@MAKE="$(MAKE)" sh explore/unknown.sh $(BUILD) "$(EXPLORE_CC) $$($(EXPLORE_CC) -dumpfullversion -dumpversion)" \
	$(chosen_rows)
endef
endif

explore-record: ##- write judge/explored.def: the quick tier of all rows, some 20 minutes (SCHEMES="=a =b": of these)
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/explore $(if $(SCHEMES),explored,explored-all)
	@$(BUILD)/explore --tier quick --schemes "$(or $(SCHEMES),all)" --json $(BUILD)/explored/all.json
	@$(python) -B explore/known.py record $(BUILD) \
		"$(EXPLORE_CC) $$($(EXPLORE_CC) -dumpfullversion -dumpversion)" $(BUILD)/explored/all.json \
		>$(BUILD)/explored.def && mv $(BUILD)/explored.def judge/explored.def

explored: $(explored)
explored-quick: $(explored_quick)
explored-all: $(explored_all)
# A restartable section is one asm statement, in which there is no place for a label.
points_rows := $(filter-out restartable% rewind%,$(main_rows))
explored-points: $(foreach row,$(points_rows),$(EXPLORED)/$(row).page.points.so)

explored-order: $(patsubst %,$(EXPLORED)/%.order.so,$(points_rows) $(filter %_locked %_locked_fenced,$(ROWS)))

# Of each row its hard case: what the texts argue about. seed_004 is the code of 2020 as printed.
drawn_heartbeat := --shape wrap4 --nested 0 --jumps 1 --beats 1 --before 1 --replay j1:20.b1
drawn_zero_delta := --nested 1 --before 1
drawn_delta_sync_soft := --events 2 --nested 1 --before 1 --replay n5
drawn_three_read := --shape wrap4 --nested 0 --jumps 1 --before 1 --replay j3:20
drawn_extended_header := --shape wrap4 --nested 1 --jumps 1 --before 1
drawn_nested_stamps := --nested 1 --before 1
drawn_packed_word := --nested 1 --before 1
drawn_seed_004 := --events 2 --nested 1
drawn := $(patsubst drawn_%,%,$(filter drawn_%,$(.VARIABLES)))
drawn_object = $(EXPLORED)/$(1).$(if $(findstring wrap4,$(drawn_$(1))),wrap4,page).so

pictures: $(BUILD)/explore $(BUILD)/plots $(foreach row,$(drawn),$(call drawn_object,$(row))) ##- draw the schemes, plots/schemes
	@$(foreach row,$(drawn),$(BUILD)/explore $(if $(filter $(row),$(ROWS)),--schemes =$(row),--object \
		$(call drawn_object,$(row))) $(drawn_$(row)) --draw plots/schemes/$(row).svg >/dev/null; [ $$? -le 2 ] &&) :

.PHONY: pictures explore-record explored-order explored explored-quick explored-all explored-points
