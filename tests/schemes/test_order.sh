#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_order.sh BUILD   What compilers may not move around the primitives of schemes/core. TAP.
compilers=
for cc in gcc clang; do
	command -v $cc >/dev/null && compilers="$compilers $cc"
done
if [ "$(uname -m)" != x86_64 ] || [ -z "$compilers" ]; then
	echo "ok 1 - order of accesses # SKIP it reads the x86-64 assembly of gcc and clang"
	echo 1..1
	exit 0
fi
# shellcheck disable=SC2086
exec python3 -B tests/order/order.py $compilers
