# SPDX-License-Identifier: MIT
"""Which registers point into the writer's own stack, before each instruction of x86-64 assembly.

A forward analysis over all functions of a file, AT&T syntax: something is known only if it is so on
every way that leads to the instruction, calls included; where control may come from elsewhere
nothing is. A pointer that is put into the frame is known again when it is taken from there, if that
place is in no object that others have a pointer to. That a nested writer has none either, since none
is in what writers share, is looked after when it runs (guard.h).
OWN.md says why these rules are sound.
"""
import re
from collections import defaultdict

BIT = {name: 1 << i for i, name in enumerate(
    "rax rbx rcx rdx rsi rdi rbp r8 r9 r10 r11 r12 r13 r14 r15".split())}
NOTHING = 0
# What a call leaves as it was.
SAVED = sum(BIT[name] for name in "rbx rbp r12 r13 r14 r15".split())
MEMORY = re.compile(r"^[-+\w.]*\(%(\w+)(?:,%\w+(?:,\d)?)?\)$")
SLOT = re.compile(r"^(-?\d*)\(%rsp\)$")
WANDERS = re.compile(r"^-|.*,")
STRING = re.compile(r"^(movs|stos)[bwlq]$")
MOVE = re.compile(r"^movq?$")
ADDS = re.compile(r"^(add|sub)q?$")
ENDS = re.compile(r"^(jmp|ret|ud2)")  # control does not come to the next one
READS_ONLY = re.compile(r"^((cmp|test|bt)[bwlq]?|nop[wl]?)$")
# Writes its last operand, and no other register.
WRITES_LAST = re.compile(
    r"^(mov|movabs|movz[bwl]|movs[bwl]|lea|add|sub|and|or|xor|adc|sbb|not|neg|inc|dec|sh[lr]|"
    r"sa[lr]|ro[lr]|sh[lr]d|bswap|cmov\w+?|set\w+?|popcnt|[lt]zcnt|bs[fr]|bt[src])[bwlq]?$")
# Writes none but these and its operands.
WRITES_MORE = re.compile(
    r"^((xadd|xchg|cmpxchg|i?mul|i?div)[bwlq]?|cmpxchg16b|cltq|cltd|cqto|cwtl)$")
MORE = ["%rax", "%rdx"]


def is_register(operand):
    """And not memory of the thread, which begins like one (%fs:0)."""
    return operand[0] == "%" and ":" not in operand


def whole(name):
    """The 64-bit register that a name is part of; None: none of BIT's."""
    short = re.sub(r"^(r\d+)[dwb]$", r"\1", name)
    if short in BIT:
        return short
    short = re.sub(r"^e|[lh]$", "", name)
    return next((one for one in ("r" + short, "r" + short + "x") if one in BIT), None)


def points_there(operand, registers):
    """Is it memory of the writer's own stack, `registers` being those that point there?"""
    memory = MEMORY.match(operand)
    return bool(memory) and (memory.group(1) == "rsp" or
                             BIT.get(memory.group(1), 0) & registers != 0)


def string_only_there(mnemonic, registers):
    """The same for all that a string instruction touches."""
    touched = BIT["rdi"] | (BIT["rsi"] if mnemonic.startswith("movs") else 0)
    return bool(STRING.match(mnemonic)) and registers & touched == touched


class Known:
    """
    What is known at one place: registers that point into the stack, how deep %rsp lies below where
    it was at the function's entry (None: not known), and where in the frame such pointers lie,
    counted from there.
    """

    def __init__(self, registers=NOTHING, depth=None, slots=frozenset()):
        self.registers, self.depth = registers, depth
        self.slots = slots if depth is not None else frozenset()

    def same(self, other):
        return (self.registers, self.depth, self.slots) == \
            (other.registers, other.depth, other.slots)

    def met_with(self, other):
        """What is known in both."""
        return Known(self.registers & other.registers,
                     self.depth if self.depth == other.depth else None, self.slots & other.slots)

    def place(self, operand):
        """Where disp(%rsp) lies; None: it is something else."""
        slot = SLOT.match(operand)
        return int(slot.group(1) or 0) - self.depth if slot and self.depth is not None else None

    def points(self, operand):
        """Does a register or a place in the frame hold such a pointer?"""
        return operand == "%rsp" or self.registers & BIT.get(operand[1:], 0) != 0 or \
            self.place(operand) in self.slots

    def with_register(self, name, pointer):
        bit = BIT[whole(name)]
        registers = self.registers | bit if pointer and name in BIT else self.registers & ~bit
        return Known(registers, self.depth, self.slots)

    def with_slot(self, place, pointer, frame):
        """After a store of at most 16 bytes."""
        slots = frozenset(other for other in self.slots if not -8 < other - place < 16)
        return Known(self.registers, self.depth,
                     slots | {place} if pointer and frame.spares(place) else slots)

    def with_store(self, operand, pointer, frame):
        """After a store of at most 16 bytes to memory."""
        place = self.place(operand)
        if place is not None:
            return self.with_slot(place, pointer, frame)
        # By an index, or below where a pointer leads: to any place of the frame.
        if points_there(operand, self.registers) and WANDERS.match(operand):
            return Known(self.registers, self.depth)
        return self

    def with_depth(self, depth):
        return Known(self.registers, depth, self.slots if depth is None else frozenset(
            slot for slot in self.slots if slot >= -depth))

    def without(self, operands):
        """After an instruction that may write any of these."""
        after = self
        for operand in operands:
            if is_register(operand) and whole(operand[1:]):
                after = after.with_register(operand[1:], False)
        return after

    def after(self, mnemonic, operands, frame):
        """What is known after an instruction of the function with this frame."""
        last = operands[-1] if operands else ""
        if mnemonic.startswith("call"):
            return Known(self.registers & SAVED, self.depth, self.slots)
        if mnemonic[0] == "j" or READS_ONLY.match(mnemonic):
            return self
        if re.match("^pushq?$", mnemonic) and self.depth is not None:
            deeper = self.with_depth(self.depth + 8)
            return deeper.with_slot(-deeper.depth, self.points(last), frame)
        if re.match("^popq?$", mnemonic) and self.depth is not None and whole(last[1:]):
            pointer = -self.depth in self.slots
            return self.with_register(last[1:], pointer).with_depth(self.depth - 8)
        if last == "%rsp":
            by = re.match(r"^\$(-?\d+)$", operands[0])
            sign = {"add": -1, "sub": 1}.get(mnemonic.rstrip("q"))
            return self.with_depth(self.depth + sign * int(by.group(1))
                                   if by and sign and self.depth is not None else None)
        if STRING.match(mnemonic) and not operands:
            return self.without(["%rcx", "%rsi", "%rdi"])
        if WRITES_MORE.match(mnemonic):
            after = self.without(operands + MORE)
            for operand in operands:
                after = after.with_store(operand, False, frame)
            return after
        if not operands or not WRITES_LAST.match(mnemonic):
            return Known()
        pointer = MOVE.match(mnemonic) and self.points(operands[0])
        if not is_register(last):
            return self.with_store(last, pointer, frame)
        if not whole(last[1:]):
            return Known()
        if mnemonic.startswith("lea"):
            pointer = points_there(operands[0], self.registers)
        elif ADDS.match(mnemonic) and operands[0][0] == "$":
            pointer = self.points(last)
        return self.with_register(last[1:], pointer)


class Frame:
    """
    A function's frame: what lies between two depths of %rsp was made room for at once. An object
    does not reach beyond that, and begins where a pointer is made to.
    """

    def __init__(self):
        self.depths, self.pointed = set(), []  # None among the latter: it may be anywhere

    def end(self, place):
        """Of what was made room for together with that place."""
        return min((-depth for depth in self.depths if -depth > place), default=0)

    def spares(self, place):
        """Is a word there in no object that a pointer is made to?"""
        return place < 0 and not any(at is None or (self.end(at) == self.end(place) and
                                                    at < place + 8) for at in self.pointed)


class Flow:
    """Where control goes in a list of pieces (kind, text, ...)."""

    def __init__(self, code, parse, named):
        self.code, self.into, self.function = code, {}, []
        self.parsed = [parse(text) if kind == "code" else None for kind, text, *_rest in code]
        self.labels = {piece[1]: i for i, piece in enumerate(code)
                       if piece[0] == "label" and not piece[1].isdigit()}
        function = ""
        for position, (kind, text, *_rest) in enumerate(code):
            if kind == "label" and text[0] != "." and not text.isdigit():
                function = text.removesuffix(".cold")
            self.function.append(function)
            target = self.target(position)
            if target is not None:
                self.into[position] = target
        self.begins = self.entered(named | self.named())

    def calls(self, position):
        return self.parsed[position][0].startswith("call")

    def target(self, position):
        """Where the jump or call goes; None: elsewhere, or it is none."""
        if not self.parsed[position] or not (self.parsed[position][0][0] == "j" or
                                             self.calls(position)):
            return None
        name = self.parsed[position][1][0]
        local = re.match(r"^(\d+)([bf])$", name)
        if not local:
            return self.labels.get(name)
        at = [i for i, piece in enumerate(self.code) if piece[:2] == ("label", local.group(1))]
        if local.group(2) == "f":
            return min(i for i in at if i > position)
        return max(i for i in at if i < position)

    def named(self):
        """All names in operands but jumps', and in directives but those of sizes and types."""
        texts = [text for position, (kind, text, *_rest) in enumerate(self.code)
                 if (kind == "directive" and not text.startswith((".type", ".size"))) or
                 (kind == "code" and position not in self.into)]
        return set(re.findall(r"[.A-Za-z_$][\w.$]*", " ".join(texts)))

    def entered(self, named):
        """Where control may come from elsewhere: at what is named, and where nothing leads to."""
        found, first, from_named, reached = {}, 0, False, False
        jumped = set(self.into.values())
        function = False
        for position, (kind, text, *_rest) in enumerate(self.code):
            if kind == "label":
                from_named |= text in named
                reached |= position in jumped
                function |= text == self.function[position]
            elif kind == "code":
                # All labels since the last instruction are one place.
                if from_named or not reached:
                    found[first] = function
                from_named = function = False
                first, reached = position + 1, not ENDS.match(self.parsed[position][0])
        return found

    def run(self, frames):
        """What is known at each position; None: control never comes there."""
        known = [None] * (len(self.code) + 1)
        for position, function in self.begins.items():
            known[position] = Known(NOTHING, 0 if function else None)
        waiting = sorted(self.begins)

        def arrive(position, what):
            met = known[position].met_with(what) if known[position] else what
            if not known[position] or not met.same(known[position]):
                known[position] = met
                waiting.append(position)

        while waiting:
            position = waiting.pop()
            if position == len(self.code):
                continue
            what = known[position]
            if not self.parsed[position]:
                arrive(position + 1, what)
                continue
            if position in self.into:
                arrive(self.into[position],
                       Known(what.registers, 0) if self.calls(position) else what)
            if not ENDS.match(self.parsed[position][0]):
                arrive(position + 1, what.after(*self.parsed[position],
                                                frames[self.function[position]]))
        return known

    def frames(self, known):
        """Of all functions, by name."""
        frames = defaultdict(Frame)
        for position, parsed in enumerate(self.parsed):
            if not parsed or not known[position]:
                continue
            mnemonic, operands = parsed
            frame, what = frames[self.function[position]], known[position]
            frame.depths.add(what.depth or 0)
            source = operands[0] if operands else ""
            if MOVE.match(mnemonic) and source == "%rsp":
                frame.pointed.append(what.place("(%rsp)"))
            elif mnemonic.startswith("lea") and "(%rsp" in source:
                frame.pointed.append(what.place(source))
            elif operands and operands[-1] != "%rsp" and (
                    (ADDS.match(mnemonic) and what.points(operands[-1])) or
                    (mnemonic.startswith("lea") and points_there(source, what.registers))):
                frame.pointed.append(None)
        return frames


class NoFrame:
    """Before frames are known: nothing is kept in one."""

    @staticmethod
    def spares(_place):
        return False


def own_pointers(code, parse, named):
    """
    By position the mask of registers that point into the writer's own stack. `parse`: an
    instruction's mnemonic and operands, prefixes gone; `named`: what is named outside of the code.
    """
    flow = Flow(code, parse, named)
    depths = flow.run(defaultdict(NoFrame))
    return [what.registers if what else NOTHING for what in flow.run(flow.frames(depths))]
