#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: machine.py FACTS   The machine that bench runs on, and what disturbs times there, as JSON: `alias`, `context`
and `warnings` as SCHEMA.md has them, and the warnings as lines to print (`named`, `all`).

FACTS is a JSON object of what bench itself knows (runner/where.c). What cannot be known is the text "unknown" or null,
never a guess; the real host name appears nowhere.
"""
import errno
import json
import os
import re
import subprocess
import sys
import time

UNKNOWN = "unknown"
CPU_DIR = "/sys/devices/system/cpu"
LOAD_PER_CPU_MAX = 0.5  # runnable tasks per CPU above which a pinned thread will meet one of them
CPU_LIST = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")
ALIAS_MOST = 64


class Machine:
    """What lscpu, /proc and /sys say, without root. `root` stands before both, "" in real life."""

    def __init__(self, root=""):
        self.root, self.fields = root, {}
        try:
            said = subprocess.run(["lscpu", "-J", *(["-s", root] if root else [])], capture_output=True, check=True,
                                  env={**os.environ, "LC_ALL": "C"})
            self.add_fields(json.loads(said.stdout)["lscpu"])
        except (OSError, ValueError, KeyError, subprocess.CalledProcessError):
            pass  # no lscpu, or it finds no CPU

    def add_fields(self, fields):
        """Newer versions have fields within fields; the first of a name counts."""
        for one in fields:
            self.fields.setdefault(one["field"].rstrip(":"), one.get("data") or "")
            self.add_fields(one.get("children", []))

    def text(self, path):
        """The first line of a file, of any bytes; "unknown" if it cannot be read."""
        try:
            with open(self.root + path, "rb") as file:
                line = file.readline(256).rstrip(b"\n")
        except OSError:
            return UNKNOWN
        return "".join(chr(byte) if 32 <= byte < 127 else "?" for byte in line)

    def number(self, name):
        found = re.match(r"\d+", self.fields.get(name, ""))
        return int(found[0]) if found else None

    def flag(self, name):
        return name in self.fields["Flags"].split() if "Flags" in self.fields else None

    def microcode(self):
        try:
            with open(self.root + "/proc/cpuinfo", encoding="latin-1") as file:
                found = re.search(r"^microcode\s*:\s*(\S{1,31})", file.read(), re.M)
        except OSError:
            found = None
        return found[1] if found else UNKNOWN

    def governor(self, cpus):
        """All that occur, comma between them; a CPU that is silent counts as "unknown"."""
        words = [self.text(f"{CPU_DIR}/cpu{cpu}/cpufreq/scaling_governor") or UNKNOWN for cpu in cpus]
        return ",".join(dict.fromkeys(words)) or UNKNOWN

    def turbo(self, cpus):
        """Three drivers, three switches: intel_pstate's says the opposite, amd_pstate's is per CPU."""
        found = {"0": "on", "1": "off"}.get(self.text(CPU_DIR + "/intel_pstate/no_turbo"))
        for path in ("/cpufreq/boost", f"/cpu{cpus[0] if cpus else 0}/cpufreq/boost"):
            found = found or {"1": "on", "0": "off"}.get(self.text(CPU_DIR + path))
        return found or UNKNOWN

    def shares_core(self, cpus, metal):
        """True: some CPU shares its core; false needs every CPU to say so, and metal: a guest sees what its host shows."""
        siblings = [cpus_of(self.text(f"{CPU_DIR}/cpu{cpu}/topology/thread_siblings_list")) for cpu in cpus]
        if any(len(its) > 1 for its in siblings):
            return True
        return False if metal and cpus and all(siblings) else None

    def hypervisor(self):
        """Where no flag tells, lscpu's silence is no "none"."""
        named = self.fields.get("Hypervisor vendor")
        return named if named is not None else "none" if self.flag("hypervisor") is False else UNKNOWN

    def read(self, cpus=()):
        """`cpus`: those that governor and shares_core are about; none: all that are online."""
        online, hypervisor = cpus_of(self.fields.get("On-line CPU(s) list", "")), self.hypervisor()
        cpus = sorted(cpus or online)

        def word(name):
            return self.fields.get(name) or UNKNOWN

        return {
            "kernel": {"release": os.uname().release, "architecture": os.uname().machine,
                       "clocksource": self.text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
                       "isolated_cpus": self.text(CPU_DIR + "/isolated")},
            "cpu": {"vendor": word("Vendor ID"), "model": word("Model name"), "family": self.number("CPU family"),
                    "model_number": self.number("Model"), "stepping": self.number("Stepping"),
                    "microcode": self.microcode(), "online": len(online) or None, "governor": self.governor(cpus),
                    "turbo": self.turbo(cpus), "smt": self.text(CPU_DIR + "/smt/control"),
                    "shares_core": self.shares_core(cpus, hypervisor == "none")},
            "tsc": {"constant": self.flag("constant_tsc"), "nonstop": self.flag("nonstop_tsc")},
            "hypervisor": {"name": hypervisor},
        }


def cpus_of(text):
    """The CPUs that a list such as 0-3,8 names, as a set; a text that is no such list names none."""
    found = set()
    for part in text.split(",") if CPU_LIST.fullmatch(text) else ():
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


# ---- the context of bench.json ----

def sanitised(text):
    """Letters, digits, `_` and `.`, and every run of anything else as one `-`: it becomes part of a directory's name."""
    return re.sub(r"[^A-Za-z0-9_.]+", "-", re.sub(r"^[^A-Za-z0-9_]+", "", text))[:ALIAS_MOST].rstrip("-")


def host_alias(machine, chosen):
    """A name that may be published: what was chosen, if that holds anything usable, else CPU model and number of CPUs:
    "Intel(R) Xeon(R) Platinum 8272CL CPU @ 2.60GHz" gives intel-xeon-platinum-8272cl-2cpu."""
    if sanitised(chosen):
        return sanitised(chosen)
    model, online = machine["cpu"]["model"], machine["cpu"]["online"]
    if model in (UNKNOWN, "-"):  # some architectures name no model
        model = machine["kernel"]["architecture"]
    words = [word.partition("(")[0] for word in re.split(r" (?:@|with)(?: |$)", model)[0].split(" ")]
    words = [word for word in words if word not in ("CPU", "Processor") and not re.fullmatch(r".+-Core", word)]
    return sanitised(f"{' '.join(words).lower()[:47]} {online or ''}cpu")


def git(state):
    """Of `git describe --always --dirty`."""
    if state in ("", UNKNOWN):
        return {"revision": UNKNOWN, "dirty": None}
    return {"revision": state.removesuffix("-dirty"), "dirty": state.endswith("-dirty")}


def context(machine, facts, alias):
    """Google Benchmark's keys, and "stampede"."""
    load = facts["load_before"]
    its = {
        "schema": facts["schema"], "git": git(facts["git"]),
        "build": {key: facts[key] for key in ("compiler", "flags", "optimized")},
        # The seed as text: JSON readers keep 53 bits of a number.
        "run": {"seed": facts["seed"], "cpus": facts["cpus"], "load_before": load, "load_after": None,
                "user_is_root": os.geteuid() == 0},
        "libraries": {"libc": facts["libc"], "benchmark": facts["benchmark"] or UNKNOWN}, **machine}
    its["tsc"] = {**machine["tsc"], "hz": facts["tsc_hz"], "hz_source": facts["tsc_hz_source"]}
    return {"date": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()), "host_name": alias,
            "executable": os.path.basename(facts["executable"]),  # the path before it may name a user
            "num_cpus": machine["cpu"]["online"], "load_avg": load, "stampede": its}


# ---- what disturbs times ----

HOST = "ask the host's owner; trust ratios and cycles rather than ns"


def governor_warning(governor):
    if governor == "performance":
        return "no", "every CPU runs 'performance'", ""
    # One that is slow is enough; one that is silent spoils "no".
    if set(governor.split(",")) - {"performance", UNKNOWN}:
        return "yes", f"governor is '{governor}', not 'performance' alone", "cpupower frequency-set -g performance"
    return UNKNOWN, "not every CPU shows a cpufreq governor (usual in a VM)", HOST


def hypervisor_warning(name):
    return {UNKNOWN: (UNKNOWN, "lscpu does not tell", "if this is a virtual machine, use bare metal for times"),
            "none": ("no", "no sign of a hypervisor", "")}.get(name, (
                "yes", f"a virtual machine ({name}), whose CPUs can be stolen",
                "use bare metal for times; counts, bytes and verdicts hold here too"))


def tsc_warning(tsc):
    if tsc["constant"] is None:
        return UNKNOWN, "no x86 CPU flags", "check that the clock is constant and never stops"
    lacks = "".join(f" {key}_tsc" for key in ("constant", "nonstop") if not tsc[key])
    return ("yes", "the TSC is not invariant: CPU flags lack" + lacks, "use clock_gettime as the clock, or another "
            "machine") if lacks else ("no", "constant_tsc and nonstop_tsc", "")


def load_warning(cpus, load):
    if not load or not cpus:
        return (UNKNOWN, "the number of CPUs is unknown" if load else "no load average from before the run",
                "check with uptime that nothing else runs")
    limit = LOAD_PER_CPU_MAX * cpus
    return ("yes" if load[0] > limit else "no", f"load average {load[0]:.2f} at start on {cpus} CPUs (limit {limit:.1f})",
            "stop other work, or wait a minute and run again")


def perf_warning(error):
    if not error:
        return "no", "hardware counters can be read", ""
    remedy = "see perf_event_open(2); cycles and instructions stay n/a"
    if error in (errno.EACCES, errno.EPERM):
        remedy = "sysctl kernel.perf_event_paranoid=1, or run as root"
    elif error in (errno.ENOENT, errno.ENODEV, errno.EOPNOTSUPP, errno.ENODATA):
        remedy = "no PMU here (usual in a VM): use bare metal, or a VM that passes it on"
    return "yes", f"hardware counters refused: {os.strerror(error)} (perf_event_open)", remedy


TURBO = {UNKNOWN: (UNKNOWN, f"no switch for it in {CPU_DIR} (usual in a VM)", HOST), "off": ("no", "turbo is off", ""),
         "on": ("yes", "turbo is on: the clock rate depends on heat and neighbours",
                f"write 0 to cpufreq/boost, or 1 to intel_pstate/no_turbo, in {CPU_DIR}")}
SMT = {None: (UNKNOWN, "nothing here tells who shares a core (usual in a VM)",
              "use a dedicated host; trust medians rather than means"), False: ("no", "no CPU shares its core", ""),
       True: ("yes", "a CPU shares its core with another", f"write off to {CPU_DIR}/smt/control, or keep siblings idle")}


def warnings(machine, facts):
    """What disturbs times here, all of it always; state "yes" disturbs, "no" does not, "unknown"."""
    cpu = machine["cpu"]
    found = {"governor": governor_warning(cpu["governor"]), "turbo": TURBO[cpu["turbo"]],
             "smt": SMT[cpu["shares_core"]], "hypervisor": hypervisor_warning(machine["hypervisor"]["name"]),
             "tsc": tsc_warning(machine["tsc"]), "load": load_warning(cpu["online"], facts["load_before"]),
             "perf": perf_warning(facts["perf_errno"])}
    return [{"name": name, "state": state, "cause": cause, "remedy": "" if state == "no" else remedy}
            for name, (state, cause, remedy) in found.items()]


def lines(found):
    """Two lines of at most 100 columns for each warning that is not "no"; and one line that names them."""
    told = [one for one in found if one["state"] != "no"]
    every = "".join("%-8s %-10s  %.78s\n%21s%.78s\n" % ({"yes": "warning"}.get(one["state"], one["state"]), one["name"],
                                                       one["cause"], "", one["remedy"]) for one in told)
    names = ", ".join(one["name"] for one in told)
    return every, f"may disturb times: {names} (--all says how)\n" if told else ""


def main():
    facts = json.loads(sys.argv[1])
    machine = Machine().read(facts["cpus"])
    alias, found = host_alias(machine, os.environ.get("STAMPEDE_HOST_ALIAS", "")), warnings(machine, facts)
    every, named = lines(found)
    print(json.dumps({"alias": alias, "context": context(machine, facts, alias), "warnings": found, "all": every,
                      "named": named}))


if __name__ == "__main__":
    main()
