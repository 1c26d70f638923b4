# SPDX-License-Identifier: MIT
# An installation: the programs of the tree, and what they need of it, which they find below share/stampede.
PREFIX ?= /usr/local
DESTDIR ?=
# make -n runs no line but those with MAKE in them, and such are two below.
dry = $(if $(findstring n,$(firstword -$(MAKEFLAGS))),:)
# Those that the answer names (plots/answer.py), and the first to compare with them.
INSTALLED_ROWS := packed_word varint_low packed_upper packed_word32 restartable restartable_full packed_word_locked_fenced \
	extended_header full_tsc
VERSION ?= $(shell sed -n '1s/.*(\(.*\)).*/\1/p' extras/install/debian/changelog)

install: ##- programs, headers, manual pages: make install PREFIX=/usr/local (uninstall: removes them)
	@sh runner/packages.sh $(build_packages) help2man xz-utils
	@$(MAKE) --no-print-directory $(jobs) all explored-quick STOPS=quiet
	@for row in $(INSTALLED_ROWS); do \
		CUT="$(MAKE) --no-print-directory -s BUILD=$(BUILD)" $(dry) sh extras/take/take.sh $(BUILD) $$row >/dev/null || exit; done
	@CUT="$(MAKE) --no-print-directory -s BUILD=$(BUILD)" TARGET=cortex-m $(dry) sh extras/take/take.sh $(BUILD) packed_word32 >/dev/null
	@PROGRAM="stampede " sh runner/man.sh $(BUILD) $(VERSION)
	@ROWS="$(INSTALLED_ROWS)" sh extras/install/install.sh install $(BUILD) $(PREFIX) "$(DESTDIR)" $(VERSION)

uninstall: ##- remove what make install installed
	@sh extras/install/install.sh uninstall $(BUILD) $(PREFIX) "$(DESTDIR)" $(VERSION)

# From the tree's own objects: what is built is not built again.
deb: ##- a Debian package, build/deb/stampede_*.deb
	@sh runner/packages.sh $(build_packages) help2man xz-utils debhelper fakeroot build-essential
	@rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb/stampede-$(VERSION)
	@git archive HEAD | tar -x -C $(BUILD)/deb/stampede-$(VERSION)
	@cp -r extras/install/debian $(BUILD)/deb/stampede-$(VERSION)/debian
	@$(MAKE) --no-print-directory install PREFIX=/usr DESTDIR="$$(cd $(BUILD) && pwd)/deb/root"
	@cd $(BUILD)/deb/stampede-$(VERSION) && INSTALLED="$$(cd .. && pwd)/root" dpkg-buildpackage -b -us -uc -rfakeroot
	@ls $(BUILD)/deb/*.deb

.PHONY: install uninstall deb
