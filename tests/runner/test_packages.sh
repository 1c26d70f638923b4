#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_packages.sh BUILD   What runner/packages.sh says on systems of other package managers:
# fakes of them on a PATH of its own, that know what is installed by a list. TAP.
. tests/support/tap.sh

PACKAGES=present sh runner/packages.sh no-such-package >"$scratch/out" 2>&1 && [ ! -s "$scratch/out" ]
report $? "PACKAGES=present: nothing is asked"
unset PACKAGES

packages="env PATH=$scratch/bin /bin/sh runner/packages.sh"

# into NAME: an executable of that name. No links: a fake would be written through one.
into() {
	cat >"$scratch/bin/$1" && chmod +x "$scratch/bin/$1"
}

# machine MANAGER...: a PATH with those managers and what the script itself needs, and no root.
machine() {
	rm -rf "${scratch:?}/bin"
	mkdir "$scratch/bin"
	: >"$scratch/installed"
	: >"$scratch/asked"
	for tool in awk sed tr grep mktemp rm tail; do
		printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "$tool")" | into "$tool"
	done
	printf '#!/bin/sh\necho 1000\n' | into id
	for fake in "$@"; do
		into "$fake" <<-EOF
			#!/bin/sh
			echo "$fake \$*" >>"$scratch/asked"
			for last; do :; done
			grep -qxF -- "\$last" "$scratch/installed"
		EOF
	done
}

# Debian's names of all that the Makefile can ask for are in the table.
lacking=0
asked=$(make -pn help 2>/dev/null | sed -nE 's/^[a-z_]*packages :?= //p' | tr ' ' '\n')
asked="$asked $(grep -ho 'packages.sh[^|]*' Makefile ./*/*.mk ./*/*/*.mk | tr ' ' '\n')"
for package in $(echo "$asked" | tr ' ' '\n' | grep -x '[a-z][a-z0-9+-]*' | sort -u); do
	awk -v name="$package" '$1 == name && NF == 5 { found = 1 } END { exit !found }' runner/packages.sh &&
		continue
	lacking=$((lacking + 1))
	echo "# no counterpart of $package"
done
report $lacking "every package that the Makefile names has a line"

asks='gcc g++ libbenchmark-dev libjansson-dev fonts-dejavu-core'
manager() { # managers, the command, names
	# shellcheck disable=SC2086
	machine $1
	# shellcheck disable=SC2086
	refuses "$1: all is missing" 3 "as root, run: $2 $3\$" $packages $asks
	[ -s "$scratch/asked" ] && ! grep -Eq 'install|-S|add' "$scratch/asked"
	report $? "$1: asked, and nothing installed"
	printf '%s\n' $3 | sed 1d >"$scratch/installed"
	# shellcheck disable=SC2086
	refuses "$1: one is missing" 3 "as root, run: $2 ${3%% *}\$" $packages $asks
	printf '%s\n' $3 >"$scratch/installed"
	# shellcheck disable=SC2086
	$packages $asks >"$scratch/out" 2>&1 && [ ! -s "$scratch/out" ]
	report $? "$1: all is there"
}
manager "dnf rpm" "dnf install -y" \
	"gcc gcc-c++ google-benchmark-devel jansson-devel dejavu-sans-fonts"
manager "zypper rpm" "zypper --non-interactive install" \
	"gcc gcc-c++ benchmark-devel libjansson-devel dejavu-fonts"
manager pacman "pacman -S --needed --noconfirm" "gcc benchmark jansson ttf-dejavu"
manager apk "apk add" "gcc musl-dev linux-headers g++ benchmark-dev jansson-dev font-dejavu"

machine "zypper" rpm
echo gcc >"$scratch/installed"
shows "a package without a counterpart is named, and does not end the build" \
	"known for Debian's (libbabeltrace2-dev)" $packages gcc libbabeltrace2-dev
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
