#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tree.sh DIR   A copy of the sources that explored rows and storms are made of, for a patch
# to change: `make TREE=DIR` then builds from it. What is not changed keeps its age.
set -eu
mkdir -p "$1/extras"
cp -rp base schemes traces judge workloads explore "$1"
cp -rp extras/kernel "$1/extras"
