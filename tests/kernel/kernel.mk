# SPDX-License-Identifier: MIT
# Today's faults on a real kernel, under qemu; optional, no part of make test but for its judge.

MODE ?= forced
KERNEL ?=
RUNS ?= 1

kernel_packages := qemu-system-x86 gdb cpio libc6-dev libtraceevent-dev libjansson-dev gcc make \
	pkg-config python3
kernel_cflags := -std=gnu11 -O2 -g -D_GNU_SOURCE= $(WARN) -Ischemes -Iworkloads -Irunner

$(BUILD)/kernel/init: tests/kernel/init.c tests/kernel/judge.c $(BUILD)/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(kernel_cflags) -MMD -MP -static -o $@ $(filter %.c,$^)

$(BUILD)/kernel-verdict: $(addprefix $(O)/tests/kernel/,verdict.o capture.o judge.o)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) $^ -ltraceevent -ljansson -o $@

kernel: $(BUILD)/kernel/init $(BUILD)/kernel-verdict

reproduce-kernel: ## a wrong time on a real kernel: make reproduce-kernel MODE=paused KERNEL=6.1
	@sh runner/packages.sh $(kernel_packages) || exit 77
	@$(MAKE) --no-print-directory $(jobs) kernel
	@python3 tests/kernel/reproduce.py --build $(BUILD) --mode "$(MODE)" \
		--kernel "$(KERNEL)" --runs "$(RUNS)" $(ARGS)

.PHONY: kernel reproduce-kernel
