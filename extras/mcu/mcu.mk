# SPDX-License-Identifier: MIT
# Rows on boards without an operating system, in qemu (docs/mcu.md).
mcu_packages := gcc-arm-none-eabi qemu-system-arm gcc-riscv64-unknown-elf qemu-system-misc python3-barectf

test-mcu: ##- rows on a Cortex-M3 and others in qemu, judged and priced (INSTALL=1: with their packages)
	@sh runner/packages.sh $(build_packages) $(if $(filter-out 0,$(INSTALL)),$(mcu_packages))
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/judge-tracer
	@BUILD="$$(cd $(BUILD) && pwd)" sh extras/mcu/boards.sh $(ARGS)

.PHONY: test-mcu
