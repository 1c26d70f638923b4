# SPDX-License-Identifier: MIT
"""
Runs inside gdb: stops the guest at instruction boundaries of its ring buffer's reserve function.

Speaks with the driver over stdin and stdout, one JSON object per line. Changes nothing in the guest: stops
it, reads registers and memory, and lets it go on. Knows the function's address and end (/proc/kallsyms), how
arguments are passed (System V ABI), and, for a second witness, that struct rb_event_info begins with ts, delta.
"""
import json
import sys

import gdb

IF = 1 << 9
WRITE_MASK = (1 << 20) - 1
ROOM = 200 # bytes for what an interrupt records before the interrupted event


def say(**words):
    sys.stdout.write("@" + json.dumps(words) + "\n")
    sys.stdout.flush()


def ask(**words):
    """Says what has been reached, and waits for the driver's answer."""
    say(**words)
    answer = sys.stdin.readline()
    if not answer:
        raise SystemExit
    return json.loads(answer)


def register(name):
    # The flags register has a type of its own that no cast takes; all print as hexadecimals.
    return int(gdb.parse_and_eval(name).format_string(format="x"), 16)


def memory(address, size):
    data = gdb.selected_inferior().read_memory(address, size)
    return int.from_bytes(bytes(data), "little")


def find_claim(begin, end):
    """The xadd that claims the record's room (C), and the instruction behind it."""
    code = gdb.selected_frame().architecture().disassemble(begin, end - 1)
    for at, instruction in enumerate(code):
        if instruction["asm"].startswith(("xadd", "lock xadd")):
            return code[max(0, at - 8):at + 2], 8 if at >= 8 else at
    raise gdb.GdbError("no xadd in the reserve function")


def run_to(address, condition):
    """
    Goes on until the task (interrupts enabled, or the given activation) is at address. The
    breakpoint is deleted before anything else: otherwise gdb would step over it with interrupts
    masked, and the interrupt would come one instruction late.
    """
    while True:
        point = gdb.Breakpoint(f"*{address:#x}", internal=True, temporary=False)
        point.silent = True
        gdb.execute("continue", to_string=True)
        point.delete()
        if register("$pc") != address:
            raise gdb.GdbError(f"stopped at {register('$pc'):#x}, not at {address:#x}")
        if condition():
            return
        gdb.execute("stepi", to_string=True)


def operand(text):
    """The address and the value of `xadd %reg,disp(%base)`."""
    source, target = text.split(None, 2)[-1].split(",", 1)
    displacement, base = target.split("(")
    base = register("$" + base.strip("%) "))
    return base + (int(displacement, 0) if displacement else 0), register("$" + source.strip("% "))


class Reserve:
    """One reserve of a task, from its entry on."""

    def __init__(self, entry):
        run_to(entry, lambda: register("$eflags") & IF)
        self.info = register("$rsi")
        self.stack = register("$rsp")
        self.back = memory(self.stack, 8)

    def to_claim(self, claim, text):
        # The same task, in the function that it just entered: a nested one has its stack below.
        run_to(claim, lambda: register("$eflags") & IF)
        self.frame = register("$rsp")
        self.word, self.length = operand(text)
        self.index = memory(self.word, 8) & WRITE_MASK

    def behind_claim(self, address):
        run_to(address, lambda: register("$rsp") == self.frame)

    def returned(self):
        run_to(self.back, lambda: register("$rsp") == self.stack + 8)
        event = register("$rax")
        if event > (1 << 64) - 4096:
            raise gdb.GdbError(f"the reserve returned error {(1 << 64) - event}")
        return {"info_ts": memory(self.info, 8), "info_delta": memory(self.info + 8, 8),
                "header": memory(event, 4)}


def describe(code, at, begin):
    return [{"offset": item["addr"] - begin, "text": item["asm"],
             "stop": place == at} for place, item in enumerate(code)]


def wanted(reserve, plan, nested):
    """
    Whether this is an event to interrupt: for a crossing, one behind which, and behind the nested
    event, a crossing puts the page's index back; else one well within its page.
    """
    if plan["crossing"]:
        end = reserve.index + nested + reserve.length
        return plan["page_data"] - 4 <= end <= plan["page_data"]
    return 0 < reserve.index and reserve.index + reserve.length + ROOM <= plan["page_data"]


def rehearse(begin, claim, text, behind):
    """How many bytes a nested interrupt's event takes, its absolute stamp included."""
    reserve = Reserve(begin)
    reserve.to_claim(claim, text)
    ask(at="rehearsal")
    reserve.behind_claim(behind)
    return memory(reserve.word, 8) - reserve.length - reserve.index & WRITE_MASK


def main(plan):
    begin, end = plan["begin"], plan["end"]
    gdb.execute(f"target remote {plan['socket']}", to_string=True)
    code, at = find_claim(begin, end)
    claim, text, behind = code[at]["addr"], code[at]["asm"], code[at + 1]["addr"]
    nested = rehearse(begin, claim, text, behind) if plan["crossing"] else 0
    if plan["crossing"]:
        ask(at="rehearsed", nested_bytes=nested)
    tried = 0
    while True:
        reserve = Reserve(begin)
        reserve.to_claim(claim, text)
        tried += 1
        if wanted(reserve, plan, nested):
            break
    ask(at="claim", code=describe(code, at, begin), index=reserve.index, length=reserve.length,
        nested_bytes=nested, tried=tried, function=plan["function"])
    if plan["crossing"]:
        reserve.behind_claim(behind)
        ask(at="behind")
    ask(at="returned", **reserve.returned())
    gdb.execute("detach", to_string=True)
    say(at="gone")


try:
    gdb.execute("set pagination off")
    gdb.execute("set confirm off")
    gdb.execute("set architecture i386:x86-64", to_string=True)
    main(json.loads(sys.stdin.readline()))
except (gdb.error, gdb.GdbError, gdb.MemoryError) as error:
    say(failed=str(error))
