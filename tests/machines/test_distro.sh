#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_distro.sh BUILD   make test-distro leaves nothing behind, whatever way it ends: with a
# debootstrap that makes a directory, says so and never ends, or fails. TAP.
. tests/support/tap.sh

mkdir "$scratch/bin" "$scratch/tmp"
cat >"$scratch/bin/debootstrap" <<-EOF
	#!/bin/sh
	for root; do case \$root in */root) break ;; esac; done
	mkdir -p "\$root/proc" && mount -t tmpfs tmpfs "\$root/proc" && echo "\$\$" >"$scratch/began"
	[ -e "$scratch/fail" ] && exit 1
	exec sleep 277
EOF
chmod +x "$scratch/bin/debootstrap"
distro="env PATH=$scratch/bin:$PATH TMPDIR=$scratch/tmp CACHE=$scratch/cache sh tests/machines/distro.sh"

refuses "no release" 1 "make test-distro DISTRO=trixie" $distro
refuses "no such release" 3 "root\|debootstrap knows no 'nonsense'" $distro nonsense
if [ "$(id -u)" != 0 ] || ! unshare --mount --pid --fork true 2>/dev/null ||
	! [ -e /usr/share/debootstrap/scripts/sid ]; then
	skip "ends of test-distro" "needs root, namespaces and debootstrap"
	plan
	exit 0
fi

left() {
	ls -A "$scratch/tmp"
	grep "$scratch/tmp" /proc/mounts
	pgrep -f '^sleep 277$'
}

ended() { # signal, name
	rm -f "$scratch/began"
	# Who is started by & does not hear Ctrl-C else.
	env --default-signal=INT $distro sid >"$scratch/out" 2>&1 &
	for _ in $(seq 100); do
		[ -s "$scratch/began" ] && break
		sleep 0.1
	done
	[ -s "$scratch/began" ]
	report $? "$2: under way"
	kill "-$1" $!
	wait $! 2>/dev/null
	for _ in $(seq 50); do
		[ -z "$(left)" ] && break
		sleep 0.1
	done
	[ -z "$(left)" ]
	report $? "$2: nothing is left"
	left | sed 's/^/# /'
}
ended INT "Ctrl-C"
ended TERM "killed"
ended KILL "killed outright"

: >"$scratch/fail"
$distro sid >"$scratch/out" 2>"$scratch/err"
[ $? -eq 3 ] && grep -q 'debootstrap of sid failed' "$scratch/out" && [ -z "$(left)" ]
report $? "a debootstrap that fails: exit code 3, and nothing is left"
plan
