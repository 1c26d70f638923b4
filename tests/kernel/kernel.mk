# SPDX-License-Identifier: MIT
# Today's faults on a real kernel, under qemu; optional, no part of make test but for its judge.

MODE ?= forced
KERNEL ?=
RUNS ?= 1

kernel_packages := qemu-system-x86 gdb cpio patch libtraceevent-dev python3 python3-jinja2
kernel_cflags := -std=gnu11 -O2 -g -D_GNU_SOURCE= $(WARN) -I.

$(BUILD)/kernel/init: tests/kernel/init.c tests/kernel/load.c tests/kernel/judge.c \
		$(BUILD)/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(kernel_cflags) -MMD -MP -static -o $@ $(filter %.c,$^)

$(BUILD)/kernel-verdict: $(addprefix $(O)/tests/kernel/,verdict.o capture.o judge.o)
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS_ALL) $^ -ltraceevent -ljansson -o $@

kernel: $(BUILD)/kernel/init $(BUILD)/kernel-verdict $(BUILD)/kernel-page

# The second witness: nested_stamps as Linux has it, explored by the unpatched engine; by
# schemes/history where that has the form. $(1): the fault, $(2): its patch, $(3): the shape
define kernel_explored_rule
$(BUILD)/kernel/$(1)/tree/patched: $(2) schemes/nested_stamps.h $(wildcard schemes/core/*.h) \
		explore/stops/row.c judge/driver.c
	@rm -rf $$(@D) && mkdir -p $$(@D)
	@sh explore/cases/tree.sh $$(@D)
	@patch -s -F0 -d $$(@D) -p1 < $$<
	@touch $$@

kernel-explored-$(1): $(BUILD)/explore $(BUILD)/explored/nested_stamps.$(3).so \
		$(BUILD)/kernel/$(1)/tree/patched
	@$$(MAKE) --no-print-directory BUILD=$(BUILD) EXPLORED=$(BUILD)/kernel/$(1) \
		TREE=$(BUILD)/kernel/$(1)/tree $(BUILD)/kernel/$(1)/nested_stamps.$(3).so
.PHONY: kernel-explored-$(1)
endef
$(eval $(call kernel_explored_rule,room,schemes/history/ftrace_6_8_room.patch,page))
$(eval $(call kernel_explored_rule,page,schemes/history/ftrace_6_8_page.patch,ends2))

# Not by the name $(MAKE): make runs a line that has it even with -n.
make_command := $(MAKE)

reproduce-kernel: ##- show a wrong time on a real kernel: MODE=paused KERNEL=6.1
	@sh runner/packages.sh $(build_packages) $(kernel_packages) || exit 77
	@$(MAKE) --no-print-directory $(jobs) kernel
	@MAKE_COMMAND="$(make_command)" python3 -B tests/kernel/reproduce.py --build $(BUILD) \
		--mode "$(MODE)" --kernel "$(KERNEL)" --runs "$(RUNS)" $(ARGS)

# The module is built and loaded by root's guest alone, never here.
module_packages := qemu-system-x86 cpio binutils gcc-12

test-kernel: ##- test the schemes in unmodified kernels under NMIs, in qemu (KERNEL=6.1 SCHEMES="a b")
	@sh runner/packages.sh $(build_packages) $(module_packages) || exit 77
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/kernel/init $(BUILD)/in-kernel \
		$(BUILD)/mutants/.split
	@python3 -B tests/kernel/module.py --build $(BUILD) --kernel "$(KERNEL)" \
		--schemes "$(SCHEMES)" $(ARGS)

.PHONY: kernel reproduce-kernel test-kernel

# What judges is tested without a guest.
$(BUILD)/tests/kernel/test_kernel_judge: $(O)/tests/kernel/judge.o
tests: $(BUILD)/kernel-verdict $(BUILD)/kernel-page
