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
END
set -- "$scratch/toy.json" "$scratch/storm.json" tests/data/verdicts_lint.json
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
# A name for each case, as a CI takes two of one name for one: where it is in the trace. A path of any kind.
verdicts --tap "$scratch/tap2" --junit "$scratch/xml2" --sarif "$scratch/sarif2" tests/data/verdicts_places.json
python3 - "$scratch" <<-'END'
	import json, re, sys, urllib.parse, xml.etree.ElementTree as xml
	tap = open(sys.argv[1] + "/tap2").read()
	assert "not ok 3 - read-trace: a b/ä.json: zero (pid 7 tid 9: event 2)\n# negative; time -2, before it 5\n" in tap, tap
	assert "zero (more)\n# 140 more of 150\n" in tap and "# damaged: it ends early\n" in tap
	cases = xml.parse(sys.argv[1] + "/xml2").getroot().findall("testsuite/testcase")
	names = [(one.get("classname"), one.get("name")) for one in cases]
	assert len(set(names)) == len(names) == 14, names
	all = [one for run in json.load(open(sys.argv[1] + "/sarif2"))["runs"] for one in run["results"]]
	places = [one["locations"][0]["physicalLocation"] for one in all]
	# RFC 3986: only these, and % with two digits; no colon in the first part of a relative one.
	for one in places:
	    uri = one["artifactLocation"]["uri"]
	    assert re.fullmatch(r"(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})+", uri, re.A), uri
	    assert uri.startswith("file:///") or ":" not in uri.split("/")[0], uri
	assert [urllib.parse.unquote(one["artifactLocation"]["uri"]) for one in places[:13:12]] == ["a b/ä.json", "file:///tmp/#1:2%.raw"]
	assert places[12]["region"] == {"byteOffset": 4096} and places[11]["region"] == {"byteOffset": 77}
	assert names[13] == ("ctf", "back (ch_0: event 9)") and places[13]["artifactLocation"]["uri"] == "ctf/ch_0"
	assert all[2]["message"]["text"] == "a b/ä.json: broken: pid 7 tid 9: event 2: negative; time -2, before it 5"
END
report $? "each finding keeps its place, the others are counted, and any path is a URI"
name="SARIF: read by python3-sarif-python-om"
if /usr/bin/python3 -c 'import sarif_om' 2>/dev/null; then
	/usr/bin/python3 - "$scratch/sarif" "$scratch/sarif2" <<-'END'
		import json, re, sys, sarif_om as om
		# Of each property the class that its schema has for it; any other is an error.
		classes = {"runs": om.Run, "tool": om.Tool, "driver": om.ToolComponent, "rules": om.ReportingDescriptor,
		           "results": om.Result, "message": om.Message, "locations": om.Location, "region": om.Region,
		           "physicalLocation": om.PhysicalLocation, "artifactLocation": om.ArtifactLocation}
		def build(one, cls):
		    known = {field.metadata["schema_property_name"]: field.name for field in cls.__attrs_attrs__}
		    return cls(**{known[key]: [build(part, classes[key]) for part in value] if isinstance(value, list) else
		                  build(value, classes[key]) if isinstance(value, dict) else value for key, value in one.items()})
		for path in sys.argv[1:]:
		    log = build({key: value for key, value in json.load(open(path)).items() if key != "\$schema"}, om.SarifLog)
		    assert all(one.rule_id and one.kind in ("pass", "fail", "notApplicable") and one.level in ("none", "error")
		               and one.message.text for run in log.runs for one in run.results)
	END
	report $? "$name"
else
	skip "$name" "it is not installed"
fi
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
	assert {str(one["region"]) for one in places if "byteOffset" not in one["region"]} == {"{'startLine': 1}"}
END
report $? "SARIF: the same results, each with a rule, a place and a level"
verdicts --sarif - --at src/mine.c "$scratch/toy.json" | grep -c '"uri": "src/mine.c"' | grep -qx 6
report $? "--at names the file of all results"
[ ! -e - ]
report $? "- is standard output, and no file"
shows "--help says how" 'usage: verdicts.py' python3 -B extras/ci/verdicts.py --help
sed -n 's/^        //p' extras/ci/action.yml >"$scratch/action"
mkdir "$scratch/workspace"
(unset MAKEFLAGS MAKELEVEL MFLAGS && export BUILD="$build" && cd "$scratch/workspace" && FAULT=back PACKAGES=present ADAPTER="$scratch/toy/" OPTIONS="--rounds 1" AT=src/mine.c \
	GITHUB_ACTION_PATH="$OLDPWD/extras/ci" bash -e "$scratch/action") >"$scratch/out" 2>&1
[ $? -eq 2 ] && grep -q '^not ok 1 ' "$scratch/out" && grep -q src/mine.c "$scratch/workspace/judged.sarif" &&
	[ -s "$scratch/workspace/judged.xml" ]
report $? "the action's script, as far as it can be tried here"
printf '[{"trace": "a", "events": 9, "damaged": false, "findings": []}]' >"$scratch/kept.json"
verdicts "$scratch/kept.json" >"$scratch/out" &&
	printf 'TAP version 13\n1..1\nok 1 - read-trace: a: times\n' | cmp -s - "$scratch/out"
report $? "nothing is broken: exit code 0, and TAP by default"
verdicts - <"$scratch/kept.json" | cmp -s - "$scratch/out"
report $? "- is standard input"
(echo before; verdicts "$scratch/kept.json"; echo after) >"$scratch/all"
[ "$(sed -n '1p;$p' "$scratch/all" | tr '\n' ' ')" = "before after " ] && [ "$(wc -l <"$scratch/all")" -eq 5 ]
report $? "what else stands in a caller's log stays"
echo '[]' >"$scratch/none.json"
says "a JSON without a verdict" 1 'none.json: no verdict in it' python3 -B extras/ci/verdicts.py "$scratch/kept.json" "$scratch/none.json"
verdicts tests/data/verdicts.json | diff "$(table verdicts)" - >"$scratch/err"
told $? "each word of each program, and what is said of it"
verdicts --junit - tests/data/verdicts.json | grep -q '<failure message="2 of 9 schedules: exact 2, steps 1">2 of 9 schedules: exact 2, steps 1' &&
	verdicts --sarif - tests/data/verdicts.json | grep -A2 '"text": "z, storm: broken: losses 1; w"' | grep -q '}'
report $? "and in the other formats"
head -c 50 "$scratch/toy.json" >"$scratch/cut.json"
echo '[{"row": "x"}]' >"$scratch/other.json"
says "a JSON that is cut" 1 'cut.json: ' python3 -B extras/ci/verdicts.py "$scratch/cut.json"
says "a JSON of something else" 1 'other.json: no verdict of' python3 -B extras/ci/verdicts.py "$scratch/other.json"
says "no JSON" 1 'which JSON' python3 -B extras/ci/verdicts.py
says "a place that cannot be written" 3 '/none/x' python3 -B extras/ci/verdicts.py --tap /none/x "$scratch/kept.json"
plan
