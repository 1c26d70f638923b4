# SPDX-License-Identifier: MIT
"""What a header does not need is left out: conditions that its own text decides, and what neither
the user's functions nor anything that they use names."""
import re

# Of the compiler, and of the user: these stay open.
OPEN = re.compile(r"^__|_MAX$|TSAN$|_MONOTONIC$|(SUBBUF_SHIFT|COUNT_SHIFT|_OVERWRITE|_CLOCK|_H)$")
COLUMNS = 120
NAME = re.compile(r"[A-Za-z_]\w*")
QUIET = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', re.S)


def decided(text):
    """Without conditions on macros that the text defines before them, or never."""
    out, stack, defined = [], [], {}  # stack: [decidable, taken so far, live]
    for line in text.split("\n"):
        live = all(one[2] for one in stack)
        found = re.match(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif|define)\b\s*(\w*)(?: ==)? ?(\d+)?", line)
        word, name, value = found.groups() if found else ("", "", None)
        if word in ("ifdef", "ifndef", "if"):
            compared = word == "if" and re.search(name + r"( == \d+)?$", line) and not OPEN.search(name) and \
                defined.get(name)
            closed = not live or compared or word != "if" and not OPEN.search(name)
            holds = compared == value if compared and value else compared != "0" if compared else word == "if" or (name in defined) == (word == "ifdef")
            stack.append([closed, holds, holds if closed else True])
            if closed:
                continue
        elif word in ("elif", "else") and stack[-1][0]:
            stack[-1][2] = not stack[-1][1]
            continue
        elif word == "endif":
            if stack.pop()[0]:
                continue
        elif word == "define" and live:
            defined[name] = value
        if live:
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


def closing(text, at):
    """Behind the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "({[") - (text[i] in ")}]")
        if not depth:
            return i + 1
    raise ValueError(text[at:])


def statement(text, at):
    """The end of the statement at `at`, with its else."""
    at += len(text[at:]) - len(text[at:].lstrip())
    if text[at] == "{":
        return closing(text, at)
    if not text.startswith("if (", at):
        return text.index(";", at) + 1
    end = statement(text, closing(text, at + 3))
    more = re.match(r"\s*else\b", text[end:])
    return statement(text, end + more.end()) if more else end


def chosen(text, at, holds):
    """Without the `if` at `at`, whose condition `holds` or does not."""
    then = closing(text, text.index("(", at))
    end = statement(text, then)
    more = re.match(r"\s*else\b", text[end:])
    last = statement(text, end + more.end()) if more else end
    kept = (text[then:end] if holds else text[end + more.end():last] if more else "").strip()
    if kept.startswith("{"):
        kept = kept[1:-1].strip().replace("\n\t", "\n")
    rest = text[last:]
    if re.search(r"\breturn\b[^;]*;$", kept) and text[:at].endswith("\n\t"):  # nothing comes behind it
        rest = rest[rest.index("\n}"):]
    if kept:
        return text[:at] + kept + rest
    return re.sub(r"\s*/\*(?:[^*]|\*(?!/))*\*/\s*$", "", text[:at]).rstrip() + rest


def predicates(text):
    """What is known of a row: the form of its tail, and that no call here takes an event of the suite's own sizes."""
    tail = re.search(r"#define \w+SCHEME_TAIL (\w+)", text).group(1)
    known = {name: eval(re.sub(r"ring->form", repr(tail), re.sub(r"\b(\w*TAIL_\w+)", r"'\1'", said).replace("||", "or")))
             for name, said in re.findall(r"(\w+)\(const struct \w+ \*ring\)\s*\{\s*return (ring->form [^;]*);", text)}
    known.update((name, False) for name in re.findall(r"\b(\w*event_is_sized)\(uint32_t", text))
    return known


def folded(text):
    """Without the branches that nothing takes."""
    known = predicates(text)
    call = re.compile(r"(!?)\b(%s)\((?:ring|from|id|event->id)\)" % "|".join(known))
    text = call.sub(lambda found: "@%d" % (known[found.group(2)] != bool(found.group(1))), text)
    for name, value in re.findall(r"^#define (\w+) (true|false)(?: /\*.*)?$", text, re.M):
        text = re.sub(r"(?<!#define )\b%s\b" % name, "@%d" % (value == "true"), text)
    text = re.sub(r"if \(!?\w+ && @0", "if (@0", text)
    text = re.sub(r"@1\s+&&\s+|\s+&& @1|@0\s+\|\|\s+", "", text)
    for found in reversed(list(re.finditer(r"\n\tbool (\w+) = (@[01]);", text))):
        end = text.index("\n}", found.end())
        text = text[:found.start()] + re.sub(r"\b%s\b" % found.group(1), found.group(2),
                                             text[found.end():end]) + text[end:]
    text = text.replace("!@0", "@1").replace("!@1", "@0")
    text = re.sub(r"(?: \+ )?\((?:@0 \? [^:()]* : 0|@1 \? 0 : [^()]*)\)", "", text)
    text = re.sub(r"@0 \? [^:;]*:\s*", "", text)
    text = re.sub(r"@1 \? ((?:[^:;,()]|\([^()]*\))*?)\s*:(?:[^;,()]|\((?:[^()]|\([^()]*\))*\))*|(= )@1\s*\|\|[^;]*", lambda found: found.group(1) or found.group(2) + "@1", text)
    while True:
        found = re.search(r"\bif \(@([01])(\)|(?<=0)\s+&&[^|;]*;)", text)
        if not found:
            return re.sub(r"@([01])", lambda found: ("false", "true")[int(found.group(1))], text)
        text = chosen(text, found.start(), found.group(1) == "1")


def quiet(part):
    """Drops variables that are no longer used, and marks such parameters as unused: compilers warn of both."""
    head, brace, body = part.text.partition("\n{\n")
    for more, name in re.findall(r"^\t\w+ [^;\n]*(, (\w+));$", body, re.M) if brace else ():
        if len(re.findall(r"\b%s\b" % name, body)) == 1:
            body = body.replace(more + ";", ";")
    for line, name, value in re.findall(r"^(\t(?!return)[\w ]+ \**(\w+)( =[^;\n]*)?;\n)", body, re.M) if brace else ():
        if len(re.findall(r"\b%s\b" % name, body)) == 1:
            body = body.replace(line, line + "\t(void)%s;\n" % name if value else "")
    found = re.search(r"\(([^()]*)\)\s*$", QUIET.sub(" ", head))
    for one in found.group(1).split(",") if found and brace else ():
        name = NAME.findall(one)[-1]
        if name != "void" and not re.search(r"\b%s\b" % name, body):
            body = "\t(void)%s;\n" % name + body
    part.text = head + brace + body


def reached(parts, roots):
    """Those of `parts` that `roots`, names, or anything that they use, name."""
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
            return part.origin in files
        if asserts.match(part.code):
            return all(set(known[name]) & wanted for name in part.uses if name in known)
        return part in wanted or not part.names
    return [part for part in parts if stays(part)]


def undeclared(parts):
    """Without declarations of functions that nothing uses before they are defined."""
    out, seen = [], {}
    for part in reversed(parts):
        name = next(iter(part.names), None)
        if part.kind == "code" and part.code.endswith(");") and name in seen and \
                part.code.startswith("static") and not any(name in one.uses for one in out[seen[name]:]):
            defined = out[seen[name] - 1]
            if defined.text.startswith("static"):
                defined.text = part.text[:part.text.index("static")] + defined.text
            continue
        out.append(part)
        if part.kind == "code" and part.code.endswith("}") and name:
            seen[name] = len(out)
    return out[::-1]


def pruned(text, *users):
    """For each of `users`, a text, the parts of `text` that its names need and the ones before do not."""
    text = re.sub(r"^\s*\w+_POINT(_COUNT|_PATH)?\([^\n]*\);( \\)?\n", "", decided(text), flags=re.M)
    for name in re.findall(r"^#define (\w+)$", text, re.M):  # of which nothing comes
        text = re.sub(r"^%s\n" % name, "", text, flags=re.M)
        if not OPEN.search(name) and not re.search(r"^#define %s[ (]" % name, text, re.M):
            text = re.sub(r"^#define %s\n|^[ \t]*%s;?( \\)?\n| \b%s\b" % (name, name, name), "", text, flags=re.M)
    text = re.sub(r" \\\n\n", "\n\n", text)
    text = folded(text)
    for name, other in re.findall(r"^#define (\w+) ([A-Za-z_]\w*)$", text, re.M):  # another word for it
        if len(re.findall(r"^#define %s\b" % name, text, re.M)) == 1 and not any(name in one for one in users):
            other = re.search(r"^#define %s (\w+)$" % name, text, re.M).group(1)  # of which another word is known by now
            text = re.sub(r"\b%s\b" % name, other, re.sub(r"^#define %s .*\n" % name, "", text, flags=re.M))
    text = re.sub(r"\(__extension__\(\{ \\\n\s*([^;\n]*); \\\n\s*\}\)\)", r"(\1)", text)  # a statement alone
    text = re.sub(r"\\\n\s*do \{ \\\n\s*([^;\n]*); \\\n\s*\} while \(0\)", r"\1", text)
    parts, out, before = chunks(text), [], set()
    for part in parts:
        quiet(part)
    roots = re.findall(r"^\w+$", text, re.M)
    roots += [name for part in parts if part.kind == "directive" for name in part.uses]
    for user in users:
        roots += NAME.findall(QUIET.sub(" ", user))
        mine = undeclared(reached(parts, roots))
        out.append([part for part in mine if part not in before or part.kind == "directive"])
        before.update(mine)
    used = set(roots).union(*(part.uses for part in before))
    for part in before:  # values of an enum
        if re.match(r"enum\b[^=]*\{", part.code):
            part.text = "".join(line + "\n" for line in part.text.split("\n")[:-1]
                                if not re.match(r"\t\w+ = ", line) or line.split()[0] in used)
    return out


def hoisted(parts, names):
    """The definitions of structs `names`, taken out of `parts`."""
    found = [part for name in names for part in parts if name in part.names and "{" in part.code]
    for part in found:
        parts.remove(part)
    return "\n".join(part.text for part in found)


def told(part, names):
    """Of what a file says of itself the row's own, and what the code refers to; nothing of macros that others have."""
    paragraphs = [one for one in re.split(r"\n \*\n", re.sub(r"^/\*\n|\n \*/\n*$", "", part.text))
                  if set(re.findall(r"\b[A-Z][A-Z_0-9]{5,}\b", one)) <= names]
    kept = [one for one in paragraphs if re.match(r" \* (I\d|Layout: u)", one)]
    if re.match(r"schemes/\w+\.h", part.origin):
        kept = [one for one in paragraphs if not one.startswith("/* clang-format")]
    return "/*\n%s\n */\n" % "\n *\n".join(kept) if kept else ""


def brief(part):
    """A definition with the first sentence of its comment; what is one statement in one line."""
    text = part.text
    if part.kind != "comment":
        said = re.match(r"/\*[\s*]*(.*?)\s*\*/\n", text, re.S)
        if said and "\n" in said.group(0)[:-1]:
            words = re.sub(r"\s*\n\s*\*\s*", " ", said.group(1))
            text = "/* %s */\n" % re.match(r".*?[.?](?=\s|$)|.*", words).group(0) + text[said.end():]
        lines = []
        for line in re.sub(r"\n\n+", "\n", text.strip("\n")).split("\n"):
            if lines and re.match(r'\t+"[^"]*"( "[^"]*")?( \\)?$', lines[-1]) and line.lstrip().startswith('"') and \
                    len((lines[-1] + line).expandtabs(8)) <= COLUMNS:  # instructions
                lines[-1] = lines[-1].removesuffix(" \\") + " " + line.strip()
                continue
            joined_up = lines and lines[-1].rstrip(" \t") + (" " if lines[-1][-1:] != "(" else "") + line.strip()
            if lines and re.search(r"[,(=|&:?+]$", lines[-1]) and len(joined_up.expandtabs(8)) <= COLUMNS and \
                    "/*" not in line and "#" not in joined_up and not re.match(r"\t*(\.|\}|\w+( = [^(]*)?,$)", line):
                lines[-1] = joined_up
            else:
                lines.append(line)
        text = "\n".join(lines) + "\n"
        short = re.sub(r"\)\n\{\n\t([^\n]*;)\n\}\n$", r") { \1 }\n", text)
        short = re.sub(r"^(#define [^\n]*) \\\n\s*([^\n]*)\n$", r"\1 \2\n", short, flags=re.M)
        if max(map(len, short.split("\n"))) <= 160:
            text = short
    return text.strip("\n").replace("\n{\n", " {\n") + "\n"


def joined(parts):
    """The text of `parts`, without conditions that nothing is left in."""
    out, last, seen = "", None, set()
    names = {name for part in parts for name in part.names}
    marked = {part.origin for part in parts if part.kind == "code" and re.search(r"/\*[^/]*\bI\d\b", part.text)}
    for part in parts:
        text = brief(part)
        if part.kind == "comment":
            text = "" if part.origin in seen or part.origin not in marked else told(part, names)
            seen.add(part.origin)
            if not text:
                continue
        # What takes a line or two stands close to what does, and macros without a comment to macros.
        apart = (text.count("\n") > 2 or last and last[1].count("\n") > 2) and \
            not (last and text.startswith("#define") and last[0].code.startswith("#define"))
        out += "\n" * bool(apart and not (last and re.match(r"#\s*(if|el)", last[0].code)) and
                           not re.match(r"#\s*(end|el)", part.code)) + text
        last = part, text
    empty = re.compile(r"^(?:/\*(?:[^*]|\*(?!/))*\*/\n)?\s*#\s*if[^\n]*\n(?:\s*#\s*(?:else|elif)[^\n]*\n|\s*\n)*\s*#\s*endif[^\n]*\n", re.M)
    while empty.search(out):
        out = empty.sub("", out)
    return out
