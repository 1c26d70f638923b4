# SPDX-License-Identifier: MIT
# The same on other releases and other CPUs. Some minutes each, and no part of make test.

DISTRO ?=

test-distro: ## bench and tests on a fresh Debian: make test-distro DISTRO=trixie (root)
	@sh runner/packages.sh debootstrap git
	@sh tests/distro.sh "$(DISTRO)"

.PHONY: test-distro
