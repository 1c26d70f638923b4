#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: prepare.sh OUT   Linux's ring buffer as Debian ships it (package linux-source-6.1 or another,
# or LINUX_SOURCE=DIR, a tree of one's own), and headers of the kernel's that are empty: kernel.c has
# what they would declare.
set -e
out=$1
if [ -z "${LINUX_SOURCE:-}" ]; then
	archive=$(ls /usr/src/linux-source-*.tar.xz 2>/dev/null | tail -1)
	[ -n "$archive" ] || {
		echo "stampede: no /usr/src/linux-source-*.tar.xz (package linux-source-6.1)" >&2
		exit 69
	}
	name=$(basename "$archive" .tar.xz)
	LINUX_SOURCE=$out/$name
	[ -f "$LINUX_SOURCE/kernel/trace/ring_buffer.c" ] ||
		tar -C "$out" -xJf "$archive" "$name/kernel/trace/ring_buffer.c" "$name/include/linux/ring_buffer.h"
fi
mkdir -p "$out/kernel/linux" "$out/kernel/asm"
cp "$LINUX_SOURCE/kernel/trace/ring_buffer.c" "$LINUX_SOURCE/include/linux/ring_buffer.h" "$out/kernel"
mv "$out/kernel/ring_buffer.h" "$out/kernel/linux"
sed -n 's/^#include <\(linux\|asm\)\(\/[^>]*\)>.*/\1\2/p' "$out/kernel/ring_buffer.c" "$out/kernel/linux/ring_buffer.h" |
	grep -v 'linux/ring_buffer.h' | while read -r header; do
	mkdir -p "$out/kernel/$(dirname "$header")"
	: >"$out/kernel/$header"
done
echo "-I$out/kernel -fno-strict-aliasing -USHAPE_SUBBUF_SHIFT -DSHAPE_SUBBUF_SHIFT=12 -USHAPE_BITS -DSHAPE_BITS=27"
