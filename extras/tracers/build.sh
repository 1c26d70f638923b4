# SPDX-License-Identifier: MIT
# For an adapter's `run`: what it needs, and its program, made once in the build folder.
top=$(cd "$(dirname "$0")/../../.." && pwd)
here=${0%/*}
case ${BUILD:-/} in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
made=${BUILD:-$top/build}/tracers/$(basename "$here")
mkdir -p "${made%/*}"

# needs PACKAGE THING...: ends with 4 if a command, a file or a header (with .h) is not there.
needs() {
	package=$1
	shift
	for one in "$@"; do
		[ -e "$one" ] || command -v "$one" >/dev/null ||
			{ [ "${one%.h}" != "$one" ] && echo "#include <$one>" | g++ -x c++ -E - >/dev/null 2>&1; } || {
			echo "stampede: ${here##*/} is not judged: no $one (package $package)" >&2
			exit 4
		}
	done
}

# program COMPILER SOURCE... [-FLAG...]: $made, if a source is newer than it.
program() {
	compiler=$1
	shift
	# In the folder, so that no path has the tree's, in which there may be a space.
	(
		cd "$top/extras/tracers" || exit
		sources=
		for one in "$@"; do case $one in -*) ;; *) sources="$sources $one" ;; esac done
		# shellcheck disable=SC2086
		[ -n "$(find $sources ./*.h -newer "$made" 2>/dev/null || echo new)" ] || exit 0
		"$compiler" -O2 -g -D_GNU_SOURCE -I"$top" "$@" -o "$made.new" && mv "$made.new" "$made"
	)
}

# driven COMPILER SOURCE... [-FLAG...]: the same with driver.c, which is C.
driven() {
	for part in driver every; do
		[ "$made.$part.o" -nt "$top/extras/tracers/$part.c" ] ||
			gcc -O2 -g -fno-plt -D_GNU_SOURCE -I"$top" -c "$top/extras/tracers/$part.c" -o "$made.$part.o" || return
		[ "$made" -nt "$made.$part.o" ] || rm -f "$made"
	done
	program "$@" -pthread "-Wl,$made.driver.o,$made.every.o"
}

# every FOLDER WORKLOAD: for `every`, the clocks of what is started from here on are a word of FOLDER/page.
every() {
	case $2 in every*) ;; *) return 0 ;; esac
	head -c 4096 /dev/zero >"$1/page"
	gcc -O2 -g -D_GNU_SOURCE -I"$top" -shared -fPIC "$top/extras/tracers/vclock.c" -o "$1/vclock.so" || return
	export EVERY_PAGE="$1/page" LD_PRELOAD="$1/vclock.so"
}

# stepped FOLDER WORKLOAD: for `step`, FOLDER/clock has the seconds by which the wall clock is off.
stepped() {
	[ "$2" = step ] || return 0
	faketime=$(echo /usr/lib/*/faketime/libfaketime.so.1)
	needs libfaketime "$faketime"
	echo +0.0 >"$1/clock"
	export LD_PRELOAD="$faketime" FAKETIME_TIMESTAMP_FILE="$1/clock" FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1
}
