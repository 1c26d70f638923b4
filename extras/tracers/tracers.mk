# SPDX-License-Identifier: MIT
# Other people's tracers, judged. An adapter is a folder; what it needs it says itself when it is run.
tracer_sources := judge_tracer files instructions verdict

$(BUILD)/judge-tracer: $(tracer_sources:%=$(O)/extras/tracers/%.o) $(BUILD)/libbase.a

tracers := $(patsubst extras/tracers/%/adapter.json,%,$(wildcard extras/tracers/*/adapter.json))

judged: ## are the times right in tracers that people use (INSTALL=1: with their packages)
	@sh runner/packages.sh $(build_packages) $(if $(filter-out 0,$(INSTALL)),\
		$(shell sed -n 's/.*"packages": *\[\(.*\)\].*/\1/p' extras/tracers/*/adapter.json | tr -d '",'))
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/judge-tracer
	@BUILD="$$(cd $(BUILD) && pwd)" $(BUILD)/judge-tracer $(ARGS) $(or $(TRACERS),$(tracers)) || [ $$? = 2 ]

.PHONY: judged
