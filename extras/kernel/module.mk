# SPDX-License-Identifier: MIT
# The schemes in a kernel: the module, and the program that judges what it wrote.

# A module for a kernel's build directory, of the sources in TREE; never loaded from here.
KDIR ?= /lib/modules/$(shell uname -r)/build
MODULE ?= $(BUILD)/kernel/module
# Rows that start over where a process was interrupted have nobody here who would do that; what is
# taken out of the suite is for programs, and here as the row that it was cut from.
KERNEL_ROWS ?= $(foreach row,$(filter-out taken_%,$(ROWS)),\
	$(if $(filter restartable,$(header_$(row))),,$(row)))

kernel-module: ##- build stampede.ko against KDIR=/lib/modules/.../build, in build/kernel/module
	@sh $(or $(TREE),.)/extras/kernel/module.sh $(MODULE) \
		$(foreach row,$(KERNEL_ROWS),'$(row) $(header_$(row)) $(defines_$(row))')
# Types for BPF would take a tool that only kernels' builders have.
	@MAKEFLAGS= $(MAKE) $(if $(filter 0,$(V)),-s) $(jobs) -C $(KDIR) M=$(abspath $(MODULE)) \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules

CONFIRM ?=
# Only who is root, and says that it may be loaded, has it loaded into the kernel that runs here.
kernel-bench: ## price and judge rows in this machine's own kernel, as root: CONFIRM=load
	@sh extras/kernel/bench.sh check "$(CONFIRM)"
	@$(MAKE) --no-print-directory $(jobs) $(BUILD)/in-kernel kernel-module
	@sh extras/kernel/bench.sh run "$(CONFIRM)" $(MODULE)/stampede.ko $(BUILD)/in-kernel \
		$(BUILD)/kernel/bench.jsonl $(if $(SCHEMES),--schemes "$(SCHEMES)") $(ARGS); \
		status=$$?; [ ! -s $(BUILD)/kernel/bench.jsonl ] || \
		python3 -B extras/kernel/in_kernel.py results "make kernel-bench" \
		$(BUILD)/kernel/bench.jsonl || status=3; exit $$status

kernel_program := in_kernel epochs price print
# A guest has no libraries.
$(BUILD)/in-kernel: $(kernel_program:%=$(O)/extras/kernel/program/%.o) \
		$(foreach module,judge traces schemes base,$(call archive_of,$(module)))
	$(call say,LD,$@)
	$(Q)$(CC) -static $(LDFLAGS_ALL) $^ -ljansson -lm -o $@

.PHONY: kernel-module kernel-bench
