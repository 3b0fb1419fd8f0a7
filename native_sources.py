"""What a build has, in its copy of the sources, in place of what stays interpreted where it is compiled.

`record` and `dataclass` add methods to a class, and `cache` and `lru_cache` put an object in front of a function that
is called as any object is. Written out, the methods are compiled, and the functions are called directly.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["write_out_caches", "write_out_records", "write_out_tables", "write_out_unions"]

_OWN: Final = frozenset({"__init__", "__new__", "__post_init__", "__repr__", "__reduce__"})
_FLAGS: Final = frozenset({"default", "default_factory", "init", "repr", "compare", "hash"})
_IMPORTS: Final = ("from typing import Any as _Any, ClassVar as _ClassVar, Final as _Final; "
                   "from tilecheck.frozen import native as _native")
_AT_ONCE: Final = frozenset({"int", "bool", "str"})
"""Types whose values are compared as fast as they are told apart."""


@dataclass(frozen=True)
class _Field:
    """A field as its class has it; `default` and `factory` are expressions."""

    name: str
    type: str
    default: str | None
    factory: str | None
    flags: dict[str, bool]

    def has(self, flag: str) -> bool:
        return self.flags.get(flag, True)

    @property
    def hashed(self) -> bool:
        return self.flags.get("hash", self.has("compare"))


def write_out_records(sources: Sequence[Path]) -> None:
    """Rewrite, in all sources of a build, each class of fields that has no base and is none; no line moves upwards.

    Left as they are: classes with a method that would be in the way, and fields that may be None and have a factory.
    """
    trees = {source: ast.parse(source.read_bytes()) for source in sources}
    bases = {ast.unparse(base).rpartition(".")[2] for tree in trees.values() for node in ast.walk(tree)
             if isinstance(node, ast.ClassDef) for base in node.bases}
    for source, tree in trees.items():
        lines = source.read_text(encoding="utf-8").split("\n")
        # from the last one on: what is added after a class moves what follows
        written = [_written_out(node, lines) for node in reversed(tree.body)
                   if isinstance(node, ast.ClassDef) and node.name not in bases]
        replacing = _replacing(tree, lines)
        if any(written) or replacing:
            lines[lines.index("from __future__ import annotations")] += "\n" + _IMPORTS
            source.write_text("\n".join(lines), encoding="utf-8")


def write_out_caches(source: Path) -> None:
    """Rewrite each function of a module that is kept by `cache` or `lru_cache`.

    Where the number of results is bounded, those of the last half of it that were made or asked for are kept, and at
    most as many before.
    """
    tree = ast.parse(source.read_bytes())
    lines = source.read_text(encoding="utf-8").split("\n")
    changed = False
    for node in reversed(tree.body):
        bound = _bound(node) if isinstance(node, ast.FunctionDef) else None
        if bound is None or not isinstance(node, ast.FunctionDef):
            continue
        lines[(node.end_lineno or 0) - 1] += "\n" + "\n".join(_cached(node, bound))
        for number in range(node.decorator_list[0].lineno, node.lineno):
            lines[number - 1] = ""
        lines[node.lineno - 1] = lines[node.lineno - 1].replace(f"def {node.name}(", f"def _made_{node.name}(", 1)
        changed = True
    if changed:
        lines[lines.index("from __future__ import annotations")] += "\nfrom typing import Final as _Final"
        source.write_text("\n".join(lines), encoding="utf-8")


def write_out_unions(source: Path) -> None:
    """Ask `isinstance` of a tuple of classes where the source has a union of them, which is made anew at each call."""
    lines = source.read_text(encoding="utf-8").split("\n")
    unions = [node.args[1] for node in ast.walk(ast.parse(source.read_bytes()))
              if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance" and len(node.args) == 2]
    # from the last one on: what stands after one on its line moves
    for union in sorted(unions, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        classes = list(_members(union))
        if len(classes) > 1 and all(isinstance(each, (ast.Name, ast.Attribute)) for each in classes):
            _replace(lines, (union.lineno, union.col_offset), (union.end_lineno, union.end_col_offset),
                     f"({', '.join(map(ast.unparse, classes))})")
    source.write_text("\n".join(lines), encoding="utf-8")


def write_out_tables(source: Path) -> None:
    """Say of each constant table of a module that it is a `dict`, where it is declared as a `Mapping`: compiled code
    looks things up in the one itself, and asks the other to."""
    tree = ast.parse(source.read_bytes())
    lines = source.read_text(encoding="utf-8").split("\n")
    for node in tree.body:
        kind = node.annotation if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Dict) else None
        inner = kind.slice if isinstance(kind, ast.Subscript) and ast.unparse(kind.value) == "Final" else None
        if isinstance(inner, ast.Subscript) and ast.unparse(inner.value) == "Mapping":
            name = inner.value
            _replace(lines, (name.lineno, name.col_offset), (name.end_lineno, name.end_col_offset), "dict")
    source.write_text("\n".join(lines), encoding="utf-8")


def _members(union: ast.expr) -> Iterator[ast.expr]:
    if isinstance(union, ast.BinOp) and isinstance(union.op, ast.BitOr):
        yield from _members(union.left)
        yield from _members(union.right)
    else:
        yield union


def _bound(node: ast.FunctionDef) -> int | None:
    """How many results of a function are kept, 0 for all of them; None where none are, or it takes any arguments."""
    arguments = node.args
    if len(node.decorator_list) != 1 or arguments.vararg or arguments.kwarg or not arguments.args:
        return None
    decorator = node.decorator_list[0]
    if ast.unparse(decorator) in ("cache", "functools.cache"):
        return 0
    if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) in ("lru_cache", "functools.lru_cache"):
        (size,) = (k.value for k in decorator.keywords)
        return int(eval(ast.unparse(size), {"__builtins__": {}}) or 0)
    return None


def _cached(node: ast.FunctionDef, bound: int) -> Iterator[str]:
    name, result = node.name, ast.unparse(node.returns) if node.returns is not None else "object"
    parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    types = ", ".join(ast.unparse(p.annotation) for p in parameters if p.annotation is not None)
    names = ", ".join(p.arg for p in parameters)
    key, key_type = (names, types) if len(parameters) == 1 else (f"({names})", f"tuple[{types}]")
    given = ", ".join([p.arg for p in node.args.args] + [f"{p.arg}={p.arg}" for p in node.args.kwonlyargs])
    absent = "None" in result or result in ("object", "Any")  # then None may be what is kept, and is put into a tuple
    made = f"(_made_{name}({given}),)" if absent else f"_made_{name}({given})"
    kept = f"dict[{key_type}, {f'tuple[{result}]' if absent else result}]"
    yield f"_kept_{name}: _Final[{kept}] = {{}}"
    if bound:
        yield f"_older_{name}: _Final[{kept}] = {{}}"
    yield f"def {name}({ast.unparse(node.args)}) -> {result}:"
    yield f"    _key = {key}"
    yield f"    _found = _kept_{name}.get(_key)"
    yield "    if _found is None:"
    if bound:
        yield f"        _found = _older_{name}.get(_key)"
        yield "        if _found is None:"
        yield f"            _found = {made}"
        yield f"        if len(_kept_{name}) >= {max(bound // 2, 1)}:"
        yield f"            _older_{name}.clear()"
        yield f"            _older_{name}.update(_kept_{name})"
        yield f"            _kept_{name}.clear()"
    else:
        yield f"        _found = {made}"
    yield f"        _kept_{name}[_key] = _found"
    yield f"    return _found{'[0]' if absent else ''}"


def _written_out(node: ast.ClassDef, lines: list[str]) -> bool:
    options = _options(node)
    own = {s.name for s in node.body if isinstance(s, ast.FunctionDef)}
    declared = [s for s in node.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
                and not ast.unparse(s.annotation).startswith(("ClassVar", "Final"))]
    fields = [f for f in map(_field, declared) if f is not None]
    if options is None or own & _OWN or len(fields) < len(declared):
        return False
    lines[(node.end_lineno or 0) - 1] += "\n" + "\n".join(_methods(node.name, fields, options, own))
    for s in reversed(declared):
        kind = s.annotation
        if s.value is not None:
            _replace(lines, (kind.end_lineno, kind.end_col_offset), (s.value.end_lineno, s.value.end_col_offset), "")
    lines[node.decorator_list[0].lineno - 1] = ""
    return True


def _replacing(tree: ast.Module, lines: list[str]) -> bool:
    """Import what the records' module has in place of `replace`; whether a module has it."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses":
            for name in node.names:
                if name.name == "replace" and name.asname is None:
                    _replace(lines, (name.lineno, name.col_offset), (name.end_lineno, name.end_col_offset),
                             "replace as _replace")
                    lines[(node.end_lineno or 0) - 1] += "\nfrom tilecheck.frozen import replaced as replace"
                    return True
    return False


def _options(node: ast.ClassDef) -> dict[str, bool] | None:
    """What the class is a record by; None where it is none, or one that is more than fields."""
    if node.bases or node.keywords or len(node.decorator_list) != 1:
        return None
    decorator = node.decorator_list[0]
    made, given = (decorator.func, decorator.keywords) if isinstance(decorator, ast.Call) else (decorator, [])
    options = {str(k.arg): bool(ast.literal_eval(k.value)) for k in given}
    known = ast.unparse(made) in ("record", "dataclass") and options.keys() <= {"frozen", "eq", "slots"}
    return options if known else None


def _field(s: ast.AnnAssign) -> _Field | None:
    assert isinstance(s.target, ast.Name)
    kind = ast.unparse(s.annotation)
    default, factory, flags = s.value, None, dict[str, bool]()
    if isinstance(s.value, ast.Call) and ast.unparse(s.value.func) == "field":
        given: dict[str, ast.expr] = {str(k.arg): k.value for k in s.value.keywords}
        if given.keys() - _FLAGS:
            return None
        default, factory = given.pop("default", None), given.pop("default_factory", None)
        flags = {name: bool(ast.literal_eval(value)) for name, value in given.items()}
        if factory is not None and flags.get("init", True) and ("None" in kind or kind in ("object", "Any")):
            return None
    return _Field(s.target.id, kind, _text(default), _text(factory), flags)


def _text(node: ast.expr | None) -> str | None:
    return None if node is None else ast.unparse(node)


def _methods(name: str, fields: Sequence[_Field], options: dict[str, bool], own: set[str]) -> Iterator[str]:
    given = [f for f in fields if f.has("init")]
    yield "    __dataclass_fields__: _ClassVar[dict[str, _Any]] = {}"
    yield f"    __match_args__: _Final = {tuple(f.name for f in given)!r}"
    yield f"    def __init__({', '.join(('self', *map(_parameter, given)))}) -> None:"
    yield from (f"        self.{f.name} = {_value(f)}" for f in fields)
    yield "        return"
    compared = [f for f in fields if f.has("compare")]
    if options.get("eq", True) and "__eq__" not in own:
        yield "    def __eq__(self, other: object) -> bool:"
        yield f"        if not isinstance(other, {name}):"
        yield "            return NotImplemented"
        yield f"        return {' and '.join(map(_alike, compared)) or 'True'}"
    if options.get("eq", True) and options.get("frozen", False) and "__hash__" not in own:
        yield "    def __hash__(self) -> int:"
        yield f"        return hash(({''.join(f'self.{f.name}, ' for f in fields if f.hashed)}))"
    # fields are not `Final`: mypyc takes an object for alive whose `Final` field is still in use
    frozen = "" if options.get("frozen", False) else ", frozen=False"
    told = {flag: tuple(f.name for f in fields if not f.has(flag)) for flag in ("init", "repr", "compare")}
    flags = "".join(f", {flag}={names!r}" for flag, names in told.items() if names)
    yield f"_native({name}, {tuple(f.name for f in fields)!r}{frozen}{flags})"


def _parameter(f: _Field) -> str:
    if f.factory is not None:
        return f"{f.name}: {f.type} | None = None"
    return f"{f.name}: {f.type}" + ("" if f.default is None else f" = {f.default}")


def _value(f: _Field) -> str:
    if not f.has("init"):
        return f"({f.factory})()" if f.factory is not None else str(f.default)
    return f.name if f.factory is None else f"({f.factory})() if {f.name} is None else {f.name}"


def _alike(f: _Field) -> str:
    """As tuples compare: what is one object is equal to itself. A tuple of a known length is kept as its parts."""
    equal = f"self.{f.name} == other.{f.name}"
    at_once = f.type in _AT_ONCE or (f.type.startswith("tuple[") and "..." not in f.type)
    return equal if at_once else f"(self.{f.name} is other.{f.name} or {equal})"


def _replace(lines: list[str], start: tuple[int | None, int | None], end: tuple[int | None, int | None],
             text: str) -> None:
    """Put a text for what stands from one place to another, in lines and bytes of them; there are as many lines."""
    (first, left), (last, right) = start, end
    assert first is not None and last is not None
    head, tail = lines[first - 1].encode()[:left].decode(), lines[last - 1].encode()[right:].decode()
    for i in range(first, last):
        lines[i] = ""
    lines[first - 1] = head + text + (tail if first == last else "")
    if first < last:
        lines[last - 1] = tail
