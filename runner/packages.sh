#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes sure that the Debian packages named as arguments are there: installs what is missing as root
# or by sudo without a password, otherwise prints the one command that would.
missing=
for package in "$@"; do
	state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)
	[ "$state" = installed ] || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null; then
	echo "stampede: this is not Debian; install the counterparts of:$missing" >&2
	exit 3
fi
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
install() {
	DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y --no-install-recommends $missing
}
if ! { install || { $as_root apt-get update && install; }; } >"$log" 2>&1; then
	tail -5 "$log" >&2
	echo "stampede: could not install$missing; see above" >&2
	exit 3
fi
