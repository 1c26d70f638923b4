#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: prepare.sh OUT   Says where DPDK's headers are, which have all of its fast path.
pkg-config --exists libdpdk || {
	echo "stampede: no libdpdk (package libdpdk-dev)" >&2
	exit 69
}
pkg-config --cflags-only-I libdpdk
echo "-DALLOW_EXPERIMENTAL_API -USHAPE_BITS -DSHAPE_BITS=47"
