"""Lowering: what each construct becomes, and that spans agree with the interpreter's own parser."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import Struct

from tilecheck.syntax import tree
from tilecheck.syntax.statements import LowerError, lower_block


def expression(text: str) -> tree.Expr:
    (statement,) = lower_block(f"({text})\n", "f.py")
    assert isinstance(statement, tree.ExprStmt)
    return statement.value


def show(node: object) -> object:
    """A node without spans, as nested tuples."""
    if isinstance(node, tuple):
        return tuple(map(show, node))
    if not isinstance(node, Struct):
        return node
    fields = (getattr(node, name) for name in node.__struct_fields__ if "span" not in name)
    return (type(node).__name__, *map(show, fields))


@pytest.mark.parametrize(("text", "expected"), [
    ("a", ("Name", "a")),
    ("0x_ff", ("Constant", 255)),
    ("1.5", ("Constant", 1.5)),
    ("None", ("Constant", None)),
    ("...", ("Constant", ...)),
    ("'a' \"b\"", ("Constant", "ab")),
    ("-a", ("UnaryOp", "-", ("Name", "a"))),
    ("a // b", ("BinOp", "//", ("Name", "a"), ("Name", "b"))),
    ("a and b and c", ("BoolOp", "and", (("Name", "a"), ("Name", "b"), ("Name", "c")))),
    ("a and (b and c)", ("BoolOp", "and", (("Name", "a"), ("BoolOp", "and", (("Name", "b"), ("Name", "c")))))),
    ("(a or b) or c", ("BoolOp", "or", (("BoolOp", "or", (("Name", "a"), ("Name", "b"))), ("Name", "c")))),
    ("a < b is not c", ("Compare", ("Name", "a"), ("<", "is not"), (("Name", "b"), ("Name", "c")))),
    ("a if t else b", ("IfExp", ("Name", "t"), ("Name", "a"), ("Name", "b"))),
    ("f(a, *b, c=d, **e)", ("Call", ("Name", "f"), (("Name", "a"), ("Starred", ("Name", "b"))),
                            (("Keyword", "c", ("Name", "d")), ("Keyword", None, ("Name", "e"))))),
    ("x[i]", ("Subscript", ("Name", "x"), (("Name", "i"),))),
    ("x[i, j]", ("Subscript", ("Name", "x"), (("Name", "i"), ("Name", "j")))),
    ("x[(i, j)]", ("Subscript", ("Name", "x"), (("Name", "i"), ("Name", "j")))),
    ("x[i,]", ("Subscript", ("Name", "x"), (("Sequence", "tuple", (("Name", "i"),)),))),
    ("x[()]", ("Subscript", ("Name", "x"), (("Sequence", "tuple", ()),))),
    ("x[a:b:c]", ("Subscript", ("Name", "x"), (("SliceExpr", ("Name", "a"), ("Name", "b"), ("Name", "c")),))),
    ("x[:]", ("Subscript", ("Name", "x"), (("SliceExpr", None, None, None),))),
    ("{a, b}", ("Sequence", "set", (("Name", "a"), ("Name", "b")))),
    ("[a, *b]", ("Sequence", "list", (("Name", "a"), ("Starred", ("Name", "b"))))),
    ("{a: b, **c}", ("DictExpr", (("Name", "a"), None), (("Name", "b"), ("Name", "c")))),
    ("[a for a in b if c]", ("Comprehension", "list", ("Name", "a"), ("Name", "a"), ("Name", "b"), (("Name", "c"),))),
    ("lambda a, *b, c=1, **d: a", ("Lambda", (
        ("Param", "a", None, None, "positional"), ("Param", "b", None, None, "*"),
        ("Param", "c", None, ("Constant", 1), "keyword"), ("Param", "d", None, None, "**")), ("Name", "a"))),
    ("n := a", ("Unknown", "assignment expression", (("Name", "a"),), ("n",))),
    ("f'{a} {b:{c}}'", ("Unknown", "formatted string with a computed format",
                        (("Name", "a"), ("Name", "b"), ("Name", "c")), ())),
    ("[a for b in c for a in b]", ("Unknown", "comprehension",
                                   (("Name", "a"), ("Name", "b"), ("Name", "c"), ("Name", "a"), ("Name", "b")), ())),
    ("b'x'", ("Unknown", "bytes", (), ())),
    ("2j", ("Unknown", "complex number", (), ())),
])
def test_expressions(text: str, expected: object) -> None:
    assert show(expression(text)) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("a = b = c", ("Assign", (("Name", "a"), ("Name", "b")), ("Name", "c"), None)),
    ("a: int = b", ("Assign", (("Name", "a"),), ("Name", "b"), ("Name", "int"))),
    ("a: int", ("Annotated", ("Name", "a"), ("Name", "int"))),
    ("a //= b", ("AugAssign", ("Name", "a"), "//", ("Name", "b"))),
    ("import a.b, c.d as e", ("ImportStmt", (("a", "a"), ("e", "c.d")), 0)),
    ("from ..a import b as c, d", ("ImportStmt", (("c", "a.b"), ("d", "a.d")), 2)),
    ("from . import b", ("ImportStmt", (("b", "b"),), 1)),
    ("from a.b import *", ("ImportStmt", (("*", "a.b"),), 0)),
    ("del a, b[c]", ("UnknownStmt", "del",
                     (("Sequence", "tuple", (("Name", "a"), ("Subscript", ("Name", "b"), (("Name", "c"),)))),),
                     ("a",), ())),
    ("global a, b", ("UnknownStmt", "global", (), ("a", "b"), ())),
    ("raise a from b", ("Raise", ("Name", "a"))),
    ("assert a, b", ("AssertStmt", ("Name", "a"))),
    ("for a in b:\n    pass\nelse:\n    c", ("For", ("Name", "a"), ("Name", "b"), (("Pass",),),
                                            (("ExprStmt", ("Name", "c")),))),
    ("while a: break", ("While", ("Name", "a"), (("Break",),), ())),
    ("if a: pass\nelif b: pass", ("If", ("Name", "a"), (("Pass",),), (("If", ("Name", "b"), (("Pass",),), ()),))),
    ("with a as b, c: pass", ("With", ((("Name", "a"), ("Name", "b")), (("Name", "c"), None)), (("Pass",),))),
    ("try: a\nexcept E as e: b\nelse: c\nfinally: d", (
        "Try", (("ExprStmt", ("Name", "a")),),
        ((("UnknownStmt", "except", (("Name", "E"),), ("e",), ()), ("ExprStmt", ("Name", "b"))),),
        (("ExprStmt", ("Name", "c")),), (("ExprStmt", ("Name", "d")),))),
    ("try: a\nexcept* E: b", ("UnknownStmt", "try star", (), (), (
        ("ExprStmt", ("Name", "a")),
        ("UnknownStmt", "except", (("Name", "E"),), (), ()), ("ExprStmt", ("Name", "b"))))),
    ("match a:\n    case C(x, y=[1, *z]) if g: b", (
        "UnknownStmt", "match", (("Name", "a"), ("Name", "C"), ("Name", "y"), ("Constant", 1), ("Name", "g")),
        ("x", "z"), (("ExprStmt", ("Name", "b")),))),
    ("class A(B, metaclass=M):\n    x = 1", ("ClassDef", "A", (("Name", "B"),), (),
                                             (("Assign", (("Name", "x"),), ("Constant", 1), None),))),
])
def test_statements(text: str, expected: object) -> None:
    (statement,) = lower_block(text + "\n", "f.py")
    shown = show(statement)
    if text.startswith("match"):  # which names of a pattern count as expressions does not matter
        assert isinstance(statement, tree.UnknownStmt)
        assert statement.assigns == ("x", "z")
        assert ("Name", "g") in show(statement.children)  # type: ignore[operator]
        assert show(statement.body) == expected[4]  # type: ignore[index]
    else:
        assert shown == expected


def test_async_constructs_retain_their_bindings() -> None:
    (function,) = lower_block("async def f():\n    async for a, b in c:\n        await d\n", "f.py")
    assert isinstance(function, tree.FuncDef)
    assert function.is_async
    (loop,) = function.body
    assert isinstance(loop, tree.UnknownStmt)
    assert loop.assigns == ("a", "b")
    assert len(loop.body) == 1


def test_function_keeps_decorators_and_comments() -> None:
    text = """\
x = 1

# above
# directly above
@d(1)
# between
def f(
    a: int,  # trailing
    /, b=2, *, c,
) -> int:
    '''# not a comment'''
    return a  # last
# below
"""
    _, function = lower_block(text, "f.py", 11)
    assert isinstance(function, tree.FuncDef)
    assert function.comments == (
        (13, "# above"), (14, "# directly above"), (16, "# between"), (18, "# trailing"), (22, "# last"))
    assert show(function.decorators) == (("Call", ("Name", "d"), (("Constant", 1),), ()),)
    assert [(param.name, param.kind) for param in function.params] == [
        ("a", "positional"), ("b", "positional"), ("c", "keyword")]
    assert (function.span.line, function.span.column, function.span.end_line) == (17, 0, 22)
    assert function.name_span == tree.Span("f.py", 17, 4, 17, 5)


def test_indented_text_keeps_its_columns_and_strings() -> None:
    text = "        # c\n        def f():\n            return '''\nx'''\n"
    (function,) = lower_block(text, "f.py", 5)
    assert isinstance(function, tree.FuncDef)
    assert (function.span.line, function.span.column) == (6, 8)
    (statement,) = function.body
    assert isinstance(statement, tree.Return)
    assert show(statement.value) == ("Constant", "\nx")
    assert function.comments == ((5, "# c"),)


@pytest.mark.parametrize("line", [
    'x = "a # b" + \'# c\'  # d',
    "x = '\\'# no'  # d", 'x = """# no\n# no"""  # d', "x = f'{a:#x}'  # d", "x = [  # d\n]",
    "x = ('# no'  # d\n    '# no')", 'x = r"\\\\"  # d',
])
def test_comments_are_distinguished_from_strings(line: str) -> None:
    (function,) = lower_block(f"def f():\n    {line}\n", "f.py")
    assert isinstance(function, tree.FuncDef)
    assert [text for _, text in function.comments] == ["# d"]


@pytest.mark.parametrize(("text", "span"), [
    ("async  def f(): pass\n", (1, 11, 12)), ("def \\\n  g(): pass\n", (2, 2, 3)),
    ("if 1:\n    def höher(): pass\n", (2, 8, 13)),
])
def test_names_of_definitions_have_places(text: str, span: tuple[int, int, int]) -> None:
    (found,) = (node for node in nodes(lower_block(text, "f.py")) if isinstance(node, tree.FuncDef))
    line, start, end = span
    assert found.name_span == tree.Span("f.py", line, start, line, end)


@pytest.mark.parametrize(("text", "place"), [
    ("x[(i,)]", (2, 6)), ("x[i,]", (2, 3)), ("x[(i),]", (3, 4)), ("x[*i]", (2, 4)),
])
def test_a_tuple_of_one_index_stays_a_tuple(text: str, place: tuple[int, int]) -> None:
    (statement,) = lower_block(f"{text}\n", "f.py")
    assert isinstance(statement, tree.ExprStmt)
    found = statement.value
    assert isinstance(found, tree.Subscript)
    (only,) = found.items
    assert isinstance(only, tree.Sequence)
    assert (only.span.column, only.span.end_column) == place


def test_expressions_in_a_formatted_string_have_spans_inside_it() -> None:
    (statement,) = lower_block("if 1:\n    x = f\'\'\'{a +\n  b}\'\'\'\n", "f.py")
    (unknown,) = (node for node in nodes(statement) if isinstance(node, tree.Unknown))
    for part in nodes(unknown.children):
        span = getattr(part, "span")  # noqa: B009  # every expression has one
        assert unknown.span.line <= span.line <= span.end_line <= unknown.span.end_line


def test_columns_count_characters() -> None:
    (statement,) = lower_block("f('äö€😀', name)\n", "f.py")
    assert isinstance(statement, tree.ExprStmt)
    assert isinstance(statement.value, tree.Call)
    assert statement.value.args[1].span == tree.Span("f.py", 1, 10, 1, 14)


def test_tabs() -> None:
    first, second = lower_block("def f():\n\tif a:\n\t\tb\ndef g(): pass\n", "f.py")
    assert second.span.line == 4
    assert first.span.end_line == 3
    (only,) = lower_block("\tdef g():\n\t\tpass\n", "f.py", 4)
    assert (only.span.line, only.span.column, only.span.end_line) == (4, 1, 5)


def test_syntax_error_has_its_line() -> None:
    with pytest.raises(LowerError) as caught:
        lower_block("    a = 1\n    b = = 2\n", "f.py", 7)
    assert caught.value.line == 8


def test_deep_nesting_is_an_error_not_a_crash() -> None:
    with pytest.raises(LowerError, match="too deeply"):
        lower_block("x = " + "+".join("a" * 900) + "\n", "f.py")


def nodes(part: object) -> Iterator[object]:
    if isinstance(part, tuple):
        for item in part:
            yield from nodes(item)
    elif isinstance(part, Struct) and not isinstance(part, tree.Span):
        yield part
        for name in part.__struct_fields__:
            yield from nodes(getattr(part, name))


COUNTERPARTS: dict[type[ast.AST], str] = {
    ast.Name: "Name", ast.Attribute: "Attribute", ast.Call: "Call", ast.Subscript: "Subscript", ast.BinOp: "BinOp",
    ast.BoolOp: "BoolOp", ast.UnaryOp: "UnaryOp", ast.Compare: "Compare", ast.IfExp: "IfExp", ast.Lambda: "Lambda",
    ast.Tuple: "tuple", ast.List: "list", ast.If: "If", ast.For: "For", ast.While: "While", ast.Return: "Return",
    ast.Assign: "Assign", ast.AugAssign: "AugAssign", ast.FunctionDef: "FuncDef", ast.ClassDef: "ClassDef",
}


def ignored_nodes(module: ast.Module) -> set[int]:
    """Nodes without a counterpart: what a raise or assert says, keywords of classes, tuples in subscripts."""
    found: set[int] = set()
    for node in ast.walk(module):
        parts: list[ast.AST | None] = []
        match node:
            case ast.Raise():
                parts = [node.cause]
            case ast.Assert():
                parts = [node.msg]
            case ast.ClassDef():
                parts = [keyword.value for keyword in node.keywords]
            case ast.NamedExpr():
                parts = [node.target]
            case ast.FormattedValue() | ast.JoinedStr():
                parts = [node]  # 3.11 places what is in a formatted string by itself
            case ast.Subscript(slice=ast.Tuple()):
                found.add(id(node.slice))
        found.update(id(inner) for part in parts if part is not None for inner in ast.walk(part))
    return found


PACKAGE = Path(__file__).parents[2] / "tilecheck"
LIBRARY = Path(ast.__file__).parent
SAMPLE = [PACKAGE / "syntax/statements.py", PACKAGE / "project/module.py", *(LIBRARY / name for name in (
    "dataclasses.py", "textwrap.py", "heapq.py", "contextlib.py"))]


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.name)
def test_spans_agree_with_the_interpreter(path: Path) -> None:
    with tokenize.open(path) as file:
        text = file.read()
    module = ast.parse(text)
    lines = text.split("\n")
    ours: dict[str, set[tuple[int, int, int, int]]] = {}
    for node in nodes(lower_block(text, "f.py")):
        span = getattr(node, "span", None)
        if isinstance(span, tree.Span):
            name = node.kind if isinstance(node, tree.Sequence) else type(node).__name__
            ours.setdefault(name, set()).add((span.line, span.column, span.end_line, span.end_column))

    def column(line: int, offset: int) -> int:
        return len(lines[line - 1].encode()[:offset].decode())

    skipped = ignored_nodes(module)
    missing = []
    for node in ast.walk(module):
        kind = COUNTERPARTS.get(type(node))
        if kind is None or id(node) in skipped or not isinstance(node, ast.expr | ast.stmt):
            continue
        assert node.end_lineno is not None and node.end_col_offset is not None
        place = (node.lineno, column(node.lineno, node.col_offset), node.end_lineno,
                 column(node.end_lineno, node.end_col_offset))
        if place not in ours.get(kind, set()):
            missing.append((kind, place, ast.unparse(node)))
    assert not missing
