#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_verdicts.sh BUILD   Verdicts as TAP, JUnit and SARIF, each read by another parser. TAP.
. tests/support/tap.sh
build=$1
verdicts() { python3 -B extras/ci/verdicts.py "$@"; }

mkdir "$scratch/toy"
printf '#!/bin/sh\nexec python3 -B "%s/tests/tracers/toy.py" "$@"\n' "$PWD" >"$scratch/toy/run"
chmod +x "$scratch/toy/run"
printf '{"tracer": "toy <&#>", "version": "1", "workloads": ["steady"], "promises": {"order": {}, "whole": {}}}' \
	>"$scratch/toy/adapter.json"
FAULT=back "$build/judge-tracer" --json "$scratch/toy.json" "$scratch/toy/" >"$scratch/out"
"$build/run-stress" --seconds 0.1 --schemes =full_tsc --json "$scratch/storm.json" >"$scratch/out" 2>&1
python3 - "$scratch" <<-END
	import json, sys
	storm = json.load(open(sys.argv[1] + "/storm.json"))
	for promise, violation in ("exact", "exact"), (None, "losses"):
	    bad = json.loads(json.dumps(storm[0]))
	    bad.update(verdict="broken", first_violation="event 7: the line\x01 of the oracle")
	    bad["violations"][violation] = 3
	    if promise:
	        bad["promises"][promise] = "broken"
	    storm.append(bad)
	json.dump(storm, open(sys.argv[1] + "/storm.json", "w"))
	json.dump([{"trace": "a", "events": 9, "damaged": False, "findings": []},
	           {"trace": "b", "events": 9, "damaged": False, "findings": [
	               {"kind": "back", "offset": 40, "message": "goes back", "file": "b/0"},
	               {"kind": "zero", "offset": None, "message": "is zero"}]}], open(sys.argv[1] + "/lint.json", "w"))
END
set -- "$scratch/toy.json" "$scratch/storm.json" "$scratch/lint.json"
# What each document has: its cases, and how many of them are broken, counted from the documents.
cases=$((6 + 3 * 7 + 3)) broken=$((1 + 2 + 2))
if [ -x "$build/read-trace" ]; then
	printf '[{"ph": "X", "ts": 5, "dur": -2, "pid": 1, "tid": 1}, {"ph": "X", "ts": 9, "dur": 2, "pid": 1, "tid": 1}]' \
		>"$scratch/chrome.json"
	"$build/read-trace" --lint --json "$scratch/real.json" "$scratch/chrome.json" >"$scratch/out"
	printf 'no trace, and long enough for a header' >"$scratch/damaged"
	"$build/read-trace" --lint --json "$scratch/damaged.json" "$scratch/damaged" >>"$scratch/out" 2>&1
	set -- "$@" "$scratch/real.json" "$scratch/damaged.json"
	cases=$((cases + 2)) broken=$((broken + 2))
fi
if [ -e "$build/explored/seed_004.page.so" ]; then
	"$build/explore" --object "$build/explored/seed_004.page.so" --events 2 --nested 1 --before 1 \
		--json "$scratch/search.json" >"$scratch/out" 2>&1
	set -- "$@" "$scratch/search.json"
	cases=$((cases + 1)) broken=$((broken + 1))
fi

verdicts --tap "$scratch/tap" --junit "$scratch/xml" --sarif "$scratch/sarif" "$@"
[ $? -eq 2 ]
report $? "something is broken: exit code 2"
prove -e cat --failures "$scratch/tap" >"$scratch/out" 2>&1
grep -q "Tests: $cases Failed: $broken)" "$scratch/out"
report $? "TAP: prove counts the cases and those that are broken"
python3 - "$scratch" "$cases" "$broken" "$(grep -c '^ok .*# SKIP' "$scratch/tap")" <<-END
	import sys, xml.etree.ElementTree as xml
	cases, broken, skipped = map(int, sys.argv[2:])
	root = xml.parse(sys.argv[1] + "/xml").getroot()
	all = root.findall("testsuite/testcase")
	assert [len(all), len(root.findall(".//failure")), len(root.findall(".//skipped"))] == [cases, broken, skipped]
	for key, count in ("tests", cases), ("failures", broken), ("skipped", skipped):
	    assert sum(int(one.get(key)) for one in root) == count, key
	assert all[0].get("classname") == "toy <&#> 1, steady" and all[0].get("name") == "order"
	assert "earlier than the event before it, by 50" in all[0].find("failure").get("message")
END
report $? "JUnit: the same cases, failures and skips"
name="JUnit: read by python3-junitparser"
if /usr/bin/python3 -c 'import junitparser' 2>/dev/null; then
	/usr/bin/python3 -c "import junitparser, sys
read = junitparser.JUnitXml.fromfile(sys.argv[1])
read.update_statistics()
sys.exit([read.tests, read.failures] != [$cases, $broken])" "$scratch/xml"
	report $? "$name"
else
	skip "$name" "it is not installed"
fi
python3 - "$scratch/sarif" "$cases" "$broken" <<-END
	import json, sys
	log = json.load(open(sys.argv[1]))
	assert log["version"] == "2.1.0"
	all = [one for run in log["runs"] for one in run["results"]]
	assert len(all) == int(sys.argv[2]) and sum(one["level"] == "error" for one in all) == int(sys.argv[3])
	for run in log["runs"]:
	    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
	    assert len(set(rules)) == len(rules)
	    for one in run["results"]:
	        assert one["ruleId"] in rules and one["message"]["text"]
	        # 3.27.9, 3.27.10: only what fails has a level.
	        assert (one["kind"] == "fail") == (one["level"] != "none")
	        place = one["locations"][0]["physicalLocation"]
	        assert place["artifactLocation"]["uri"] and place["region"]
	places = [one["locations"][0]["physicalLocation"] for one in all]
	assert {"artifactLocation": {"uri": "b/0"}, "region": {"byteOffset": 40}} in places
END
report $? "SARIF: the same results, each with a rule, a place and a level"
verdicts --sarif - --at src/mine.c "$scratch/toy.json" | grep -c '"uri": "src/mine.c"' | grep -qx 6
report $? "--at names the file of all results"
sed -n 's/^        //p' extras/ci/action.yml >"$scratch/action"
mkdir "$scratch/workspace"
(unset MAKEFLAGS MAKELEVEL MFLAGS && cd "$scratch/workspace" && FAULT=back PACKAGES=present ADAPTER="$scratch/toy/" OPTIONS="--rounds 1" AT=src/mine.c \
	GITHUB_ACTION_PATH="$OLDPWD/extras/ci" bash -e "$scratch/action") >"$scratch/out" 2>&1
[ $? -eq 2 ] && grep -q '^not ok 1 ' "$scratch/out" && grep -q src/mine.c "$scratch/workspace/judged.sarif" &&
	[ -s "$scratch/workspace/judged.xml" ]
report $? "the action's script, as far as it can be tried here"
printf '[{"trace": "a", "events": 9, "damaged": false, "findings": []}]' >"$scratch/kept.json"
verdicts "$scratch/kept.json" >"$scratch/out" &&
	printf 'TAP version 13\n1..1\nok 1 - read-trace: a: times\n' | cmp -s - "$scratch/out"
report $? "nothing is broken: exit code 0, and TAP by default"
head -c 50 "$scratch/toy.json" >"$scratch/cut.json"
echo '[{"row": "x"}]' >"$scratch/other.json"
says "a JSON that is cut" 1 'cut.json: ' python3 -B extras/ci/verdicts.py "$scratch/cut.json"
says "a JSON of something else" 1 'other.json: no verdict of' python3 -B extras/ci/verdicts.py "$scratch/other.json"
says "no JSON" 1 'which JSON' python3 -B extras/ci/verdicts.py
says "a place that cannot be written" 1 '/none/x' python3 -B extras/ci/verdicts.py --tap /none/x "$scratch/kept.json"
plan
