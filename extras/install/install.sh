#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: install.sh install|uninstall BUILD PREFIX DESTDIR VERSION   Copies what `make install` has built, or removes
# what it copied: PREFIX/share/stampede/files lists it.
set -e
what=$1 build=$2 prefix=$3 root=$4 version=$5
share=$prefix/share/stampede lib=$prefix/lib/stampede list=$4$3/share/stampede/files

if [ "$what" = uninstall ]; then
	[ -f "$list" ] || {
		echo "stampede: nothing is installed in $root$prefix: no $list" >&2
		exit 1
	}
	(cd "$root$prefix" && xargs -d '\n' rm -f <"$list")
	for folder in "$root$share" "$root$lib" "$root$prefix/include/stampede" "$root$prefix/lib/cmake/stampede"; do
		[ ! -d "$folder" ] || find "$folder" -depth -type d -empty -delete
	done
	exit
fi

put() { # MODE FOLDER FILE...
	mode=$1 folder=$root$2
	shift 2
	for one in "$@"; do
		install -D -m "$mode" "$one" "$folder/${one##*/}"
		echo "${folder#"$root$prefix"/}/${one##*/}" >>"$build/files"
	done
}
made() { # FILE SED-WORDS...: from a template
	sed -e "s|@LIB@|$lib|g; s|@SHARE@|$share|g; s|@PREFIX@|$prefix|g; s|@VERSION@|$version|g" "extras/install/$1" \
		>"$build/${1%.in}"
}

: >"$build/files"
for one in main compare; do
	printf '#!/bin/sh\nexec python3 -B "%s/plots/%s.py" "$@"\n' "$share" $one >"$build/installed-$one"
done
for one in stampede.in stampede.pc.in stampede-config.cmake.in; do made "$one"; done
put 755 "$prefix/bin" "$build/stampede"
put 755 "$lib" "$build/bench" "$build/run-stress" "$build/explore" "$build/every-scheme" "$build/judge-tracer"
install -D -m 755 "$build/installed-main" "$root$lib/plots"
install -D -m 755 "$build/installed-compare" "$root$lib/compare"
printf '%s\n' "${lib#"$prefix"/}/plots" "${lib#"$prefix"/}/compare" >>"$build/files"
[ ! -e "$build/read-trace" ] || put 755 "$lib" "$build/read-trace"
rm -rf "$build/packed" && mkdir "$build/packed" && cp "$build"/explored/*.so "$build/packed"
strip -g "$build"/packed/*.so
tar -cJf "$build/explored.tar.xz" --owner=0 --group=0 --mtime=@0 --sort=name -C "$build/packed" .
put 644 "$lib" "$build/explored.tar.xz"
(cd "$root$lib" && strip bench run-stress explore every-scheme judge-tracer && { [ ! -e read-trace ] || strip read-trace; })
(cd "$build/take" && find cortex-m -type f 2>/dev/null) | while read -r one; do
	folder=/$(dirname "$one")
	put 644 "$prefix/include/stampede$folder" "$build/take/$one"
done
for row in $ROWS; do put 644 "$prefix/include/stampede" "$build/take/$row.h" "$build/take/${row}_reader.h" "$build/take/${row}_trace.h"; done
put 644 "$prefix/share/pkgconfig" "$build/stampede.pc"
put 644 "$prefix/lib/cmake/stampede" "$build/stampede-config.cmake"
chmod +x "$build/stampede"
XDG_DATA_HOME='' help2man --no-info --section 1 --manual Stampede --version-string "$version" --output "$build/man/stampede.1" \
	--name "whether a tracer's timestamps are right, and what they cost" "$build/stampede"
put 644 "$prefix/share/man/man1" "$build"/man/*.1
install -D -m 644 runner/completion/stampede.bash "$root$prefix/share/bash-completion/completions/stampede"
echo share/bash-completion/completions/stampede >>"$build/files"
# Data, in the places that they have in the sources.
find plots base/time.h results/columns.def results/machine.py results/reference workloads/gaps schemes/products.def schemes/TEMPLATE.h extras/tracers \
	extras/ci docs README.md -type f ! -path 'plots/example/*' ! -name '*.pyc' | while read -r one; do
	mode=644
	[ ! -x "$one" ] || mode=755
	folder=/$(dirname "$one")
	put $mode "$share${folder%/.}" "$one"
done
install -D -m 644 "$build/files" "$list"
echo share/stampede/files >>"$list"
case $root$prefix in /usr | /usr/local) ;; *) [ -n "$root" ] || printf '%s\n' "For your shell, and for compilers:" \
	"  export PATH=$prefix/bin:\$PATH MANPATH=$prefix/share/man:" "  export PKG_CONFIG_PATH=$prefix/share/pkgconfig:\$PKG_CONFIG_PATH" ;; esac
