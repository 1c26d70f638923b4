#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: distro.sh RELEASE [deb]   Needs root. Clones the commit that is checked out here into a fresh
# Debian of that release (debootstrap), runs the README's make bench QUICK=1 and make test there, and builds
# with gcc and clang of that release, warnings as errors. With deb: builds the package, has lintian look at it,
# and installs, uses and removes it where nothing else is installed. Ends with the verdict and the time.
# MIRROR=URL: where packages come from (this machine's own, else deb.debian.org). CACHE (default:
# /var/cache/stampede-distro) keeps packages by release. LOG: a file for the whole output.
# Exit code: 0 fine, 1 usage or something failed, 3 not possible here.
#
# It runs in namespaces of mounts and processes of its own: when the first process ends, nothing is
# left running or mounted. The trap, or a process that waits for this one, removes the directory.
set -u
release=${1:-} what=${2:-}
[ "$release" != --inside ] || release=$3 what=$4
cache=${CACHE:-/var/cache/stampede-distro}/$release
log=${LOG:-}

refuse() { # exit code, line
	echo "stampede: $2" >&2
	exit "$1"
}

mirror() {
	[ -n "${MIRROR:-}" ] && echo "$MIRROR" && return
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources \
		2>/dev/null | sed -nE 's/^(deb |URIs:).*(https?:[^ ]*\/debian)\/?( .*|$)/\2/p' |
		grep . || echo http://deb.debian.org/debian
}

# What is done inside: $1 the root directory, $2 the release.
inside() {
	root=$1 release=$2 good=0 bad=
	mount --make-rprivate / || return 3
	# A tmpfs would do, but a build takes more room than some machines have memory.
	mkdir -p "$cache" || return 3
	debootstrap --variant=minbase --cache-dir="$cache" \
		--include=git,ca-certificates,make,procps "$release" "$root" \
		"$(mirror | head -1)" >"$root.log" 2>&1 || {
		tail -5 "$root.log" >&2
		echo "stampede: debootstrap of $release failed; is there a script of that name in" \
			"/usr/share/debootstrap/scripts?" >&2
		return 3
	}
	# In a root that is a mount itself tests can mount, too.
	mount --rbind "$root" "$root" && mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" &&
		mount --rbind /dev "$root/dev" && mount -t tmpfs tmpfs "$root/tmp" || return 3
	mount --bind "$cache" "$root/var/cache/apt/archives" || return 3
	cp /etc/resolv.conf "$root/etc/" 2>/dev/null
	# Kept for the next run.
	rm -f "$root/etc/apt/apt.conf.d/docker-clean"
	git clone -q --no-hardlinks . "$root/root/stampede" || return 3
	if [ -n "$what" ]; then package; else tests; fi
	[ -z "$bad" ] && [ $good -gt 0 ] && echo "$release: passed" && return 0
	echo "$release: FAILED:$bad"
	return 1
}

try() { # COMMAND, in the clone inside of $root
	begin=$(date +%s)
	echo "== $release: $1"
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LANG=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive chroot "$root" sh -c "cd /root/stampede && $1"
	code=$?
	echo "== $release: $1: exit code $code, $(($(date +%s) - begin)) s"
	# 7: too noisy to rank the rows, which says nothing of the release.
	case $1/$code in
	*/0 | *bench*/7) good=$((good + 1)) ;;
	*) bad="$bad '$1'" ;;
	esac
}

tests() {
	strict='make -s -j"$(nproc)" WERROR=1 all tests'
	try 'make bench QUICK=1'
	try 'make test'
	try "$strict BUILD=build/gcc"
	try "apt-get -qq install -y clang >/dev/null 2>&1 && $strict BUILD=build/clang CC=clang CXX=clang++"
	chroot "$root" sh -c 'gcc --version | head -1; pkg-config --modversion benchmark hwloc \
		babeltrace2 libtraceevent | tr "\n" " "; gnuplot --version; clang --version | head -1'
}

# Built in a copy of the root: in this one something that the package does not depend on is not there.
package() {
	fresh=$root root=$(dirname "$root")/built
	mkdir "$root" && tar -C "$fresh" -c --one-file-system --exclude=./var/cache/apt/archives . | tar -x -C "$root" &&
		mkdir "$root/var/cache/apt/archives" && mount --bind "$cache" "$root/var/cache/apt/archives" &&
		mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" || bad=" 'a copy of the root'"
	try 'make deb >build.log 2>&1 || { tail -20 build.log; false; }'
	try 'apt-get -qq install -y lintian >/dev/null 2>&1 && lintian --allow-root --fail-on error,warning build/deb/*.changes'
	cp "$root"/root/stampede/build/deb/*.deb "$fresh/root/stampede/" || bad="$bad 'a package'"
	root=$fresh
	try 'sh tests/machines/installed.sh ./stampede_*.deb'
}

if [ "${1:-}" = --inside ]; then
	inside "$2" "$3"
	exit
fi

case $what in
'' | deb) ;;
*) refuse 1 "test-distro: '$what' is not known: make test-distro DISTRO=trixie (or with DEB=1)" ;;
esac
case $release in
'' | *[!a-z]*) refuse 1 "make test-distro DISTRO=trixie (or sid, bookworm)" ;;
esac
[ "$(id -u)" = 0 ] || refuse 3 "test-distro makes a root directory of its own: run it as root"
[ -e "/usr/share/debootstrap/scripts/$release" ] ||
	refuse 3 "debootstrap knows no '$release' (or is not installed)"
git rev-parse -q --verify HEAD >/dev/null || refuse 3 "no commit to clone"
[ -z "$(git status --porcelain --untracked-files=no)" ] ||
	echo "stampede: what is not committed is not tested"

begin=$(date +%s)
private=$(mktemp -d "${TMPDIR:-/var/tmp}/stampede-distro.XXXXXX") || exit 3
root=$private/root
mkdir "$root"
. tests/support/private.sh

: >"$private/said" # or who shows it may be there first
# In the background, so that a signal is heard at once.
setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child=KILL \
	sh "$0" --inside "$root" "$release" "$what" >"$private/said" 2>&1 &
worker=$!
tail -n +1 -f --pid=$worker "$private/said" | if [ -n "$log" ]; then tee "$log"; else cat; fi &
shown=$!
wait $worker
code=$?
worker=
wait $shown
echo "$release: took $(($(date +%s) - begin)) s, exit code $code"
exit $code
