#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: packages.sh PACKAGE...
# Makes sure that the Debian packages named as arguments are there: installs what is missing as root
# or by sudo without a password, otherwise prints the one command that would. Where there is no apt
# it prints the command of that system, with its own names. PACKAGES=present in the environment says
# that all are there, however they came. Exit code 3: something is missing.

# Debian's name, then those of dnf (Fedora), zypper (openSUSE), pacman (Arch) and apk (Alpine), as of
# 2026; - where none is known.
names='
gcc                 gcc                    gcc                 gcc            gcc,musl-dev,linux-headers
gcc-12              -                      -                   -              -
binutils            binutils               binutils            binutils       binutils
g++                 gcc-c++                gcc-c++             gcc            g++
make                make                   make                make           make
git                 git                    git                 git            git
python3             python3                python3             python         python3
pkg-config          pkgconf-pkg-config     pkgconf-pkg-config  pkgconf        pkgconf
patch               patch                  patch               patch          patch
libbenchmark-dev    google-benchmark-devel benchmark-devel     benchmark      benchmark-dev
libbenchmark-tools  google-benchmark       -                   -              -
libhwloc-dev        hwloc-devel            hwloc-devel         hwloc          hwloc-dev
libjansson-dev      jansson-devel          libjansson-devel    jansson        jansson-dev
libxxhash-dev       xxhash-devel           xxhash-devel        xxhash         xxhash-dev
unifdef             unifdef                unifdef             -              unifdef
universal-ctags     ctags                  ctags               ctags          ctags
gnuplot-nox         gnuplot                gnuplot             gnuplot        gnuplot
fontconfig          fontconfig             fontconfig          fontconfig     fontconfig
fonts-dejavu-core   dejavu-sans-fonts      dejavu-fonts        ttf-dejavu     font-dejavu
libcmocka-dev       libcmocka-devel        libcmocka-devel     cmocka         cmocka-dev
libtraceevent-dev   libtraceevent-devel    libtraceevent-devel libtraceevent  libtraceevent-dev
libbabeltrace2-dev  libbabeltrace2-devel   -                   babeltrace     -
python3-jinja2      python3-jinja2         python3-Jinja2      python-jinja   py3-jinja2
python3-scipy       python3-scipy          python3-scipy       python-scipy   py3-scipy
python3-clang       python3-clang          python3-clang       -              -
chromium            chromium               chromium            chromium       chromium
hyperfine           hyperfine              hyperfine           hyperfine      hyperfine
help2man            help2man               help2man            help2man       help2man
clang               clang                  clang               clang          clang
libclang-rt-dev     compiler-rt            clang               compiler-rt    compiler-rt
lttng-tools         lttng-tools            lttng-tools         lttng-tools    lttng-tools
liblttng-ust-dev    lttng-ust-devel        lttng-ust-devel     lttng-ust      lttng-ust-dev
qemu-system-x86     qemu-system-x86        qemu-x86            qemu-system-x86 qemu-system-x86_64
gdb                 gdb                    gdb                 gdb            gdb
cpio                cpio                   cpio                cpio           cpio
flex                flex                   flex                flex           flex
bison               bison                  bison               bison          bison
bc                  bc                     bc                  bc             bc
libelf-dev          elfutils-libelf-devel  libelf-devel        libelf         elfutils-dev
xz-utils            xz                     xz                  xz             xz
babeltrace2         babeltrace2            babeltrace          babeltrace     babeltrace
man-db              man-db                 man                 man-db         mandoc
procps              procps-ng              procps              procps-ng      procps
gcc-aarch64-linux-gnu gcc-aarch64-linux-gnu - aarch64-linux-gnu-gcc -
qemu-user-static    qemu-user-static       qemu-linux-user     qemu-user-static qemu-aarch64
libc6-dev-arm64-cross - - aarch64-linux-gnu-glibc -
clang-format        clang-tools-extra      clang               clang          clang-extra-tools
gcc-arm-none-eabi   arm-none-eabi-gcc-cs   cross-arm-none-gcc13 arm-none-eabi-gcc gcc-arm-none-eabi
gcc-riscv64-unknown-elf - - riscv64-elf-gcc -
qemu-system-arm     qemu-system-arm        qemu-arm            qemu-system-arm qemu-system-arm
qemu-system-misc    qemu-system-riscv      qemu-extra          qemu-system-riscv qemu-system-riscv32
python3-barectf     -                      -                   -              -
libdpdk-dev         dpdk-devel             dpdk-devel          dpdk           dpdk-dev
linux-source        -                      -                   -              -
sqlite3             sqlite                 sqlite3             sqlite         sqlite
redis-tools         redis                  redis               redis          redis
debhelper           -                      -                   -              -
fakeroot            fakeroot               fakeroot            fakeroot       fakeroot
build-essential     -                      -                   -              -
python3-junitparser python3-junitparser    python3-junitparser -              -
python3-capstone    python3-capstone       python3-capstone    python-capstone py3-capstone
debootstrap         debootstrap            debootstrap         debootstrap    debootstrap
slurmctld           slurm-slurmctld        slurm               -              -
slurmd              slurm-slurmd           slurm-node          -              -
slurm-client        slurm                  slurm               -              -
munge               munge                  munge               -              -
parallel            parallel               gnu_parallel        parallel       parallel
openssh-client      openssh-clients        openssh-clients     openssh        openssh-client
'

[ "${PACKAGES:-}" = present ] && exit 0

# own COLUMN PACKAGE...: that column's names, each once; Debian's, in (), where there is none.
own() {
	column=$1
	shift
	for package in "$@"; do
		name=$(echo "$names" | awk -v name="$package" -v column="$column" \
			'$1 == name { gsub(",", "\n", $column); print $column }')
		case $name in
		'' | -) echo "($package)" ;;
		*) echo "$name" ;;
		esac
	done | awk '!seen[$0]++'
}

# elsewhere COLUMN "IS IT THERE?" "INSTALL" PACKAGE...: ends the script.
elsewhere() {
	column=$1 there=$2 install=$3 missing='' unknown=''
	shift 3
	for name in $(own "$column" "$@"); do
		case $name in
		'('*) unknown="$unknown $name" ;;
		*) $there "$name" >/dev/null 2>&1 || missing="$missing $name" ;;
		esac
	done
	if [ -n "$missing" ]; then
		echo "stampede: packages are missing; as root, run: $install$missing" >&2
		exit 3
	fi
	# The build says what it lacks of these.
	[ -z "$unknown" ] || echo "stampede: no package of this system is known for Debian's$unknown"
	exit 0
}

if ! command -v apt-get >/dev/null; then
	if command -v dnf >/dev/null; then
		elsewhere 2 'rpm -q --whatprovides' 'dnf install -y' "$@"
	elif command -v zypper >/dev/null; then
		elsewhere 3 'rpm -q --whatprovides' 'zypper --non-interactive install' "$@"
	elif command -v pacman >/dev/null; then
		elsewhere 4 'pacman -T' 'pacman -S --needed --noconfirm' "$@"
	elif command -v apk >/dev/null; then
		elsewhere 5 'apk info -e' 'apk add' "$@"
	fi
	echo "stampede: no apt-get, dnf, zypper, pacman or apk here; install the counterparts of: $*;" \
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
	DEBIAN_FRONTEND=noninteractive $as_root apt-get -o DPkg::Lock::Timeout=300 "$@"
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
