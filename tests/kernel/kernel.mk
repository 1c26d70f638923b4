# SPDX-License-Identifier: MIT
# The rows in unmodified kernels, under qemu; optional, no part of make test.

KERNEL ?=

kernel_cflags := -std=gnu11 -O2 -g -D_GNU_SOURCE= $(WARN) -I.

$(BUILD)/kernel/init: tests/kernel/init.c $(BUILD)/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(kernel_cflags) -MMD -MP -static -o $@ $<

# The module is built and loaded by root's guest alone, never here.
module_packages := qemu-system-x86 cpio binutils gcc-12

test-kernel: ##- test the schemes in unmodified kernels under NMIs, in qemu (KERNEL=6.1 SCHEMES="a b")
	@sh runner/packages.sh $(build_packages) $(module_packages) || exit 77
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/kernel/init $(BUILD)/in-kernel \
		$(BUILD)/mutants/.split $(BUILD)/history/.split
	@python3 -B tests/kernel/module.py --build $(BUILD) --kernel "$(KERNEL)" \
		--schemes "$(SCHEMES)" $(ARGS)

.PHONY: test-kernel
