# SPDX-License-Identifier: MIT
# Stampede: which scheme stamps a tracer's events right, and at what cost. `make help` lists targets.

CC ?= gcc
CXX ?= g++
BUILD ?= build
V ?= 0
Q := $(if $(filter 0,$(V)),@,)
say = $(if $(filter 0,$(V)),@printf '  %-6s %s\n' '$(1)' '$(2)',@:)

# make's own default of CC is cc; Stampede's is gcc, and clang is the other one that is tested.
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif

WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
OPT ?= -O2
SANITIZE ?=
san := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
INCLUDES := -Ischemes -Iworkloads -Irunner -Iresults -I$(BUILD)
CFLAGS_ALL := -std=gnu11 $(OPT) -g -pthread -D_GNU_SOURCE= $(WARN) $(INCLUDES) $(san) $(CFLAGS)
CXXFLAGS_ALL := -std=c++17 $(OPT) -g -pthread -Wall -Wextra -Werror $(INCLUDES) $(san) $(CXXFLAGS)
LDFLAGS_ALL := -pthread $(san) $(LDFLAGS)
LIBS := -lhwloc -ljansson -lm

GIT_STATE := $(shell git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null || echo unknown)
GBENCH_VERSION := $(shell pkg-config --modversion benchmark 2>/dev/null || echo unknown)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

# ---- rows: derived from schemes.def, one driver per row and build ----

BUILDS := timed checked counting
-include $(BUILD)/rows.mk

$(BUILD)/rows.mk: schemes/schemes.def Makefile
	@mkdir -p $(@D)
	@sed -n 's/^X(\([^,]*\), *\([^,]*\),\(.*\))$$/ROWS += \1\nheader_\1 := \2\ndefines_\1 := \3/p' \
		$< > $@

define driver_rule
$(BUILD)/$(1)/$(2).o: runner/driver.c $(BUILD)/flags
	$$(call say,CC,$(1)/$(2))
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS_ALL) -MMD -MP -DROW=$(2) -DSCHEME_HEADER='"$$(header_$(2)).h"' \
		-DSTAMPEDE_$(3) $$(defines_$(2)) -c $$< -o $$@
endef
$(foreach row,$(ROWS),$(eval $(call driver_rule,timed,$(row),TIMED)))
$(foreach row,$(ROWS),$(eval $(call driver_rule,checked,$(row),CHECKED)))
$(foreach row,$(ROWS),$(eval $(call driver_rule,counting,$(row),COUNTING)))

drivers := $(foreach build,$(BUILDS),$(ROWS:%=$(BUILD)/$(build)/%.o))

# ---- what the programs are made of ----

core_objects := schemes/core/ring.o schemes/core/format_ctf.o runner/points.o
harness_objects := $(core_objects) runner/check.o runner/buffer.o runner/drivers.o runner/options.o \
	runner/ticks.o workloads/interrupts.o runner/place.o runner/place_plan.o
stress_objects := $(harness_objects) runner/stress.o runner/late_beat.o runner/stress_check.o runner/stress_print.o

in_build = $(addprefix $(BUILD)/,$(1))

results_objects := results/record.o results/record_read.o results/metadata.o results/machine.o \
	results/warnings.o
bench_objects := $(stress_objects) $(results_objects) runner/counters.o runner/gbench.o runner/cell.o \
	runner/rounds.o runner/counts.o runner/steps.o runner/summary.o runner/progress.o runner/bench_phases.o

extra_runner_gbench := -DGBENCH_VERSION='"$(GBENCH_VERSION)"'
extra_results_metadata := -DGIT_STATE='"$(GIT_STATE)"' -DBUILD_FLAGS='"$(OPT) $(CFLAGS)"'

programs := $(BUILD)/run-stress $(BUILD)/bench

all: $(programs) ## build everything

# A change of compiler or flags rebuilds everything.
flags_text := $(CC) $(CXX) $(CFLAGS_ALL) $(CXXFLAGS_ALL) $(LDFLAGS_ALL)
$(BUILD)/flags: force
	@mkdir -p $(@D)
	@echo '$(flags_text)' | cmp -s - $@ || echo '$(flags_text)' > $@

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(call say,CC,$*)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(extra_$(subst /,_,$*)) -MMD -MP -c $< -o $@

$(BUILD)/%.o: %.cc $(BUILD)/flags
	$(call say,CXX,$*)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CXXFLAGS_ALL) $(extra_$(subst /,_,$*)) -MMD -MP -c $< -o $@

$(BUILD)/run-stress: $(call in_build,$(stress_objects) runner/run_stress.o) $(drivers)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) $^ $(LIBS) -o $@

$(BUILD)/bench: $(call in_build,$(bench_objects) runner/bench.o) $(drivers)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) $^ -lbenchmark -lstdc++ $(LIBS) -o $@

run-stress: $(BUILD)/run-stress ## signal storms: make run-stress ARGS="--seconds 5"
	$(BUILD)/run-stress $(ARGS)

clean: ## remove what was built; results stay
	rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

.PHONY: all run-stress clean help force
