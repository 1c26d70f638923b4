#!/bin/sh
# SPDX-License-Identifier: MIT
# The program plots: see plots.py --help. Python is taken as it was found when this was built, if this
# user may run it: what stands for python3 in PATH (pyenv) takes longer to start.
python=python3
me=$(readlink -f "$0" 2>/dev/null) || me=$0
here=${me%/*}
[ "$1" != --version ] || exec "$here/bench" --version
[ -x "$python" ] || python=python3
main=$here/../plots/main.py
[ -e "$main" ] || main=$here/tree/plots/main.py
exec "$python" -X pycache_prefix="$here/pycache" "$main" "$@"
