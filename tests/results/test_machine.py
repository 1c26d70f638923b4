# SPDX-License-Identifier: MIT
"""usage: test_machine.py BUILD   The machine as lscpu and a made-up /proc and /sys tell it, the record's context, and
warnings. TAP."""
import errno
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../results"))
import machine  # pylint: disable=wrong-import-position

CPU = "sys/devices/system/cpu/"
METAL = "fpu tsc constant_tsc nonstop_tsc sse2"
U = "unknown"
FACTS = {"executable": "/home/jane/build/bench", "cpus": [1], "seed": "18446744073709551615", "tsc_hz": 3.4e9,
         "tsc_hz_source": "cpuid", "load_before": [0.5, 0.25, 0.125], "perf_errno": 0, "benchmark": "", "git": "1a2b3c",
         "compiler": "gcc", "flags": "-O2", "optimized": True, "libc": "2.36", "schema": 4}
# As util-linux 2.41 nests it.
NEWER = """#!/bin/sh
cat <<'END'
{"lscpu": [{"field": "CPU(s):", "data": "3", "children": [{"field": "On-line CPU(s) list:", "data": "0-2"}]},
{"field": "Vendor ID:", "data": "GenuineIntel", "children": [{"field": "Model name:", "data": "Xeon", "children": [
{"field": "Stepping:", "data": "7"}, {"field": "Flags:", "data": "hypervisor constant_tsc2"}]}]},
{"field": "Virtualization features:", "data": null, "children": [{"field": "Hypervisor vendor:", "data": "VMware"}]}]}
END
"""

with open(os.path.join(os.path.dirname(__file__), "../data/made_up.json"), encoding="utf-8") as made_up:
    MADE_UP = json.load(made_up)


def known(kernel=(U, U), cpu=(U, U, None, None, None, U, None, U, U, U, None), tsc=(None, None), hypervisor=U):
    """All that is read, but the kernel's release and architecture, which are this machine's."""
    keys = "vendor model family model_number stepping microcode online governor turbo smt shares_core".split()
    return {"kernel": {"release": os.uname().release, "architecture": os.uname().machine, "clocksource": kernel[0],
                       "isolated_cpus": kernel[1]}, "cpu": dict(zip(keys, cpu)),
            "tsc": dict(zip(("constant", "nonstop"), tsc)), "hypervisor": {"name": hypervisor}}


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = self.folder.name
        self.addCleanup(self.folder.cleanup)

    def put(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def put_cpus(self, flags):
        """Four CPUs, of which lscpu finds `flags`."""
        self.put("proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 33\n"
                 "model name\t: AMD Ryzen 9\nstepping\t: 2\nmicrocode\t: 0xa20120a\nflags\t\t: %s\n\n"
                 "processor\t: 1\nvendor_id\t: Other\nmicrocode\t: 0x1\nflags\t\t: none\n" % flags)
        for name in ("possible", "present", "online"):
            self.put(CPU + name, "0-3\n")

    def read(self, *cpus):
        return machine.Machine(self.root).read(cpus)

    def test_what_is_not_there_is_unknown(self):
        self.assertEqual(self.read(), known())

    def test_what_is_there_is_read(self):
        self.put_cpus(METAL)
        self.put("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n")
        for path, text in (("isolated", "2-3\n"), ("smt/control", "forceoff\n"), ("cpufreq/boost", "1\n"),
                           ("cpu0/cpufreq/scaling_governor", "performance\n"),
                           ("cpu1/cpufreq/scaling_governor", "powersave\n"),
                           ("cpu3/cpufreq/scaling_governor", "performance\n"),
                           *((f"cpu{cpu}/topology/thread_siblings_list", str(cpu)) for cpu in range(4))):
            self.put(CPU + path, text)
        self.assertEqual(self.read(0, 1, 3), known(
            ("tsc", "2-3"), ("AuthenticAMD", "AMD Ryzen 9", 25, 33, 2, "0xa20120a", 4, "performance,powersave", "on",
                             "forceoff", False), (True, True), "none"))
        # Bytes that are no text do no harm.
        self.put(CPU + "smt/control", b"A ~\x7f\xc3(\xff\x1f" + b"x" * 300 + b"\n")
        self.assertEqual(self.read(0)["cpu"]["smt"], "A ~??(??" + "x" * 248)

    def test_one_fact_after_the_other(self):
        """One file after the other, and what `cpu` then says of all CPUs, and of the first."""
        self.put_cpus(METAL)
        # Intel's switch says the opposite, and rules where it is.
        for path, text, key, of_all, of_first in MADE_UP["facts"]:
            self.put(CPU + path, text)
            self.assertEqual([self.read(*cpus)["cpu"][key] for cpus in ((), (0,))], [of_all, of_first], (path, text))
        # The same in a guest proves nothing: the host decides who runs beside us.
        self.put(CPU + "cpu0/topology/thread_siblings_list", "0\n")
        self.put_cpus(METAL + " hypervisor")
        self.assertIsNone(self.read(0)["cpu"]["shares_core"])

    def test_a_newer_lscpu_is_read(self):
        self.put("bin/lscpu", NEWER)
        os.chmod(os.path.join(self.root, "bin/lscpu"), 0o755)
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = self.root + "/bin:" + path
        self.assertEqual(self.read(), known(cpu=("GenuineIntel", "Xeon", None, None, 7, U, 3, U, U, U, None),
                                            tsc=(False, False), hypervisor="VMware"))


class Context(unittest.TestCase):
    def test_aliases(self):
        for chosen, model, alias in MADE_UP["aliases"]:
            its = {"kernel": {"architecture": "riscv64"}, "cpu": {"model": model, "online": 2}}
            self.assertEqual(machine.host_alias(its, chosen), alias)

    def test_git(self):
        for state, revision, dirty in (("1a2b3c", "1a2b3c", False), ("1a2b3c-dirty", "1a2b3c", True), ("", U, None),
                                       ("v1-dirty-3-g1a2", "v1-dirty-3-g1a2", False), ("unknown", U, None)):
            self.assertEqual(machine.git(state), {"revision": revision, "dirty": dirty})

    def test_the_context_is_documented_and_names_no_host(self):
        """Neither a field without a line in SCHEMA.md nor a line without a field."""
        def leaves(its, path):
            return [path] if not isinstance(its, dict) else [
                leaf for key, value in its.items() for leaf in leaves(value, f"{path}.{key}")]

        its = machine.context(machine.Machine().read([1, 0]), FACTS, "desk")
        with open("results/SCHEMA.md", encoding="utf-8") as file:
            said = re.findall(r"^\| `(context\.(?!json)[\w.]+)` \|", file.read(), re.M)
        self.assertEqual(sorted(leaves(its, "context")), sorted(said))
        self.assertRegex(its["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")
        self.assertEqual(its["num_cpus"], os.sysconf("SC_NPROCESSORS_ONLN"))
        self.assertEqual((its["executable"], its["host_name"], its["load_avg"]), ("bench", "desk", FACTS["load_before"]))
        run = its["stampede"]["run"]
        self.assertEqual((run["seed"], run["cpus"], run["load_after"], run["user_is_root"]),
                         (FACTS["seed"], FACTS["cpus"], None, subprocess.check_output(["id", "-u"]) == b"0\n"))
        self.assertEqual(its["stampede"]["libraries"]["benchmark"], U)
        self.assertNotIn("jane", json.dumps(its))

    def test_a_program_that_has_another_name_of_the_host(self):
        """As root, it gets one that is nowhere by chance."""
        words = [sys.executable, "-B", "results/machine.py", json.dumps(FACTS)]
        named = ["unshare", "-u", "sh", "-c", 'hostname canary-host-name && exec "$@"', "-"]
        if subprocess.run([*named, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("a host name of our own needs root")
        said = subprocess.check_output([*named, *words], text=True)
        self.assertNotIn("canary", said)
        self.assertEqual(json.loads(said)["context"]["host_name"], json.loads(said)["alias"])


class Warned(unittest.TestCase):
    def of(self, what, load=None, perf=0, **its):
        cpu = {"governor": U, "turbo": U, "shares_core": None, "online": None}
        made = {"cpu": cpu, "hypervisor": {"name": U}, "tsc": {"constant": None, "nonstop": None}}
        for key, value in its.items():
            (cpu if key in cpu else made["tsc"] if key in made["tsc"] else made["hypervisor"])[key] = value
        found = machine.warnings(made, {"load_before": load, "perf_errno": perf})
        self.assertEqual([one["name"] for one in found], "governor turbo smt hypervisor tsc load perf".split())
        return next(one for one in found if one["name"] == what), found

    def test_three_states(self):
        for name, its, state, cause, remedy in MADE_UP["warnings"]:
            one, _ = self.of(name, **its)
            self.assertEqual((one["state"], cause in one["cause"], remedy in one["remedy"], not one["remedy"]),
                             (state, True, True, not remedy), (name, its, one))

    def test_lines_fit_a_terminal(self):
        _, found = self.of("load", [123456.78, 0.5, 0.25], errno.EILSEQ, online=2, turbo="on", shares_core=True, constant=True,
                           nonstop=True, governor="conservative,and,many,more,governors,of,long,names,than,fit")
        every, named = machine.lines(found)
        self.assertNotIn(" tsc ", every)  # what is fine is not printed
        self.assertEqual(len(every.splitlines()), 12)
        self.assertLessEqual(max(map(len, every.splitlines())), 100)
        self.assertEqual(named, "may disturb times: governor, turbo, smt, hypervisor, load, perf (--all says how)\n")
        self.assertEqual(machine.lines([{**one, "state": "no"} for one in found]), ("", ""))


if __name__ == "__main__":
    number = 0
    for one in unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]):
        for case in one:
            number, result = number + 1, unittest.TestResult()
            case.run(result)
            wrong = "".join(text for _, text in result.errors + result.failures)
            print("".join(f"# {line}\n" for line in wrong.splitlines()) + ("not " if wrong else "") + f"ok {number} - " +
                  case.id().split(".", 1)[1] + "".join(f" # SKIP {why}" for _, why in result.skipped))
    print(f"1..{number}")
