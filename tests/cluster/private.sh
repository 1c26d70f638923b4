#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: private.sh slurm|parallel BUILD   Runs that test, a real cluster on this machine, as root in
# its own namespaces: of processes, so that none outlives the first; of mounts, for /etc and /run; of
# the network, so that no port is taken; and of host names. The trap, or a process that waits for this
# one, removes the one folder that is left.
# TAP. Exit code: 0 fine, 1 usage or a test failed, 3 something is missing, 4 not possible here.
set -u
test=${1:-} build=${2:-build}

refuse() { # exit code, line
	echo "stampede: $2" >&2
	exit "$1"
}

case $test in
slurm | parallel) ;;
*) refuse 1 "make test-slurm or make test-parallel" ;;
esac
[ "$(id -u)" = 0 ] || refuse 4 "test-$test needs namespaces of its own: run it as root"
namespaces='--mount --pid --net --uts --ipc --fork --kill-child=KILL'
# shellcheck disable=SC2086
unshare $namespaces --mount-proc true 2>/dev/null ||
	refuse 4 "test-$test needs namespaces, which this machine does not allow: is it a container?"
if [ ! -x "$build/explore" ] || [ ! -d "$build/explored" ]; then
	refuse 3 "no explorer in $build: make test-$test builds it"
fi

private=$(mktemp -d "${TMPDIR:-/tmp}/stampede-$test.XXXXXX") || exit 3
. tests/support/private.sh

# An sshd that is installed is one that runs, open to all, and comes up with the machine; so it is
# unpacked there, with what it lacks here, and no more.
unpack_sshd() {
	mkdir "$private/debs" "$private/unpacked" || return 1
	lacking=$(apt-get -s install --no-install-recommends openssh-server |
		sed -n 's/^Inst \([^ ]*\) .*/\1/p')
	# shellcheck disable=SC2086
	(cd "$private/debs" && apt-get -q -o APT::Sandbox::User=root download $lacking) || return 1
	for package in "$private/debs"/*.deb; do
		dpkg-deb -x "$package" "$private/unpacked" || return 1
	done
}
if [ "$test" = parallel ] && [ ! -x /usr/sbin/sshd ]; then
	if command -v apt-get >/dev/null; then
		unpack_sshd >"$private/apt.log" 2>&1 ||
			{ apt-get update && rm -rf "$private/debs" "$private/unpacked" &&
				unpack_sshd; } >"$private/apt.log" 2>&1
	fi
	if [ ! -x "$private/unpacked/usr/sbin/sshd" ]; then
		[ ! -e "$private/apt.log" ] || tail -n 5 "$private/apt.log" >&2
		refuse 3 "no sshd, and it cannot be fetched: install openssh-server"
	fi
fi

# In the background, so that a signal is heard at once.
# shellcheck disable=SC2086
setpriv --pdeathsig KILL unshare $namespaces --mount-proc \
	sh "tests/cluster/$test.sh" "$build" "$private" &
worker=$!
wait $worker
code=$?
worker=
exit $code
