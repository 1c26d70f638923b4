#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_machine.sh BUILD   What make test-machine refuses; it itself is no part of make test. TAP.
. tests/support/tap.sh

refuses "no machine" 1 "make test-machine MACHINE=arm64" sh tests/machines/machine.sh
refuses "no such machine" 1 "make test-machine MACHINE=arm64" sh tests/machines/machine.sh vax
refuses "no such step" 1 "'bench' is no step: build, tests" sh tests/machines/machine.sh arm64 tests bench
mkdir "$scratch/bin"
for tool in sed cat; do
	printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v $tool)" >"$scratch/bin/$tool"
	chmod +x "$scratch/bin/$tool"
done
for machine in arm64:aarch64-linux-gnu armhf:arm-linux-gnueabihf i386:i686-linux-gnu \
	riscv64:riscv64-linux-gnu; do
	refuses "${machine%:*} without a compiler" 3 \
		"no ${machine#*:}-gcc: apt-get install gcc-${machine#*:}" \
		env PATH="$scratch/bin" /bin/sh tests/machines/machine.sh "${machine%:*}"
done
plan
