# SPDX-License-Identifier: MIT
# An installation: programs that find their data in PREFIX/share/stampede, built apart from those of the tree.
PREFIX ?= /usr/local
DESTDIR ?=
INSTALLED_ROWS := packed_word varint_low full_tsc extended_header
VERSION ?= $(shell sed -n '1s/.*(\(.*\)).*/\1/p' extras/install/debian/changelog)

install: ##- programs, headers, manual pages: make install PREFIX=/usr/local (uninstall: removes them)
	@sh runner/packages.sh $(build_packages) help2man
	@$(MAKE) --no-print-directory $(jobs) BUILD=$(BUILD)/installed all \
		explored-quick $(BUILD)/installed/take-facts
	@for row in $(INSTALLED_ROWS); do \
		CUT="$(MAKE) --no-print-directory BUILD=$(BUILD)/installed" \
			sh extras/take/take.sh $(BUILD)/installed $$row >/dev/null || exit; done
	@sh runner/man.sh $(BUILD)/installed $(VERSION)
	@ROWS="$(INSTALLED_ROWS)" sh extras/install/install.sh install $(BUILD)/installed $(PREFIX) \
		"$(DESTDIR)" $(VERSION)

uninstall: ##- remove what make install installed
	@sh extras/install/install.sh uninstall $(BUILD)/installed $(PREFIX) "$(DESTDIR)" $(VERSION)

deb: ##- a Debian package, build/deb/stampede_*.deb
	@sh runner/packages.sh $(build_packages) help2man debhelper fakeroot build-essential
	@rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb/stampede-$(VERSION)
	@git archive HEAD | tar -x -C $(BUILD)/deb/stampede-$(VERSION)
	@cp -r extras/install/debian $(BUILD)/deb/stampede-$(VERSION)/debian
	@cd $(BUILD)/deb/stampede-$(VERSION) && dpkg-buildpackage -b -us -uc -rfakeroot
	@ls $(BUILD)/deb/*.deb

.PHONY: install uninstall deb
