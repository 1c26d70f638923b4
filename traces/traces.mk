# SPDX-License-Identifier: MIT
# Traces in real formats: build/read-trace, its oracles among other people's readers, fuzzing.

$(BUILD)/read-trace: $(O)/traces/read_trace.o $(library)

# Traces in CTF are read by libbabeltrace2, whoever wrote them.
$(BUILD)/read-trace $(BUILD)/tests/traces/test_readers_ctf: LIBS += -lbabeltrace2

# Another reader, for the test that judges by it.
test_packages += libtraceevent-dev
$(BUILD)/tests/traces/test_readers_ftrace: TEST_LIBS = -ltraceevent

SECONDS ?= 60
fuzz_formats := $(filter-out importer,$(shell grep -o 'lint_[a-z]*[^a-z_. ]' traces/lint_formats.h | tr -d '[:punct:]' | sed 's,lint,,'))
fuzzers := $(fuzz_formats:%=$(BUILD)/fuzz/fuzz_%)
FUZZ_FLAGS := -std=gnu11 -O2 -g -D_GNU_SOURCE= $(WARN) -I. $(extra_base_options) \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
fuzz_sources := $(filter-out traces/fuzz.c traces/read_%.c traces/ctf_%.c,$(wildcard traces/*.c)) \
	$(wildcard base/*.c) schemes/format/format_ctf.c schemes/core/ring.c

extra_fuzz_ftrace := -DFTRACE
# A folder, which libbabeltrace2 reads.
extra_fuzz_ctf := traces/read_lint_ctf.c traces/ctf_trace.c -DIN_FOLDER -lbabeltrace2

$(fuzzers): $(BUILD)/fuzz/fuzz_%: $(fuzz_sources) $(wildcard traces/*.h traces/fuzz.c schemes/*/*.h)
	$(call say,FUZZ,$*)
	@mkdir -p $(@D)
	$(Q)clang $(FUZZ_FLAGS) -DIMPORTER=lint_$* traces/fuzz.c \
		$(fuzz_sources) $(extra_fuzz_$*) -ljansson -lm -o $@

fuzz: ##- fuzz the readers of traces, by libFuzzer with ASan and UBSan: make fuzz SECONDS=60
	@sh runner/packages.sh clang libclang-rt-dev libjansson-dev libbabeltrace2-dev
	@$(MAKE) --no-print-directory $(fuzzers) $(BUILD)/read-trace
	@sh traces/fuzz.sh $(BUILD) $(SECONDS) $(fuzz_formats)

lint: ## is the time right in a trace (CTF, Chrome's JSON, perf.data, ftrace, XRay): TRACES="trace.json perf.data"
	@[ -n "$(TRACES)" ] || { echo 'stampede: make lint TRACES="FILE..." (ARGS=--loss counts lost events alone)' >&2; exit 1; }
	@sh runner/packages.sh $(build_packages)
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/read-trace
	@$(BUILD)/read-trace --lint $(ARGS) $(TRACES)

.PHONY: fuzz lint
