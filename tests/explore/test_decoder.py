# SPDX-License-Identifier: MIT
"""usage: test_decoder.py BUILD [FOLDER]   What explore/stops knows of instructions by their text, held to what capstone
decodes from their bytes, in all explored objects of BUILD, foreign ones too, or in those of FOLDER: where they begin,
where their stops lie, and that what has no stop for shared accesses shares nothing. TAP."""
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

try:
    import capstone
    from capstone import x86
except ImportError:
    print("ok - a second decoder # SKIP no capstone (Debian: apt install python3-capstone)\n1..1")
    sys.exit()

SITE = struct.Struct("<2Q3Q Q3QQ")  # struct explore_site
SAVED = {"rbx", "rbp", "r12", "r13", "r14", "r15", "rsp"}
MORE = re.compile(r"^(lock|syscall|sysenter|int|in|out|cpuid|rdtscp?|[lms]fence|xlatb?|clflush)\b")
SIGNATURE = bytes.fromhex("0fb93d53300553")  # of rseq, before its abort handler: no instruction
# Words of a payload that have no stop of their own (row.c).
with open("explore/stops/row.c", encoding="utf-8") as row_c:
    QUIET = {number for number, line in enumerate(row_c, 1) if "PAYLOAD_STORE(QUIET" in line}


def whole(name):
    """The 64-bit register that one is part of."""
    name = re.sub(r"^(r\d+)[dwb]$", r"\1", name)
    if re.match(r"r\d+$|r[a-d]x$|r[sdb][ip]$|rsp$|rip$", name):
        return name
    name = re.sub(r"^e|[lh]$", "", name)
    return "r" + name if name[-1] in "xpi" else "r" + name + "x"


class Code:
    """Bytes, decoded: what is the same wherever they are."""
    machine = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    machine.detail = True
    known = {}

    def __init__(self, instruction):
        self.size, self.text = instruction.size, instruction.mnemonic
        self.operands = instruction.op_str
        name = instruction.reg_name
        touches = instruction.id not in (x86.X86_INS_LEA, x86.X86_INS_NOP)
        self.memory = [(whole(name(one.mem.base)) if one.mem.base else "",
                        whole(name(one.mem.index)) if one.mem.index else "", one.mem.scale, one.mem.disp, one.size,
                        one.access, one.mem.segment)
                       for one in instruction.operands if one.type == x86.X86_OP_MEM]
        self.address = self.memory[0] if self.memory else None
        self.memory = self.memory if touches else []
        self.jumps = instruction.group(capstone.CS_GRP_JUMP) or instruction.group(capstone.CS_GRP_CALL)
        self.calls = instruction.group(capstone.CS_GRP_CALL)
        self.to = instruction.operands[0].imm - instruction.address \
            if self.jumps and instruction.operands[0].type == x86.X86_OP_IMM else None
        self.ends = self.text in ("jmp", "ret", "ud2")
        self.writes = {whole(name(one)) for one in instruction.regs_access()[1] if name(one)[-5:] != "flags"}
        self.copied = None  # the register or address that the first operand is made from
        if self.text in ("mov", "lea") and instruction.operands[0].type == x86.X86_OP_REG and \
                instruction.operands[0].size == 8:
            source = instruction.operands[1]
            if source.type == x86.X86_OP_REG:
                self.copied = whole(name(source.reg))
            elif self.text == "lea":
                self.copied = self.address[0]
        elif self.text in ("add", "sub") and instruction.operands[1].type == x86.X86_OP_IMM and \
                instruction.operands[0].type == x86.X86_OP_REG and instruction.operands[0].size == 8:
            self.copied = whole(name(instruction.operands[0].reg))

    @classmethod
    def at(cls, data, address):
        """The instruction that begins there."""
        return next(cls.machine.disasm(data, address, 1), None)


def code_at(data):
    """Of bytes that begin with an instruction; by the bytes of those seen before."""
    data = bytes(data)
    for size in range(1, 16):
        found = Code.known.get(data[:size])
        if found:
            return found
    decoded = Code.at(data, 0)
    if not decoded:
        return None
    return Code.known.setdefault(data[:decoded.size], Code(decoded))


class Object:
    """An explored object: its bytes as loaded at 0, its symbols, its sites."""

    def __init__(self, path):
        with open(path, "rb") as file:
            raw = file.read()
        at, = struct.unpack_from("<Q", raw, 40)
        size, count, _names = struct.unpack_from("<3H", raw, 58)
        sections = [struct.unpack_from("<2I4Q2I2Q", raw, at + i * size) for i in range(count)]
        self.image = bytearray(max(one[3] + one[5] for one in sections))
        for one in sections:
            if one[2] & 2 and one[1] != 8:  # allocated, and in the file
                self.image[one[3]:one[3] + one[5]] = raw[one[4]:one[4] + one[5]]
        self.symbols, self.pointers = {}, {}
        for one in sections:
            if one[1] == 2:
                names = sections[one[6]][4]
                for i in range(one[4], one[4] + one[5], 24):
                    name, _info, _other, _section, value, _size = struct.unpack_from("<IBBHQQ", raw, i)
                    end = raw.index(b"\0", names + name)
                    self.symbols[raw[names + name:end].decode()] = value
            elif one[1] == 4:
                for i in range(one[4], one[4] + one[5], 24):
                    offset, kind, addend = struct.unpack_from("<QQq", raw, i)
                    if kind == 8:  # R_X86_64_RELATIVE
                        self.pointers[offset] = addend
                        struct.pack_into("<q", self.image, offset, addend)
        self.table = self.symbols["explored_sites"]
        self.sites = [SITE.unpack_from(self.image, self.table + i * SITE.size)
                      for i in range(self.quad("explored_site_count"))]
        self.plain = self.quad("explored_plain_range"), self.quad("explored_plain_range", 8)
        self.harness = self.quad("explored_harness_range"), self.quad("explored_harness_range", 8)
        self.constants = {value for name, value in self.symbols.items() if name.startswith("seam_constant_")}
        self.code = {}  # by address: the plain copy
        at = self.plain[0]
        while at < self.plain[1]:
            if self.image[at:at + 7] == SIGNATURE:
                at += 7
            self.code[at] = code_at(self.image[at:at + 15])
            if not self.code[at]:
                break
            at += self.code[at].size

    def quad(self, symbol, more=0):
        return struct.unpack_from("<Q", self.image, self.symbols[symbol] + more)[0]

    def text(self, at):
        return self.image[at:self.image.index(b"\0", at)].decode()

    def named(self):
        """Addresses of code that anything but a jump and the sites names."""
        end = self.table + len(self.sites) * SITE.size
        found = {value for offset, value in self.pointers.items() if not self.table <= offset < end}
        for at, code in self.code.items():
            if code.text == "lea" and code.address[0] == "rip":
                found.add(at + code.size + code.address[3])
        return found

    def frames(self):
        """By address the registers that point into the writer's stack, whichever way control came there."""
        known, waiting = {}, []

        def arrive(at, what):
            if at in self.code and known.get(at, None) != (met := known.get(at, what) & what):
                known[at] = met
                waiting.append(at)

        reached = {at + code.to for at, code in self.code.items() if code.to is not None}
        before, named = None, self.named()
        for at, code in self.code.items():
            if at in named or (at not in reached and (not before or before.ends)):
                arrive(at, frozenset({"rsp"}))
            before = code
        while waiting:
            at = waiting.pop()
            code, what = self.code[at], known[at]
            if code.to is not None:
                arrive(at + code.to, what)
            after = what & SAVED if code.calls else what - (code.writes - {"rsp"})
            if code.copied in what and code.writes:
                after |= code.writes - {"rsp"}
            if not code.ends:
                arrive(at + code.size, frozenset(after))
        return known


def compare(its):
    """What is wrong, as lines; how many instructions; how many of them lie in frames by own.py alone."""
    bad, alone = [], 0
    known = its.frames()

    def wrong(what, at, site):
        bad.append("%s: %s (%s)" % (what, its.text(site[3]), its.code[at].text + " " + its.code[at].operands
                                    if at in its.code and its.code[at] else "?"))

    sites = {}
    for site in its.sites:
        if site[2] in sites:  # between two rounds
            if not its.text(site[3]).startswith("rep"):
                wrong("two sites", site[2], site)
        else:
            sites[site[2]] = site
    if set(sites) != set(its.code) or None in its.code.values():
        return ["instructions begin elsewhere"], 0, 0
    for at, site in sites.items():
        code = its.code[at]
        for copy in site[:2]:
            there = code_at(its.image[copy:copy + 15]) if copy else None
            if copy and "rep" not in code.text and code.to is None and "rip" not in code.operands and (
                    not there or (there.text, there.operands) != (code.text, code.operands)):
                wrong("a stop before another instruction", at, site)
        if not site[0]:
            wrong("no stop", at, site)
        if not site[1]:
            alone += unshared(its, at, site, known, wrong)
    return bad, len(sites), alone


def unshared(its, at, site, known, wrong):
    """Without a stop for shared accesses: 1 if it is so for what own.py knows of the frame alone."""
    code = its.code[at]
    if MORE.match(code.text):
        wrong("more than registers", at, site)
    if code.to is not None and not any(begin <= at + code.to < end for begin, end in (its.plain, its.harness)):
        wrong("leaves", at, site)
    if code.jumps and code.to is None:
        wrong("goes anywhere", at, site)
    for base, index, _scale, displacement, size, _access, segment in code.memory:
        if base == "rip" and at + code.size + displacement in its.constants:
            continue
        if os.path.basename(its.text(site[4])) == "row.c" and site[5] in QUIET and size == 8:
            continue
        if segment or base in ("", "rip") or (index and "bt" == code.text[:2]):
            wrong("shared", at, site)
        elif base not in known.get(at, ()):
            return 1
    return 0


class Tap:
    """Lines of it."""
    number = 0

    @classmethod
    def report(cls, good, name, lines=()):
        cls.number += 1
        print(("ok - " if good else "not ok - ") + name)
        for line in lines:
            print("# " + line)


def planted(build, name, edit):
    """A toy's object, made with a stops.py that has a fault: what is wrong there."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy("explore/stops/own.py", folder)
        with open("explore/stops/stops.py", encoding="utf-8") as file:
            text = file.read()
        if edit[0] not in text:
            return ["no such text to plant a fault in"]
        with open(os.path.join(folder, "stops.py"), "w", encoding="utf-8") as file:
            file.write(text.replace(*edit, 1))
        shim = os.path.join(folder, "decoded_" + name)
        shutil.copytree("tests/explore/foreign", shim)
        done = subprocess.run(["make", "-s", "--no-print-directory", "foreign", "BUILD=" + build, "SHIM=" + shim,
                               "STOPS_PY=" + os.path.join(folder, "stops.py")], capture_output=True, text=True,
                              check=False)
        path = os.path.join(build, "foreign", "decoded_" + name)
        bad, _count, alone = ([], 0, 0) if done.returncode else compare(Object(path + ".so"))
        bad += ["own.py alone"] * alone
        shutil.rmtree(path, ignore_errors=True)
        if os.path.exists(path + ".so"):
            os.remove(path + ".so")
        return bad


def main():
    build = sys.argv[1]
    folders = sys.argv[2:] or [build + "/explored", build + "/foreign"]
    paths = [one for folder in folders for one in sorted(glob.glob(folder + "/*.so"))
             if not one.endswith((".points.so", ".order.so"))]
    if not paths:
        print("ok - a second decoder # SKIP no explored objects in %s: make explored\n1..1" % build)
        return
    bad, count, alone = [], 0, 0
    for path in paths:
        more, instructions, by_own = compare(Object(path))
        bad += ["%s: %s" % (os.path.basename(path), one) for one in more]
        count, alone = count + instructions, alone + by_own
    Tap.report(not bad, "%d objects, %d instructions" % (len(paths), count), bad[:20])
    Tap.report(50 * alone < count, "%d of them have no stop by what own.py alone knows" % alone)
    if sys.argv[2:]:
        print("1..%d" % Tap.number)
        return
    said = planted(build, "nothing", ("", ""))
    usual = said.count("own.py alone")  # none of gcc's
    Tap.report(usual == len(said) and usual < 9, "a toy as it is", said[:5])
    for name, what, *edit in (
            ("code", "instructions begin", 'elif part[0] == ".":', 'elif part[0] == "." or part[:4] == "movq":'),
            ("stop", "no stop", "stop = which == ALL or", "stop = (which == ALL and position % 9) or"),
            ("own", "own.py alone", "if own.points_there(operand, pointers)", "if own.MEMORY.match(operand)")):
        said = planted(build, name, edit)
        Tap.report(sum(one.startswith(what) for one in said) > usual * (name == "own"), "a fault is seen: " + name, said[:2])
    print("1..%d" % Tap.number)


main()
