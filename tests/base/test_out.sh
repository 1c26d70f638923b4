#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_out.sh BUILD   Where programs write: nothing is destroyed, and what is lost is said. TAP.
build=$1
. tests/support/tap.sh
cd "$scratch" || exit 1
here=$OLDPWD
case $build in /*) ;; *) build=$here/$build ;; esac
storm="./storm --schemes =full_tsc --seconds 0.1"
ln -s "$build/run-stress" storm
whole() { python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1"; }

echo old >target && ln -s target link && ln -s nothing dangling && mkfifo fifo
echo old >narrow && chmod 0640 narrow
$storm --json link >out && [ -L link ] && whole target
report $? "a link stays one; what it points to is replaced"
$storm --json dangling >out && [ -L dangling ] && whole nothing
report $? "a link to nothing: its file is made"
$storm --json narrow >out && whole narrow && [ "$(stat -c %a narrow)" = 640 ]
report $? "the mode stays"
timeout 60 cat fifo >read &
$storm --json fifo >out && wait $! && [ -p fifo ] && whole read
report $? "a FIFO is written to"
$storm --json /dev/stdout >both && grep -q kept both && [ -L /dev/stdout ]
report $? "/dev/stdout as a file"
$storm --json /dev/fd/3 3>third >out && whole third
report $? "/dev/fd/3"
ln -s /etc/passwd ".guessed.tmp.$$.0" && $storm --json guessed >out && whole guessed
report $? "no temporary file is written through a link"
if mknod null c 1 3 2>err && : >null 2>err; then
	$storm --json null >out && [ -c null ]
	report $? "a device stays one"
	"$build/explore" --version >out && mknod full c 1 7 &&
		says "a device that takes nothing" 3 "cannot write full: No space" $storm --json full
	[ -c full ]
	report $? "and stays one"
else
	skip "a device stays one" "no device can be made here"
fi
begin=$(date +%s)
refuses "a folder that is not there, before the run" 3 "cannot write no/where: No such file" \
	"$build/run-stress" --seconds 60 --json no/where
[ $(($(date +%s) - begin)) -lt 30 ]
report $? "not after it"

# Lost output, of every program and of what each only prints.
if [ -c full ] || [ -w /dev/full ]; then
	full=full
	[ -c full ] || full=/dev/full
	lost() { # PROGRAM WORD...
		"$@" >"$full" 2>err
		[ $? -eq 3 ] && [ "$(grep -c '^stampede: cannot write standard output: ' err)" -eq 1 ]
		report $? "lost: ${1##*/} $2"
	}
	for program in bench run-stress compare explore every-scheme judge-tracer read-trace; do
		[ -e "$build/$program" ] || continue
		lost "$build/$program" --help
		lost "$build/$program" --version
	done
	lost "$build/bench" --list
	lost "$build/run-stress" --list
	lost "$build/judge-tracer" --list
	# shellcheck disable=SC2086
	lost $storm
else
	skip "lost output" "no /dev/full"
fi
"$build/bench" --list 2>err | head -1 >out
! grep -v '^stampede: cannot write standard output: ' err
report $? "a reader that stops: one line, or none"

# What ends a program from outside: what was measured is kept, and said.
for signal in TERM HUP INT; do
	"$build/run-stress" --schemes =full_tsc --seconds 60 >out.$signal 2>err.$signal &
	eval "$signal=$!"
done
sleep 1
for signal in TERM HUP INT; do
	eval "kill -$signal \$$signal; wait \$$signal"
	status=$?
	[ $status -eq 5 ]
	report $? "SIG$signal: exit code 5 ($status)"
done
plan
