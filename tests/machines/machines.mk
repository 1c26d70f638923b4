# SPDX-License-Identifier: MIT
# The same on other releases and other CPUs. Some minutes each, and no part of make test.

DISTRO ?=
DEB ?=

test-distro: ##- run bench and tests on a fresh Debian: make test-distro DISTRO=trixie (root; DEB=1: the package)
	@sh runner/packages.sh debootstrap git
	@sh tests/machines/distro.sh "$(DISTRO)" $(if $(filter-out 0,$(DEB)),deb)

MACHINE ?=
triple_arm64 := aarch64-linux-gnu
triple_armhf := arm-linux-gnueabihf
triple_i386 := i686-linux-gnu
triple_riscv64 := riscv64-linux-gnu
triple := $(triple_$(MACHINE))

test-machine: ##- test another CPU, by qemu-user: MACHINE=arm64|armhf|i386|riscv64 (STEPS="tests storm")
	@sh runner/packages.sh $(build_packages) patch \
		$(if $(triple),gcc-$(triple) g++-$(triple) qemu-user-static)
	@$(if $(triple),$(MAKE) --no-print-directory $(jobs) $(BUILD)/explore explored-points)
	@BUILD= sh tests/machines/machine.sh "$(MACHINE)" $(STEPS)

.PHONY: test-distro test-machine
