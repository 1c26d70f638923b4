# SPDX-License-Identifier: MIT
"""What a header does not need is left out: conditions that its own text decides, and what neither
the user's functions nor anything that they use names."""
import re

# Of the compiler, and of the user: these stay open.
OPEN = re.compile(r"^__|_MAX$|TSAN$|_MONOTONIC$|(SUBBUF_SHIFT|COUNT_SHIFT|_CLOCK|_H)$")
# What these files say of themselves is for who writes a scheme.
SILENT = re.compile(r"core/(scheme|point|hooks|ring|ring_offset|ring_numbered|subbuf_forms)\.h|parts/defaults")
NAME = re.compile(r"[A-Za-z_]\w*")
QUIET = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', re.S)


def decided(text):
    """Without conditions on macros that the text defines before them, or never."""
    out, stack, defined = [], [], set()  # stack: [decidable, taken so far, live]
    for line in text.split("\n"):
        live = all(one[2] for one in stack)
        found = re.match(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif|define)\b\s*(\w*)", line)
        word, name = found.groups() if found else ("", "")
        if word in ("ifdef", "ifndef", "if"):
            closed = not live or word != "if" and not OPEN.search(name)
            holds = live and (word == "if" or (name in defined) == (word == "ifdef"))
            stack.append([closed, holds, holds if closed else True])
            if closed:
                continue
        elif word in ("elif", "else") and stack[-1][0]:
            stack[-1][2] = not stack[-1][1] and all(one[2] for one in stack[:-1])
            continue
        elif word == "endif":
            if stack.pop()[0]:
                continue
        elif word == "define" and live:
            defined.add(name)
        if live or (word == "endif" and all(one[2] for one in stack)):
            out.append(line)
    return "\n".join(out)


class Chunk:
    """A definition with the comment that stands on it, a directive, or a comment of a file."""

    def __init__(self, origin, text):
        self.origin, self.text = origin, text
        code = QUIET.sub(" ", text)
        self.code = code.strip()
        self.names = set()
        self.kind = "code"
        if not self.code:
            self.kind = "comment"
        elif self.code.startswith("#"):
            found = re.match(r"#\s*define\s+(\w+)", self.code)
            self.kind = "code" if found else "directive"
            self.names = {found.group(1)} if found else set()
        else:
            plain = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", " ", code).strip()
            tag = re.match(r"(?:typedef\s+)?(?:struct|enum|union)\s*(\w*)\s*\{", plain)
            if tag:
                self.names |= {tag.group(1)} - {""}
            if re.match(r"enum\b[^;(]*\{", plain):
                self.names |= set(re.findall(r"[{,]\s*([A-Za-z_]\w*)", plain))
            if plain.startswith("typedef"):
                self.names.add(NAME.findall(plain)[-1])
            if not tag:
                function = re.match(r"[^({=;]*?(\w+)\s*\(", plain)
                variable = re.match(r"[^({=;]*?(\w+)\s*(?:\[[^]]*\])?\s*[=;]", plain)
                if function or variable:
                    self.names.add((function or variable).group(1))
        self.uses = set(NAME.findall(code)) - self.names


def chunks(text):
    """The text in pieces, each at file scope."""
    origin, piece, depth, out, told = "", [], 0, [], []

    def done():
        if piece:
            out.append(Chunk(origin, "\n".join(told + piece) + "\n"))
        elif told:
            out.append(Chunk(origin, "\n".join(told) + "\n"))
        told.clear()
        piece.clear()

    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith("//@ "):
            done()
            origin = line[4:]
        elif not line.strip() and not piece:
            done()
        elif not piece and line.startswith("/*"):
            if told:
                done()
            told.append(line)
            while "*/" not in line:
                line = next(lines)
                told.append(line)
        elif not piece and line.startswith("#"):
            piece.append(line)
            while line.endswith("\\"):
                line = next(lines)
                piece.append(line)
            done()
        else:
            piece.append(line)
            code = QUIET.sub("", line)
            depth += code.count("{") + code.count("(") - code.count("}") - code.count(")")
            if not depth and re.search(r"[;}]\s*(/\*.*\*/)?$|^\w+$", line) and "/*" not in code:
                done()
    done()
    return out


def pruned(text, roots):
    """`text` without what neither `roots`, a list of names, nor anything that they use names."""
    text = re.sub(r"^\s*\w+_POINT(_COUNT|_PATH)?\([^\n]*\);( \\)?\n", "", decided(text), flags=re.M)
    for name in re.findall(r"^#define (\w+)$", text, re.M):  # of which nothing comes
        text = re.sub(r"^%s\n" % name, "", text, flags=re.M)
    parts = chunks(text)
    roots = list(roots) + re.findall(r"^\w+$", text, re.M)
    roots += [name for part in parts if part.kind == "directive" for name in part.uses]
    known = {}
    for part in parts:
        for name in part.names:
            known.setdefault(name, []).append(part)
    wanted, queue = set(), [part for name in roots for part in known.get(name, [])]
    while queue:
        part = queue.pop()
        if part not in wanted:
            wanted.add(part)
            queue += [other for name in part.uses for other in known.get(name, [])]
    asserts = re.compile(r"\w+_ASSERT\(")
    files = {part.origin for part in wanted}

    def stays(part):
        if part.kind == "comment":
            return part.origin in files and not SILENT.search(part.origin)
        if asserts.match(part.code):
            return all(set(known[name]) & wanted for name in part.uses if name in known)
        return part in wanted or not part.names
    return [part for part in parts if stays(part)]


def hoisted(parts, names):
    """The definitions of structs `names`, taken out of `parts`."""
    found = [part for name in names for part in parts if name in part.names and "{" in part.code]
    for part in found:
        parts.remove(part)
    return "\n".join(part.text for part in found)


def brief(part):
    """A definition with the first sentence of its comment; what is one statement in one line."""
    text = part.text
    if part.kind != "comment":
        told = re.match(r"/\*[\s*]*(.*?)\s*\*/\n", text, re.S)
        if told and "\n" in told.group(0)[:-1]:
            words = re.sub(r"\s*\n\s*\*\s*", " ", told.group(1))
            text = "/* %s */\n" % re.match(r".*?[.?](?=\s|$)|.*", words).group(0) + text[told.end():]
        short = re.sub(r"\)\n\{\n\t([^\n]*;)\n\}\n$", r") { \1 }\n", text)
        if max(map(len, short.split("\n"))) <= 160:
            text = short
    return text.strip("\n") + "\n"


def joined(parts):
    """The text of `parts`, without conditions that nothing is left in."""
    out, last = "", "\n\n"
    for part in parts:
        text = brief(part)
        # What takes a line stands close to what does.
        out += "\n" * (text.count("\n") > 1 or last.count("\n") > 1) + text
        last = text
    empty = re.compile(r"^\s*#\s*if[^\n]*\n(?:\s*#\s*(?:else|elif)[^\n]*\n|\s*\n)*\s*#\s*endif[^\n]*\n", re.M)
    while empty.search(out):
        out = empty.sub("", out)
    return out
