#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs plots and compare, by the name of this file. Python is taken as it was found when this was built, if this
# user may run it: what stands for python3 in PATH (pyenv) takes longer to start.
python=python3
me=$(readlink -f "$0" 2>/dev/null) || me=$0
here=${me%/*}
[ "$1" != --version ] || exec "$here/bench" --version
[ -x "$python" ] || python=python3
case ${me##*/} in compare) main=compare.py ;; *) main=main.py ;; esac
[ -e "$here/../plots/$main" ] && main=$here/../plots/$main || main=$here/tree/plots/$main
exec "$python" -X pycache_prefix="$here/pycache" "$main" "$@"
