#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_packages.sh BUILD   What runner/packages.sh says without apt, and without root: on a PATH of
# its own, with fakes that have nothing installed. TAP.
. tests/support/tap.sh

PACKAGES=present sh runner/packages.sh no-such-package >"$scratch/out" 2>&1 && [ ! -s "$scratch/out" ]
report $? "PACKAGES=present: nothing is asked"
unset PACKAGES

packages="env PATH=$scratch/bin /bin/sh runner/packages.sh"

# into NAME: an executable of that name. No links: a fake would be written through one.
into() {
	cat >"$scratch/bin/$1" && chmod +x "$scratch/bin/$1"
}

# machine FAKE...: a PATH with those, which fail, and what the script itself needs, and no root.
machine() {
	rm -rf "${scratch:?}/bin"
	mkdir "$scratch/bin"
	: >"$scratch/asked"
	for tool in awk sed tr grep mktemp rm tail; do
		printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "$tool")" | into "$tool"
	done
	printf '#!/bin/sh\necho 1000\n' | into id
	for fake in "$@"; do
		into "$fake" <<-EOF
			#!/bin/sh
			echo "$fake \$*" >>"$scratch/asked"
			exit 1
		EOF
	done
}

machine
refuses "no manager at all" 3 "install the counterparts of: gcc make; then set PACKAGES" \
	$packages gcc make
PACKAGES=present $packages gcc make >"$scratch/out" 2>&1 && [ ! -s "$scratch/out" ]
report $? "PACKAGES=present"

# Debian as it was: the fake of sudo refuses, so that nothing is installed.
machine apt-get dpkg-query sudo
refuses "Debian, no root" 3 "apt-get install -y --no-install-recommends gcc make\$" \
	$packages gcc make
! grep -q '^apt-get' "$scratch/asked"
report $? "Debian, no root: nothing installed"
plan
