# SPDX-License-Identifier: MIT
# The real tracers beside ours. The two objects that need liblttng-ust are built where it is.
peers_packages := lttng-tools liblttng-ust-dev
lttng_objects := $(BUILD)/peers-lttng/lttng_provider.so $(BUILD)/peers-lttng/lttng_clock.so

$(BUILD)/peers: $(O)/extras/peers/peers.o $(patsubst %.c,$(O)/%.o,$(filter-out \
	extras/peers/peers.c extras/peers/lttng_%,$(wildcard extras/peers/*.c))) $(library)

$(BUILD)/peers-lttng/%.so: extras/peers/%.c extras/peers/lttng_provider.h
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 -g -std=gnu11 -D_GNU_SOURCE= -I. -Iextras/peers -fPIC -shared -o $@ $< \
		-llttng-ust -ldl

peers: ## record the same payload with LTTng-UST and the running kernel: ARGS="--rounds 41"
	@sh runner/packages.sh $(build_packages) $(peers_packages)
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/peers $(lttng_objects)
	@$(BUILD)/peers $(if $(SCHEMES),--schemes "$(SCHEMES)") $(ARGS)

.PHONY: peers
