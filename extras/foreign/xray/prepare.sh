#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: prepare.sh OUT   LLVM XRay's runtime from LLVM's source as Debian ships it, in /usr/src; or from
# XRAY_SOURCE=DIR, a compiler-rt tree of one's own.
set -e
out=$1
if [ -z "${XRAY_SOURCE:-}" ]; then
	archive=$(ls /usr/src/llvm-toolchain-*.orig.tar.xz 2>/dev/null | tail -1)
	[ -n "$archive" ] || {
		echo "stampede: no /usr/src/llvm-toolchain-*.orig.tar.xz (package llvm-toolchain-14, its source:" \
			"cd /usr/src && apt-get source --download-only llvm-toolchain-14)" >&2
		exit 69
	}
	XRAY_SOURCE=$out/compiler-rt
	[ -f "$out/unpacked" ] || tar -C "$out" --strip-components=1 -xJf "$archive" --wildcards \
		'*/compiler-rt/include/*' '*/compiler-rt/lib/xray/*' '*/compiler-rt/lib/sanitizer_common/*'
	touch "$out/unpacked"
fi
echo "-I$XRAY_SOURCE/lib -I$XRAY_SOURCE/lib/xray -I$XRAY_SOURCE/include -USHAPE_BITS -DSHAPE_BITS=31"
