# SPDX-License-Identifier: MIT
# Stampede: which scheme stamps a tracer's events right, and at what cost. `make help` helps.

CC ?= gcc
BUILD ?= build
O := $(BUILD)/obj
V ?= 0
Q := $(if $(filter 0,$(V)),@,)
say = $(if $(filter 0,$(V)),@printf '  %-6s %s\n' '$(1)' '$(2)',@:)

# make's own default of CC is cc; Stampede's is gcc, and clang is the other one that is tested.
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := $(if $(findstring clang,$(CC)),$(subst clang,clang++,$(CC)),g++)
endif

# A compiler of tomorrow warns of something new: that ends a build only where it is asked for.
WERROR ?=
werror := $(if $(filter-out 0,$(WERROR)),-Werror)
WARN := -Wall -Wextra $(werror) -Wundef -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
OPT ?= -O2
SANITIZE ?=
san := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
INCLUDES := -I. -I$(BUILD) -I$(O)
# Files of 64 bits on machines of 32: others cannot even list a directory of a large file system.
FILES := -D_FILE_OFFSET_BITS=64
CFLAGS_ALL := -std=gnu11 $(OPT) -g -pthread -D_GNU_SOURCE= $(FILES) $(WARN) $(INCLUDES) $(san) \
	$(CFLAGS)
CXXFLAGS_ALL := -std=c++17 $(OPT) -g -pthread $(FILES) -Wall -Wextra $(werror) $(INCLUDES) $(san) \
	$(CXXFLAGS)
LDFLAGS_ALL := -pthread $(san) $(if $(and $(SANITIZE),$(findstring clang,$(CC))),-fsanitize-link-c++-runtime) $(LDFLAGS)
LIBS := -lhwloc -ljansson -lbenchmark -lstdc++ -lm

GIT_STATE := $(shell git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null || \
	echo unknown)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

# ---- rows: derived from schemes.def, one driver per row and build ----

BUILDS := timed cheap injected checked counting
# Each row's line, as old as its last change: with it what is built of the row is built again.
define row_lines
@mkdir -p $(@D)/rows; sed -n 's/^X(\([^,]*\), *\(.*\))$$/\1 \2/p' $< | while read -r row its; do \
	echo "$$its" | cmp -s - $(@D)/rows/$$row || echo "$$its" > $(@D)/rows/$$row; done
endef
$(BUILD)/rows/%: $(BUILD)/rows.mk $(BUILD)/history.mk ;
-include $(BUILD)/rows.mk

$(BUILD)/rows.mk: schemes/schemes.def runner/plan.def Makefile
	@mkdir -p $(@D)
	@sed -n -e 's/^X(\([^,]*\), *\([^,]*\),\(.*\))$$/ROWS += \1\nheader_\1 := \2\n'\
	'defines_\1 := \3/p' $< > $@
	@sed -n -e 's/^X("\([a-z]*\)", \([A-Z]*\),.*MAKE,.*/bench_words += $$(call word_\2,\1,$$(\U\1))/p' \
		runner/plan.def >> $@
	$(row_lines)

$(BUILD)/hooks: schemes/hooks.py $(wildcard schemes/*.h schemes/parts/*.h)
	@mkdir -p $(@D)
	@python3 -B $< && touch $@

# A row's slow parts stay beside its loop, and each loop begins a line: cold events load both.
near := -falign-functions=64 $(if $(findstring clang,$(CC)),,-fno-reorder-blocks-and-partition)
# What no one times, the virtual clock's rows and readers, is compiled in two thirds of the time. At -O1
# gcc does not see that a path has set a variable, as it does at -O2 in the same source.
untimed := $(if $(filter -O2 -O3,$(OPT)),-O1 $(if $(findstring clang,$(CC)),,-Wno-maybe-uninitialized))
define driver_rule
$(O)/$(1)/$(2).o: judge/driver.c $(BUILD)/flags $(BUILD)/rows/$(2) | $(BUILD)/hooks
	$$(call say,CC,$(1)/$(2))
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS_ALL) $$(near) $(if $(filter counting,$(1)),$$(untimed)) -g1 -MMD -MP -DROW=$(2) -DSCHEME_HEADER='"schemes/$$(header_$(2)).h"' \
		$(3:%=-DSTAMPEDE_%) $$(defines_$(2)) -c $$< -o $$@
endef
$(foreach row,$(ROWS),$(eval $(call driver_rule,timed,$(row),TIMED)))
$(foreach row,$(ROWS),$(eval $(call driver_rule,cheap,$(row),TIMED CHEAP)))
$(foreach row,$(ROWS),$(eval $(call driver_rule,injected,$(row),TIMED INJECTED)))
$(foreach row,$(ROWS),$(eval $(call driver_rule,checked,$(row),CHECKED)))
$(foreach row,$(ROWS),$(eval $(call driver_rule,counting,$(row),COUNTING)))

# What reads a row's records is the same in all of them.
$(O)/reader/%.o: judge/reader.c $(BUILD)/flags $(BUILD)/rows/% | $(BUILD)/hooks
	$(call say,CC,reader/$*)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(untimed) -g1 -MMD -MP -DROW=$* -DSCHEME_HEADER='"schemes/$(header_$*).h"' \
		-DSTAMPEDE_COUNTING $(defines_$*) -c $< -o $@

drivers := $(foreach build,$(BUILDS) reader,$(ROWS:%=$(O)/$(build)/%.o))

# What the explorer said of a row holds for the source that it searched: a hash, new with the row's objects.
$(BUILD)/sources/%: $(O)/timed/%.o $(O)/counting/%.o schemes/core/ring.c $(wildcard explore/family/tiers.*) explore/known.py
	@mkdir -p $(@D)
	$(Q)printf '%s\t%s\t%s\n' '$*' '$(header_$*)' '$(defines_$*)' | \
		$(python) -B explore/known.py sources $(CC) $(BUILD) > $@
$(BUILD)/sources.inc: $(ROWS:%=$(BUILD)/sources/%)
	@cat $^ > $@
$(O)/judge/known.o: $(BUILD)/sources.inc

# ---- what the programs are made of ----

# A folder is a module and an archive. They are linked in this order and once, so that a call goes
# down: one from a folder to another that stands left of it here does not link.
modules := runner explore explore/order explore/family explore/replay explore/engine \
	runner/timing workloads results runner/place judge traces/read traces schemes base

# What has a main(), or is compiled in another way.
mains := runner/bench.c runner/run_stress.c explore/explore.c traces/read_trace.c
# Distributions without libbabeltrace2 do without what reads CTF: read-trace.
babeltrace := $(shell pkg-config --exists babeltrace2 2>/dev/null && echo yes)
reads_ctf := traces/ctf_trace.c traces/read_ctf.c traces/read_lint_ctf.c
# Of traces/, programs that only write them do without the files that read them.
read_only := $(wildcard traces/lint*.c traces/read_*.c) traces/ctf_trace.c
module_folders_schemes := schemes/core schemes/parts schemes/format
module_folders_workloads := workloads workloads/engine
sources_of = $(filter-out $(mains) judge/driver.c judge/reader.c explore/stops/row.c explore/order/row.c explore/order/hooks.c traces/fuzz.c \
	$(if $(babeltrace),,$(reads_ctf)), $(if $(filter traces/read,$(1)),$(read_only),$(filter-out $(read_only), \
	$(wildcard $(addsuffix /*.c,$(or $(module_folders_$(1)),$(1))) $(1)/*.cc))))
archive_of = $(BUILD)/lib$(subst /,_,$(1)).a
library := $(foreach module,$(modules),$(call archive_of,$(module)))
recording := $(filter-out $(BUILD)/libexplore%.a $(BUILD)/libtraces_read.a,$(library))

define archive_rule
$(call archive_of,$(1)): $(addprefix $(O)/,$(addsuffix .o,$(basename $(call sources_of,$(1))))) \
		$(if $(filter judge,$(1)),$(drivers)) $(BUILD)/modules
	$$(call say,AR,$$@)
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach module,$(modules),$(eval $(call archive_rule,$(module))))

# A source that is gone is gone from its archive.
modules_text := $(foreach module,$(modules),$(module): $(sort $(call sources_of,$(module))))
$(BUILD)/modules: force
	@mkdir -p $(@D)
	@echo '$(modules_text)' | cmp -s - $@ || echo '$(modules_text)' > $@

test_support := $(patsubst %.c,$(O)/%.o,$(wildcard tests/support/*.c))
tests := $(patsubst %.c,$(BUILD)/%,$(filter-out \
	$(if $(babeltrace),,tests/traces/test_readers_ctf.c),$(wildcard tests/*/test_*.c)))

# Tests with a ring, or a row, of their own on the virtual clock, which calls a hook at each point.
counting_tests := schemes/test_ring schemes/test_ring_nested schemes/test_packed_bits \
	judge/test_player
extra_tests_judge_test_trial := -DSTAMPEDE_COUNTING -DROW=narrow \
	-DSCHEME_HEADER='"narrow_last.h"'
extra_tests_judge_test_template := -DSTAMPEDE_COUNTING -DROW=template \
	-DSCHEME_HEADER='"schemes/TEMPLATE.h"'
$(foreach test,$(counting_tests),$(eval extra_tests_$(subst /,_,$(test)) := -DSTAMPEDE_COUNTING))

extra_runner_timing_gbench = -DGBENCH_VERSION='"$(shell pkg-config --modversion benchmark 2>/dev/null)"'
# One object for all rows: its flush also comes beside writers of other CPUs, in those that take them.
extra_schemes_core_ring = -DLOCKED
extra_base_options := -DGIT_STATE='"$(GIT_STATE)"'
extra_runner_where := -DGIT_STATE='"$(GIT_STATE)"' -DBUILD_FLAGS='"$(OPT) $(CFLAGS)"'

# The template as schemes are often written: what is kept of the last time is the test's to say.
$(BUILD)/narrow_last.h: schemes/TEMPLATE.h Makefile
	@mkdir -p $(@D)
	@sed -e 's/overflow(stamp - shared_load("last", &s->last)/overflow(since(stamp, shared_load("last", \&s->last))/' \
		$< > $@
	@test $$(diff $< $@ | grep -c '^>') = 1
$(O)/tests/judge/test_trial.o: $(BUILD)/narrow_last.h

programs := $(addprefix $(BUILD)/,run-stress bench explore every-scheme judge-tracer \
	$(if $(babeltrace),read-trace))

# A change of compiler or flags rebuilds everything.
flags_text := $(CC) $(CXX) $(CFLAGS_ALL) $(near) $(untimed) $(CXXFLAGS_ALL) $(LDFLAGS_ALL)
$(BUILD)/flags: force
	@mkdir -p $(@D)
	@echo '$(flags_text)' | cmp -s - $@ || echo '$(flags_text)' > $@

# A new commit is a new revision in every record.
$(BUILD)/git-state: force
	@mkdir -p $(@D)
	@echo '$(GIT_STATE)' | cmp -s - $@ || echo '$(GIT_STATE)' > $@
$(O)/runner/where.o $(O)/base/options.o: $(BUILD)/git-state

$(O)/%.o: %.c $(BUILD)/flags
	$(call say,CC,$*)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(extra_$(subst /,_,$*)) -MMD -MP -c $< -o $@

$(O)/%.o: %.cc $(BUILD)/flags
	$(call say,CXX,$*)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CXXFLAGS_ALL) $(extra_$(subst /,_,$*)) -MMD -MP -c $< -o $@

include traces/traces.mk

$(BUILD)/run-stress: $(O)/runner/run_stress.o $(recording)
$(BUILD)/bench: $(O)/runner/bench.o $(recording)
$(BUILD)/every-scheme: $(patsubst %.c,$(O)/%.o,$(wildcard explore/every_scheme/*.c)) $(library)
$(programs): | $(BUILD)/tree
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) $(filter %.o %.a,$^) $(LIBS) -o $@

# What stands for python3 where versions are chosen (pyenv) takes longer to start than Python does: it
# is asked once, where something needs it.
python = $(eval python := $$(or $$(shell python3 -c 'import sys; print(sys.executable)' \
	2>/dev/null),python3))$(python)

# The programs plots and compare: scripts that find plots/*.py from their own place, or by the link that tells a
# build folder elsewhere where the tree is. Bytecode stays out of the sources.
$(BUILD)/plots $(BUILD)/compare: plots/plots.sh | $(BUILD)/tree
	$(call say,PY,$@)
	@sed "s|^python=.*|python='$(python)'|" $< >$@ && chmod +x $@

# Made again in a tree that was moved or copied with its build.
$(BUILD)/tree: force
	@mkdir -p $(@D)
	@[ "$$(readlink $@)" = "$(CURDIR)" ] || ln -sfn "$(CURDIR)" $@

$(tests): $(BUILD)/tests/%: $(O)/tests/%.o $(test_support) $(library)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS_ALL) $(filter %.o,$^) $(filter %.a,$^) -lcmocka $(TEST_LIBS) $(LIBS) -o $@

include explore/explore.mk
include explore/foreign.mk
include extras/kernel/module.mk
include tests/kernel/kernel.mk
include extras/tracers/tracers.mk
include extras/mcu/mcu.mk
include extras/install/install.mk
include tests/cases/cases.mk
include extras/take/take.mk
include extras/programs/programs.mk
include tests/machines/machines.mk
include tests/cluster/cluster.mk

# ---- what people call ----

all: $(programs) $(BUILD)/plots $(BUILD)/compare ## build the programs

build_packages := gcc g++ make python3 pkg-config libbenchmark-dev libhwloc-dev \
	libjansson-dev libxxhash-dev libbabeltrace2-dev unifdef universal-ctags
plot_packages := gnuplot-nox fontconfig fonts-dejavu-core python3-jinja2
test_packages += libcmocka-dev
# Silent: "is up to date" of five programs tells nobody anything.
processors := $(shell nproc 2>/dev/null || echo 1)
# Not below a make that was given -j: it shares its own.
jobs = $(if $(filter 0,$(V)),-s) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(processors))

SCHEMES ?=
RUN ?= results/latest
ARGS ?=

# Variables of `make bench` are options of bench: runner/plan.def.
word_FLAG = $(if $(filter-out 0,$(2)),--$(1))
word_TEXT = $(if $(2),--$(1) "$(2)")
word_NUMBER = $(word_TEXT)

bench: ## measure: table, plots and report (QUICK=1 or FULL=1 SCHEMES="a b" WORKLOADS="x y")
	@sh runner/packages.sh $(build_packages)
	@sh runner/packages.sh $(plot_packages) || echo "stampede: the run goes on without pictures" >&2
	@$(MAKE) --no-print-directory $(jobs) $(addprefix $(BUILD)/,bench plots compare run-stress $(if $(value explore_unknown),explore))
	$(explore_unknown)
	@$(BUILD)/bench $(bench_words) $(ARGS)

run-stress: ## run a signal storm and check every stamp: make run-stress ARGS="--bits 16"
	@sh runner/packages.sh $(build_packages)
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/run-stress
	$(explore_unknown)
	@$(BUILD)/run-stress $(ARGS)

plots: ## draw plots and report again from a recorded run: make plots RUN=results/latest
	@sh runner/packages.sh $(build_packages) $(plot_packages)
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/plots
	@$(BUILD)/plots $(RUN)

compare: ## tell if a change helped: make compare ARGS="A B", or ARGS="--in latest row row"
	@sh runner/packages.sh $(build_packages)
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/compare
	@$(BUILD)/compare $(ARGS)

man: ##- write manual pages into build/man, from --help of all programs
	@sh runner/packages.sh $(build_packages) help2man
	@$(MAKE) --no-print-directory $(jobs) all
	@sh runner/man.sh $(BUILD) "$(GIT_STATE)"

readme: ##- put a run's figures into README and docs: RUN=results/latest (-: the answer only)
	@python3 -B plots/readme.py $(RUN) README.md

take: ## cut a scheme out as one header, for a program of yours: make take ROW=packed_word
	@sh runner/packages.sh $(build_packages)
	@CUT="$(MAKE) --no-print-directory" sh extras/take/take.sh $(BUILD) "$(ROW)" $(RUN)/bench.json

explore: ## make every interrupt of a budget: make explore SCHEMES="a b" ARGS="--tier long"
	@sh runner/packages.sh $(build_packages)
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/explore $(BUILD)/plots explored
	@$(BUILD)/explore $(if $(SCHEMES),--schemes "$(SCHEMES)") $(ARGS)

# What some tests are skipped without: the page in a browser, statistics, other readers, manual
# pages, compilers and machines of other CPUs, a fresh Debian, other tracers.
all_test_packages = python3-capstone python3-junitparser chromium libbenchmark-tools python3-scipy babeltrace2 \
	help2man man-db \
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static debootstrap git procps clang-format \
	lttng-tools liblttng-ust-dev $(mcu_packages) libdpdk-dev linux-source
ALL ?=

test: ## run the tests, some minutes (ALL=1: the long ones too, with every package that a test can use)
	@sh runner/packages.sh $(build_packages) $(plot_packages) $(test_packages) \
		$(if $(filter-out 0,$(ALL)),$(all_test_packages))
	@$(MAKE) --no-print-directory $(jobs) all tests explored-quick \
		$(if $(filter-out 0,$(ALL)),explored-points explored-cases explored-taken)
	@ALL=$(ALL) sh tests/run.sh $(BUILD) $(tests)

tests: $(tests) programs-preloads

check-house: ##- check the rules of this tree: includes, circles, names, limits (ARGS=--all)
	@python3 -B tests/house/house.py $(ARGS)

test-long: ##- run for hours: storms, sanitizers, clang, the explorer (ONLY="mutants|explorer")
	@sh runner/packages.sh $(build_packages) $(plot_packages) $(test_packages) \
		clang libclang-rt-dev
	@sh tests/long.sh

mutate: ##- change the judges a little, and print changes that no test sees (ARGS="--sample 200 judge/")
	@sh runner/packages.sh $(build_packages) $(plot_packages) $(test_packages) python3-clang
	@$(MAKE) --no-print-directory $(jobs) all tests explored-quick explored-points \
		explored-taken explored-order $(BUILD)/explored/seed_004.page.so $(BUILD)/mutants/.split
	@/usr/bin/python3 -B tests/mutate/mutate.py $(BUILD) $(ARGS)

test-exhaustive: ##- run the explorer's deepest tier, for hours (SCHEMES="a b" for some rows)
	@sh runner/packages.sh $(build_packages)
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/explore explored SCHEMES="$(or $(SCHEMES),all)"
	@$(BUILD)/explore --tier exhaustive --schemes "$(or $(SCHEMES),all)"

clean: ## remove everything that was built; results stay
	rm -rf $(BUILD)

help: ## print this list; help-all: also what maintainers call
	@awk -F ':.*## ' '/^[a-z-]*:.*## / { printf "  %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

help-all: ##- print all targets
	@awk -F ':.*##-? ' '/^[a-z-]*:.*##-? / { printf "  %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

-include $(shell find $(BUILD) -path '*/kernel/linux-*' -prune -o -name '*.d' -print 2>/dev/null)

# A source that was moved still stands in a .d of before: its object is made anew from where it is.
%.c: ;


.PHONY: all mutate take help-all bench run-stress readme explore plots compare man test tests test-long \
	test-exhaustive check-house clean help force
