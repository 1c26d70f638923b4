#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Verdicts in the formats that a CI shows.

usage: verdicts.py [--tap FILE] [--junit FILE] [--sarif FILE] [--at PATH] JSON...

JSON is what judge-tracer, run-stress, explore or read-trace --lint wrote with --json FILE; - is standard input.
FILE may be - (standard output); without any of the three, TAP goes there. SARIF wants a file for each result: --at names it,
such as your tracer's source; by default it is the trace, or the JSON.
exit: 0 nothing is broken, 1 usage, 2 something is broken, 3 a result cannot be written
"""
import argparse
import dataclasses
import json
import sys
import urllib.parse
import xml.etree.ElementTree as xml


@dataclasses.dataclass
class Verdict:
    tool: str
    subject: str  # the row, tracer or trace
    check: str
    outcome: str  # kept, broken, or why neither could be said
    text: str = ""
    at: str = ""
    offset: int | None = None
    place: str = ""  # in the file, in words

    @property
    def name(self):
        return "%s (%s)" % (self.check, self.place) if self.place else self.check


def of_tracer(run):
    subject = "%s %s, %s" % (run["tracer"], run["version"], run["workload"])
    for name, one in run["promises"].items():
        text = "tried %d times" % one["tried"]
        if one["seen"]:
            text = "%d of %d; worst: stream %d, event %d: %s, by %d" % (
                one["seen"], one["tried"], one["stream"], one["seq"], one["what"], one["worst"])
        yield Verdict("judge-tracer", subject, name, one["verdict"], text)


def of_storm(run):
    subject = "%s, %s" % (run["row"], run["workload"])
    for name, outcome in run["promises"].items():
        yield Verdict("run-stress", subject, name, outcome, run["first_violation"] if outcome == "broken" else
                      "tried %d times" % run["tries"][name])
    # The trace itself: what no row may do, whatever it promises.
    seen = ", ".join("%s %d" % one for one in run["violations"].items() if one[1])
    broken = run["verdict"] == "broken" and "broken" not in run["promises"].values()
    yield Verdict("run-stress", subject, "trace", "broken" if broken else "kept",
                  "%s; %s" % (seen, run["first_violation"]) if broken else "%d events" % run["events"])


def of_search(row):
    for one in row["families"]:
        text = "%d schedules" % one["schedules"]
        if one["verdict"] == "broken":
            text = "%d of %s: %s\n%s" % (one["broken"], text, ", ".join(
                "%s %d" % pair for pair in one["objections"].items()), one["first"] or "")
        yield Verdict("explore", row["row"], "%s (%s)" % (one["what"] or "search", one["budget"]),
                      one["verdict"], text)


def of_trace(trace):
    path, shown = trace["trace"], {}
    for one in trace["findings"]:
        shown[one["kind"]] = shown.get(one["kind"], 0) + 1
        where = one.get("file", path)  # a file, then perhaps a thread
        file = path if where.startswith(path + ": ") else where.split(": ")[0]
        stream = where[len(file) + 2:] or ("" if file == path else file.rpartition("/")[2])
        place = next(("%s %d" % (key, one[key]) for key in ("event", "offset") if one.get(key) is not None), "")
        times = ", ".join("%s %d" % (word, one[key]) for key, word in (
            ("time", "time"), ("before", "before it"), ("after", "after it")) if key in one)
        yield Verdict("read-trace", path, one["kind"], "broken", "; ".join(filter(None, (one["message"], times))), file,
                      one.get("offset"), ": ".join(filter(None, (stream, place))))
    for kind, count in trace.get("found", {}).items():
        if count > shown.get(kind, 0):
            yield Verdict("read-trace", path, kind, "broken", "%d more of %d" % (count - shown.get(kind, 0), count), path,
                          None, "more")
    if trace["damaged"]:
        why = trace.get("why", "only a part could be read")
        yield Verdict("read-trace", path, "whole", "broken", "damaged: " + why, path, trace.get("offset"))
    elif not trace["findings"] and not any(trace.get("found", {}).values()):
        yield Verdict("read-trace", trace["trace"], "times", "kept", "%d events" % trace["events"])


def read(path):
    if path == "-":
        document = json.load(sys.stdin.buffer)
    else:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    for one in document["rows"] if isinstance(document, dict) else document:
        kind = next((key for key in OF if key in one), None)
        if not kind:
            raise ValueError("no verdict of judge-tracer, run-stress, explore or read-trace --lint")
        for verdict in OF[kind](one):
            verdict.at = verdict.at or path
            yield verdict


OF = {"tracer": of_tracer, "families": of_search, "workload": of_storm, "findings": of_trace}


def passes(verdict):
    """True, False; None: nobody promised it, or it could not be tried."""
    return {"kept": True, "declared inexact": True, "broken": False}.get(verdict.outcome)


def tap(verdicts):
    lines = ["TAP version 13", "1..%d" % len(verdicts)]
    for number, one in enumerate(verdicts, 1):
        skip = " # SKIP %s" % one.outcome if passes(one) is None else ""
        name = "%s: %s: %s" % (one.tool, one.subject, one.name)
        lines.append("%sok %d - %s%s" % ("not " if passes(one) is False else "", number, name.replace("#", "\\#"), skip))
        if passes(one) is False:
            lines += ["# " + line for line in one.text.splitlines()]
    return "\n".join(lines) + "\n"


def clean(text):
    """XML has no place for control characters."""
    return "".join(c if c in "\n\t" or c >= " " else "?" for c in text)


def junit(verdicts):
    root = xml.Element("testsuites")
    for tool in dict.fromkeys(one.tool for one in verdicts):
        its = [one for one in verdicts if one.tool == tool]
        suite = xml.SubElement(root, "testsuite", name=tool, tests=str(len(its)), errors="0",
                               failures=str(sum(passes(one) is False for one in its)),
                               skipped=str(sum(passes(one) is None for one in its)))
        for one in its:
            case = xml.SubElement(suite, "testcase", classname=clean(one.subject), name=clean(one.name))
            if passes(one) is False:
                xml.SubElement(case, "failure", message=clean(one.text.split("\n")[0])).text = clean(one.text)
            elif passes(one) is None:
                xml.SubElement(case, "skipped", message=one.outcome)
    return xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def uri(path):
    """A relative path as it is, an absolute one as a file: what no URI may have is escaped."""
    if path.startswith("/"):
        return "file://" + urllib.parse.quote(path)
    return urllib.parse.quote(("./" if ":" in path.split("/")[0] else "") + path)


def sarif(verdicts):
    runs = []
    for tool in dict.fromkeys(one.tool for one in verdicts):
        its = [one for one in verdicts if one.tool == tool]
        results = []
        for one in its:
            place = {"artifactLocation": {"uri": uri(one.at)},
                     "region": {"startLine": 1} if one.offset is None else {"byteOffset": one.offset}}
            results.append({
                "ruleId": one.check,
                "kind": {True: "pass", False: "fail", None: "notApplicable"}[passes(one)],
                "level": "none" if passes(one) is not False else "error",
                "message": {"text": "%s: %s: %s" % (one.subject, one.outcome, ": ".join(filter(None, (one.place, one.text))))},
                "locations": [{"physicalLocation": place}],
            })
        rules = [{"id": check} for check in dict.fromkeys(one.check for one in its)]
        runs.append({"tool": {"driver": {"name": "stampede " + tool, "rules": rules}}, "results": results})
    return json.dumps({"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": runs},
                      indent=1) + "\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    formats = {"tap": tap, "junit": junit, "sarif": sarif}
    for name in formats:
        parser.add_argument("--" + name)
    parser.add_argument("--at")
    parser.add_argument("--help", action="store_true")
    parser.add_argument("json", nargs="*")
    parser.error = lambda message: sys.exit("stampede: verdicts.py: %s (--help)" % message)
    asked = parser.parse_args()
    if asked.help:
        print(__doc__)
        return 0
    verdicts = []
    for path in asked.json or parser.error("which JSON?"):
        try:
            its = list(read(path))
            verdicts += its or parser.error("%s: no verdict in it" % path)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            sys.exit("stampede: %s: %s" % (path, "it has no %s" % error if isinstance(error, KeyError) else error))
    for one in verdicts:
        one.at = asked.at or one.at
    wanted = {name: getattr(asked, name) for name in formats if getattr(asked, name)} or {"tap": "-"}
    for name, path in wanted.items():
        text = formats[name](verdicts)
        try:
            with open(1 if path == "-" else path, "wb", closefd=path != "-") as out:
                out.write(text.encode())
        except OSError as error:
            print("stampede: cannot write %s: %s" % ("standard output" if path == "-" else path, error.strerror), file=sys.stderr)
            return 3
    return 2 if any(passes(one) is False for one in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
