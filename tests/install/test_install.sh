#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_install.sh BUILD   What make install copies, from this build: it runs, compiles, and goes again. TAP.
. tests/support/tap.sh
built=$1
build=$scratch/build
prefix=$scratch/usr
export HOME="$scratch/home" XDG_DATA_HOME= XDG_CACHE_HOME=
mkdir -p "$build/explored" "$build/take" "$build/man" "$HOME"
for one in bench run-stress explore every-scheme compare judge-tracer; do ln -s "$PWD/$built/$one" "$build/$one"; done
[ ! -e "$built/read-trace" ] || ln -s "$PWD/$built/read-trace" "$build/read-trace"
cp "$built"/explored/seed_00*.so "$build/explored/" 2>/dev/null || echo | cc -shared -x c - -o "$build/explored/none.so"
printf '#define STAMPEDE_TAKEN 7\n' >"$build/take/packed_word.h"
printf '#include "packed_word.h"\n' | tee "$build/take/packed_word_reader.h" >"$build/take/packed_word_trace.h"
: >"$build/man/stampede-bench.1"
if ! command -v help2man strip >/dev/null; then
	skip "make install" "no help2man"
	plan
	exit
fi
install() { ROWS=packed_word sh extras/install/install.sh "$1" "$build" "$prefix" "" 1.0; }

install install >"$scratch/out" 2>&1 && [ "$(grep -c "PATH=$prefix/" "$scratch/out")" = 2 ] && ! grep -q "$HOME" "$build/man/stampede.1"
report $? "installed; it says which paths a shell needs, and no page has the builder's home"
stampede=$prefix/bin/stampede
"$stampede" run-stress --seconds 0.1 --schemes =full_tsc >"$scratch/out" 2>&1
report $? "a program runs"
"$stampede" bench --which bytes >"$scratch/out" && grep -q 'take varint_low' "$scratch/out"
report $? "the answer is that of the references, which are installed"
"$stampede" bench --schemes none >"$scratch/out" 2>&1
[ -d "$HOME/.local/share/stampede" ]
report $? "records go into the user's own folder"
XDG_DATA_HOME=$scratch/data "$stampede" bench --schemes none >"$scratch/out" 2>&1
[ -d "$scratch/data/stampede" ]
report $? "or where XDG_DATA_HOME says"
printf '[{"trace": "a", "events": 9, "damaged": false, "findings": []}]' | tee "$scratch/kept.json" >"$scratch/out"
"$stampede" verdicts "$scratch/kept.json" | grep -q '^ok 1'
report $? "verdicts"
"$stampede" --help | grep -q "^  judge-tracer "
report $? "help"
for one in bench compare run-stress explore every-scheme judge-tracer; do
	"$stampede" $one --help >"$scratch/out" && grep -q "^usage: stampede $one" "$scratch/out" && ! grep -q "build/\|^usage: $one" "$scratch/out"
	report $? "help of $one has the name by which it is called"
	grep -n "build/" "$scratch/out" | head -3 | sed 's/^/# /'
done
"$stampede" take packed_word "$HOME" >/dev/null && cmp -s "$HOME/packed_word_trace.h" "$build/take/packed_word_trace.h"
report $? "take copies a row's headers"
[ "$("$stampede" take --help | sed -n 's/^rows: //p')" = packed_word ] && "$stampede" take ROW=packed_word "$HOME" >/dev/null && ! "$stampede" take 2>"$scratch/err" &&
	grep -q '^usage: stampede take ROW' "$scratch/err"
report $? "take --help, take alone, and ROW= as in make"
says "a header that is not there" 1 "no header of 'packed_wrod' is installed; there are packed_word" "$stampede" take packed_wrod
says "a home that cannot be written" 3 "set XDG_DATA_HOME to a folder of yours" env HOME=/proc/none "$stampede" bench --quick
says "nor unpacked into" 3 "set XDG_CACHE_HOME" env HOME=/proc/none "$stampede" explore
"$stampede" explore --list >"$scratch/out" 2>&1
[ -d "$HOME/.cache/stampede/explored-1.0" ]
report $? "the explored rows are unpacked once"
bash -c '. "$1/share/bash-completion/completions/stampede"; PATH=$1/bin:$PATH; COMP_WORDS=(stampede judge) COMP_CWORD=1
	_stampede_command; [ "${COMPREPLY[*]}" = judge-tracer ] || exit; COMP_WORDS=(stampede bench --quic) COMP_CWORD=2
	_stampede_command; [ "${COMPREPLY[*]}" = --quick ] || exit; COMP_WORDS=(stampede take pa)
	_stampede_command; [ "${COMPREPLY[*]}" = packed_word ] || exit; ! complete -p compare 2>/dev/null && complete -p stampede >/dev/null' - "$prefix"
report $? "stampede <TAB>, and no other program's name"
says "a command that is not there" 1 "'benhc' is no command; nearest is 'bench'" "$stampede" benhc
printf '#include <stampede/packed_word_trace.h>\nint main(void) { return STAMPEDE_TAKEN; }\n' >"$scratch/taken.c"
# shellcheck disable=SC2046
cc "$scratch/taken.c" $(PKG_CONFIG_PATH=$prefix/share/pkgconfig pkg-config --cflags --libs stampede) -o "$scratch/taken"
"$scratch/taken"
[ $? -eq 7 ]
report $? "a header by pkg-config"
grep -q '"'"$prefix"'/include"' "$prefix/lib/cmake/stampede/stampede-config.cmake" && ! grep -rq '@[A-Z]*@' "$prefix"/lib/cmake \
	"$prefix/share/pkgconfig" "$stampede"
report $? "nothing of a template is left"
(cd "$prefix" && find . -type f | sed 's|^\./||' | sort) >"$scratch/there"
sort "$prefix/share/stampede/files" | diff - "$scratch/there" >"$scratch/out"
report $? "each file is listed"
sed 's/^/# /' "$scratch/out"
install uninstall && [ -z "$(find "$prefix" -type f)" ] && [ ! -d "$prefix/share/stampede" ]
report $? "and goes again"
says "nothing to uninstall" 1 'nothing is installed in' sh extras/install/install.sh uninstall "$build" "$prefix" "" 1.0
plan
