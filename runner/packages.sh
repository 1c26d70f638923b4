#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: packages.sh PACKAGE...
# Makes sure that the Debian packages named as arguments are there: installs what is missing as root
# or by sudo without a password, otherwise prints the one command that would. PACKAGES=present in the
# environment says that all are there, however they came: where there is no apt, this asks for it.
# Exit code 3: something is missing.

[ "${PACKAGES:-}" = present ] && exit 0

if ! command -v apt-get >/dev/null; then
	echo "stampede: no apt-get here; install the counterparts of: $*;" \
		"then set PACKAGES=present" >&2
	exit 3
fi

missing=
for package in "$@"; do
	state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)
	[ "$state" = installed ] || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ]; then
	as_root=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
	as_root=sudo
else
	echo "stampede: packages are missing; as root, run: apt-get install -y" \
		"--no-install-recommends$missing" >&2
	exit 3
fi
echo "stampede: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A fresh cloud machine installs its updates meanwhile: five minutes are enough for those.
apt() {
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"
}
install() {
	apt install -y --no-install-recommends $missing
}
locked=/var/lib/dpkg/lock-frontend
if command -v fuser >/dev/null && $as_root fuser "$locked" >/dev/null 2>&1; then
	echo "stampede: another program installs packages; waiting for up to 5 minutes"
fi
if ! { install || { apt update && install; }; } >"$log" 2>&1; then
	tail -5 "$log" >&2
	echo "stampede: could not install$missing; see above" >&2
	exit 3
fi
