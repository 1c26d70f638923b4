# SPDX-License-Identifier: MIT
"""Small changes to C (by libclang) and to Python (by ast): where, what, and what it becomes."""
import ast
from collections import namedtuple

# What says the same of its arguments in either order, if only where it is asked for equality.
EITHER_ORDER = ("strcmp", "strncmp", "memcmp", "json_equal", "fmin", "fmax", "calloc")

# Bytes [begin, end) of the file become `after`.
Mutation = namedtuple("Mutation", "line begin end before after kind")

SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||",
           "||": "&&", "+": "-", "-": "+", "*": "/", "/": "*", "&": "|", "|": "&", "<<": ">>",
           ">>": "<<", "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=", "%": "*", "^": "|"}


def at(extent):
    return extent.start.offset, extent.end.offset


def mutation(kind, text, begin, end, after):
    line = text.count(b"\n", 0, begin) + 1
    return Mutation(line, begin, end, text[begin:end].decode(), after, kind)


class OfC:
    """All mutations of a C file's functions; what is outside of them is data, or a contract."""

    def __init__(self, path, text, flags):
        import clang.cindex as clang
        self.kinds = clang.CursorKind
        self.text, self.found = text, []
        self.same = set()  # where comparisons begin of which equal values come to the same
        unit = clang.Index.create().parse(path, args=flags)
        for cursor in unit.cursor.get_children():
            if cursor.kind == self.kinds.FUNCTION_DECL and cursor.is_definition() and \
                    cursor.location.file and cursor.location.file.name == path:
                self.function(cursor)

    def add(self, kind, begin, end, after):
        if begin < end <= len(self.text) or kind == "return early":
            self.found.append(mutation(kind, self.text, begin, end, after))

    def function(self, cursor):
        body = [one for one in cursor.get_children() if one.kind == self.kinds.COMPOUND_STMT][-1]
        inside = body.extent.start.offset + 1
        if self.text[inside - 1:inside] == b"{":
            returned = cursor.result_type.get_canonical().kind.name
            value = {"VOID": "", "RECORD": None, "POINTER": "0"}.get(returned, "0")
            if value is not None:
                self.add("return early", inside, inside, f" return {value};")
        self.walk(body)

    def walk(self, cursor):
        for child in cursor.get_children():
            if child.kind == self.kinds.DECL_STMT and b"static const" in \
                    self.text[child.extent.start.offset:child.extent.end.offset][:13]:
                continue
            if cursor.kind == self.kinds.COMPOUND_STMT:
                self.statement(child)
            self.expression(child)
            self.walk(child)

    def statement(self, one):
        begin, end = at(one.extent)
        kinds = self.kinds
        if one.kind in (kinds.CALL_EXPR, kinds.BINARY_OPERATOR, kinds.UNARY_OPERATOR,
                        kinds.COMPOUND_ASSIGNMENT_OPERATOR):
            if not self.text[begin:end].startswith(b"assert"):
                self.add("drop", begin, end, "(void)0")
        elif one.kind in (kinds.BREAK_STMT, kinds.CONTINUE_STMT):
            self.add("drop", begin, end, ";")

    def expression(self, one):
        kinds = self.kinds
        begin, end = at(one.extent)
        if one.kind == kinds.INTEGER_LITERAL and self.text[begin:end].isdigit():
            self.add("constant", begin, end, str(int(self.text[begin:end]) + 1))
        elif one.kind in (kinds.BINARY_OPERATOR, kinds.COMPOUND_ASSIGNMENT_OPERATOR):
            self.operator(one)
        elif one.kind == kinds.IF_STMT:
            condition = next(one.get_children())
            begin, end = at(condition.extent)
            self.add("negate", begin, end, f"!({self.text[begin:end].decode()})")
            self.greatest(condition, list(one.get_children())[1])
        elif one.kind == kinds.CONDITIONAL_OPERATOR:
            condition, *chosen = one.get_children()
            if sorted(map(self.source, chosen)) == sorted(map(self.source, condition.get_children())):
                self.same.add(condition.extent.start.offset)
        elif one.kind == kinds.CALL_EXPR and one.spelling not in EITHER_ORDER:
            self.arguments(list(one.get_arguments()))

    def source(self, one):
        return self.text[one.extent.start.offset:one.extent.end.offset]

    def greatest(self, condition, then):
        """if (a > b) b = a: of equal values it does not matter which is taken."""
        sides = [self.source(one) for one in condition.get_children()]
        if then.kind == self.kinds.BINARY_OPERATOR and \
                [self.source(one) for one in then.get_children()] == sides[::-1]:
            self.same.add(condition.extent.start.offset)

    def operator(self, one):
        left, right = list(one.get_children())[:2]
        begin, end = left.extent.end.offset, right.extent.start.offset
        word = self.text[begin:end].strip().decode(errors="replace")
        if one.extent.start.offset in self.same and word in ("<", "<=", ">", ">="):
            return
        if word in SWAPPED:
            begin += self.text[begin:end].index(word.encode())
            self.add("operator", begin, begin + len(word), SWAPPED[word])

    def type(self, one):
        """Two pointers of different types are the compiler's affair."""
        its = one.type.get_canonical()
        its = its.get_pointee() if its.kind.name == "POINTER" else its.kind.name
        return its if isinstance(its, str) else its.spelling.replace("const ", "") + " *"

    def arguments(self, them):
        for one, other in zip(them, them[1:]):
            first, second = at(one.extent), at(other.extent)
            texts = [self.text[begin:end] for begin, end in (first, second)]
            if first[1] <= second[0] and texts[0] != texts[1] and \
                    self.type(one) == self.type(other):
                between = self.text[first[1]:second[0]]
                self.add("swap", first[0], second[1],
                         (texts[1] + between + texts[0]).decode(errors="replace"))


def of_c(path, flags):
    with open(path, "rb") as file:
        text = file.read()
    return unique(OfC(path, text, flags).found)


def unique(found):
    """Through macros the same place is met again, and arguments that are one text change places."""
    return sorted({(one.begin, one.end, one.after): one for one in found if one.before != one.after}.values())


COMPARE = {ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
           ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"),
           ast.NotIn: ("not in", "in")}
BINARY = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*")}
NAMES = {"min": "max", "max": "min", "least": "most", "most": "least", "any": "all", "all": "any"}


def of_python(path):
    with open(path, "rb") as file:
        text = file.read()
    starts = [0]
    for line in text.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)

    def place(line, column):
        return starts[line - 1] + column

    def between(left, right, words, kind):
        begin, end = place(left.end_lineno, left.end_col_offset), \
            place(right.lineno, right.col_offset)
        where = text[begin:end].find(words[0].encode())
        if where >= 0:
            found.append(mutation(kind, text, begin + where, begin + where + len(words[0]),
                                  words[1]))

    def whole(node, after, kind):
        found.append(mutation(kind, text, place(node.lineno, node.col_offset),
                              place(node.end_lineno, node.end_col_offset), after))

    found = []
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARE:
                between(node.left, node.comparators[0], COMPARE[type(node.ops[0])], "operator")
            elif isinstance(node, ast.BinOp) and type(node.op) in BINARY:
                between(node.left, node.right, BINARY[type(node.op)], "operator")
            elif isinstance(node, ast.BoolOp):
                words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                between(node.values[0], node.values[1], words, "operator")
            elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
                whole(node, repr(node.value + 1), "constant")
            elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
                whole(node, ast.get_source_segment(text.decode(), node.operand), "negate")
            elif isinstance(node, ast.Name) and node.id in NAMES:
                whole(node, NAMES[node.id], "swap")
            elif isinstance(node, (ast.Continue, ast.Break)):
                whole(node, "pass", "drop")
    return unique(found)
