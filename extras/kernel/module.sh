#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: module.sh OUT "row header defines" ...
# Writes into OUT what Kbuild needs: a file per object, which includes its source here, and the list
# of them. Rows that are compiled from one source differ by the flags on their command line.
set -eu
out=$1
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$out"
put() { # file, from standard input; what is the same stays, with its time
	if cmp -s - "$out/$1" <"$out/.new"; then rm "$out/.new"; else mv "$out/.new" "$out/$1"; fi
}
of() { # object source
	printf '#include "%s"\n' "$2" >"$out/.new" && put "$1.c"
}
# What is said of the first byte needs an instruction to be said of.
edge() { # begin|end, more
	printf '#include <linux/objtool.h>\n__asm__(".pushsection reserve_text, \\"ax\\"\\n"\n'
	printf '\t".globl stampede_reserve_%s\\nstampede_reserve_%s:\\n"%s\n' "$1" "$1" "$2"
	printf '\t".popsection\\n");\n'
}
mkdir -p "$out/shim"
for name in stdbool stddef stdint stdio string time cpuid; do # what the C library has under these names
	printf '#include "extras/kernel/shim/shim.h"\n' >"$out/.new" && put "shim/$name.h"
done
for source in module side price rows; do of "$source" "extras/kernel/$source.c"; done
of ring schemes/core/ring.c
of clock schemes/core/clock.c
of mask schemes/parts/mask.c
of loss judge/loss.c
edge begin ' ANNOTATE_NOENDBR "nop\n"' >"$out/.new" && put reserve_begin.c
edge end '' >"$out/.new" && put reserve_end.c
objects=
flags=
rows=
for line; do
	row=${line%% *} rest=${line#* }
	header=${rest%% *} defines=${rest#* }
	[ "$defines" != "$rest" ] || defines=
	for build in checked timed; do
		of "${build}_$row" extras/kernel/row.c
		objects="$objects ${build}_$row.o"
		flags="${flags}CFLAGS_${build}_$row.o := -DROW=$row -DSTAMPEDE_$(echo $build | tr a-z A-Z) \\
	-DSCHEME_HEADER='\"schemes/$header.h\"' $defines
"
	done
	rows="${rows}X($row)
"
done
printf '%s' "$rows" >"$out/.new" && put rows.inc
cat >"$out/.new" <<END
# written by extras/kernel/module.sh
obj-m := stampede.o
stampede-y := reserve_begin.o module.o side.o price.o rows.o ring.o clock.o mask.o loss.o$objects reserve_end.o
ccflags-y := -I$root -I$root/extras/kernel/shim -I\$(src)/shim -I\$(src)
$flags
END
put Kbuild
