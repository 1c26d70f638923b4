#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_kernel_verdict.sh BUILD   The judge of make reproduce-kernel on recorded captures of
# Linux 6.12.117 and on damaged ones, the page, and what the driver says without its tools. TAP.
build=$1
data=tests/data/kernel
. tests/support/tap.sh

# judges NAME CODE PATTERN ARGS...: that exit code, and PATTERN in the JSON
judges() {
	name=$1 code=$2 pattern=$3
	shift 3
	rm -f "$scratch/json"
	"$build/kernel-verdict" --json "$scratch/json" "$@" >"$scratch/out" 2>"$scratch/err"
	got=$?
	[ $got -eq "$code" ] && [ ! -s "$scratch/err" ] && grep -q "$pattern" "$scratch/json"
	report $? "$name"
}

verdict=$build/kernel-verdict
judges "lost wraps" 0 '"wraps_low": 22' $data/forced-shown.capture
grep -q '"fits_ns": 20959456618' "$scratch/json"
report $? "the time that fits"
grep -q '"kernel_text_ns": 18006667000' "$scratch/json"
report $? "the kernel's own text is wrong, too"
grep -q 'marker 26126, .*<-- wrong' "$scratch/out"
report $? "timeline"
judges "the debugger agrees" 0 '"agrees": true' \
	--witness 20959456618,3034633823,2619001834 $data/forced-shown.capture
judges "the debugger does not agree" 0 '"agrees": false' \
	--witness 20959456619,3034633823,2619001834 $data/forced-shown.capture
judges "short handler" 1 '"wrong_time": false' $data/control-not-shown.capture
judges "short handler: the debugger agrees" 1 '"agrees": true' \
	--witness 10610617760,69542446,2225358282 $data/control-not-shown.capture
judges "short handler: the debugger does not agree" 1 '"agrees": false' \
	--witness 10610617761,69542446,2225358282 $data/control-not-shown.capture
judges "time goes back over a page's end" 0 '"kind": "backwards"' $data/crossing-shown.capture
judges "both readers agree" 0 '"reader_differences": 0' $data/crossing-shown.capture

head -c 5000 $data/forced-shown.capture >"$scratch/cut"
says "cut off" 2 "ends " $verdict "$scratch/cut"
sed '$d' $data/forced-shown.capture >"$scratch/noend"
says "without its end" 2 'before the guest said "end"' $verdict "$scratch/noend"
sed '1d' $data/forced-shown.capture >"$scratch/foreign"
says "no capture" 2 "not a capture" $verdict "$scratch/foreign"
says "no file" 2 "cannot read .*/none: No such file" $verdict "$scratch/none"
sed '/^page A/{n;s/^.\{200\}/&x/;s/.$//}' $data/forced-shown.capture >"$scratch/digit"
says "not hexadecimal" 2 "not a hexadecimal digit" $verdict "$scratch/digit"
# The header has 32 digits; then comes the first record, whose type becomes a large one.
sed '/^page A/{n;s/^\(.\{32\}\)../\100/}' $data/forced-shown.capture >"$scratch/record"
says "broken record" 2 "broken record" $verdict "$scratch/record"
sed 's/int irq;\toffset:8;/int irq;\toffset:9;/' $data/forced-shown.capture >"$scratch/fields"
says "fields elsewhere" 2 "fields in other places" $verdict "$scratch/fields"
says "bad witness" 2 "takes TS,DELTA,HEADER" $verdict --witness 1,2 $data/forced-shown.capture
says "full disk" 2 "cannot write /dev/full" \
	$verdict --json /dev/full $data/forced-shown.capture

mkdir "$scratch/page"
cat >"$scratch/page/kernel.json" <<'END'
{"mode": "<script>", "release": "1", "exhibits": [{"mode": "forced", "outcome": "shown",
"verdict": {"wrong": {"decoded_ns": 5, "fits_ns": 134217733, "wraps_low": 1}}}]}
END
"$build/kernel-page" "$scratch/page" && grep -q 'MODE=&lt;script&gt;' "$scratch/page/report.html" &&
	grep -q '134,217,733 ns</strong>: 1 wraps' "$scratch/page/report.html"
report $? "page of a record"
echo '{' >"$scratch/page/kernel.json"
says "broken record's page" 1 "kernel.json: " "$build/kernel-page" "$scratch/page"

python=$(python3 -c "import sys; print(sys.executable)")
reproduce="$python -B tests/kernel/reproduce.py --build $build --results $scratch"
if $python -c 'import argparse, json, ctypes' 2>/dev/null; then
	says "without tools" 77 "missing: qemu-system-x86_64 gdb cpio" \
		env PATH="$scratch" $reproduce
	says "unknown mode" 2 "invalid choice: 'fast'" $reproduce --mode fast
	says "no runs" 2 "--runs: at least one" $reproduce --runs 0
	mkdir "$scratch/bin"
	for tool in qemu-system-x86_64 gdb cpio; do ln -s /bin/false "$scratch/bin/$tool"; done
	says "no such image" 2 "no such kernel image: /none" \
		env PATH="$scratch/bin:$PATH" $reproduce --kernel /none
else
	skip "the driver's refusals" "python3-minimal has no argparse"
fi

# make -n only says what it would do.
mkdir "$scratch/fakes"
for tool in python3 apt-get dpkg-query; do
	printf '#!/bin/sh\necho %s >>"%s/ran"\nexit 1\n' $tool "$scratch" >"$scratch/fakes/$tool"
	chmod +x "$scratch/fakes/$tool"
done
env PATH="$scratch/fakes:$PATH" make -n BUILD="$build" reproduce-kernel >"$scratch/out" 2>&1
[ $? -eq 0 ] && grep -q reproduce.py "$scratch/out" && [ ! -e "$scratch/ran" ]
report $? "make -n reproduce-kernel runs nothing"
plan
