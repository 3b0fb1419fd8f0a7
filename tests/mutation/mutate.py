"""Single edits of a kernel's index arithmetic, made on its source text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_INDEXED: Final = {"store": 1, "scatter": 1, "store_advanced_indexing": 1, "store_offset": 0}
"""Writing operations, and where their index stands (one less when called on a view)."""
_BLOCKS: Final = {"bid", "num_blocks"}


@dataclass(frozen=True)
class Mutant:
    """An edited source text. `what` names the edit; `line` is where it stands."""

    what: str
    line: int
    text: str
    detail: str


class Source:
    """A text with the offsets of its lines, to replace the text of a node."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.data = text.encode()
        self.starts = [0]
        for line in self.data.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def of(self, node: ast.expr) -> str:
        low, high = self._range(node)
        return self.data[low:high].decode()

    def _range(self, node: ast.expr) -> tuple[int, int]:
        end = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[end[0] - 1] + end[1]

    def replace_node(self, node: ast.expr, by: str) -> str:
        low, high = self._range(node)
        return (self.data[:low] + f"({by})".encode() + self.data[high:]).decode()

    def drop_keyword(self, call: ast.Call, keyword: ast.keyword) -> str:
        """The text less one keyword argument, and the comma before it."""
        low, high = self._range(keyword.value)
        low -= len(f"{keyword.arg}=")
        before = self.data[:low].rstrip()
        if before.endswith(b","):
            low = len(before) - 1
        return (self.data[:low] + self.data[high:]).decode()

    def swap_nodes(self, a: ast.expr, b: ast.expr) -> str:
        (low, mid), (third, high) = sorted((self._range(a), self._range(b)))
        parts = (self.data[:low], self.data[third:high], self.data[mid:third], self.data[low:mid], self.data[high:])
        return b"".join(parts).decode()


def read_called_name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _index_of(node: ast.Call) -> ast.expr | None:
    """The index argument of a writing call."""
    place = _INDEXED.get(read_called_name(node))
    if place is None:
        return None
    named = next((k.value for k in node.keywords if k.arg == "index"), None)
    if named is not None:
        return named
    if len(node.args) == 2 and place == 1 and read_called_name(node) == "store":
        place = 0
    return node.args[place] if place < len(node.args) else None


def mask_of(node: ast.Call) -> ast.expr | None:
    return next((k.value for k in node.keywords if k.arg == "mask"), None)


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _collect_relevant(function: ast.FunctionDef) -> tuple[list[ast.Call], list[ast.expr]]:
    """Writing calls, and the expressions that their indices are computed from."""
    writes = [n for n in ast.walk(function) if isinstance(n, ast.Call) and _index_of(n) is not None]
    wanted: set[str] = set()
    exprs: list[ast.expr] = []
    for call in writes:
        for part in (_index_of(call), mask_of(call)):
            if part is not None:
                exprs.append(part)
                wanted |= _names(part)
    assigned = [n for n in ast.walk(function) if isinstance(n, (ast.Assign, ast.AugAssign, ast.For))]
    known: set[ast.AST] = set()
    while True:
        fresh = [n for n in assigned if n not in known and _targets(n) & wanted]
        if not fresh:
            return writes, exprs
        for node in fresh:
            known.add(node)
            value = node.iter if isinstance(node, ast.For) else node.value
            exprs.append(value)
            wanted |= _names(value)


def _targets(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Assign):
        return {n for t in node.targets for n in _names(t)}
    return _names(node.target) if isinstance(node, (ast.AugAssign, ast.For)) else set()


def _writes(source: Source, call: ast.Call) -> Iterator[Mutant]:
    index = _index_of(call)
    if isinstance(index, ast.Tuple):
        for n, part in enumerate(index.elts):
            if not isinstance(part, ast.Constant):
                yield Mutant("index dropped", part.lineno, source.replace_node(part, "0"), f"{source.of(part)} -> 0")
            for other in index.elts[n + 1:]:
                if source.of(part) != source.of(other):
                    yield Mutant("axes swapped", part.lineno, source.swap_nodes(part, other),
                                 f"{source.of(part)} <-> {source.of(other)}")
    mask = mask_of(call)
    if mask is not None and not isinstance(mask, ast.Constant):
        yield Mutant("mask dropped", mask.lineno, source.replace_node(mask, "None"), f"mask={source.of(mask)} -> None")


def _loop(source: Source, node: ast.Call) -> Iterator[Mutant]:
    """`range(bid, n, step)`: another step."""
    if read_called_name(node) == "range" and len(node.args) == 3:
        step = node.args[2]
        yield Mutant("wrong step", step.lineno, source.replace_node(step, "1"), f"step {source.of(step)} -> 1")


def _arithmetic(source: Source, node: ast.BinOp) -> Iterator[Mutant]:
    left, right, whole = source.of(node.left), source.of(node.right), source.of(node)
    if isinstance(node.op, ast.Add):
        for lost, kept in ((left, right), (right, left)):
            yield Mutant("term dropped", node.lineno, source.replace_node(node, kept), f"{whole} loses {lost}")
    elif isinstance(node.op, ast.Mult):
        for factor in (node.left, node.right):
            name = source.of(factor)
            yield Mutant(
                "step halved", node.lineno, source.replace_node(factor, f"{name} // 2"), f"{whole}: {name} halved"
            )
    elif isinstance(node.op, ast.FloorDiv):
        yield Mutant("divisor doubled", node.lineno, source.replace_node(node.right, f"{right} * 2"), whole)
    elif isinstance(node.op, ast.Mod):
        yield Mutant("modulus halved", node.lineno, source.replace_node(node.right, f"max({right} // 2, 1)"), whole)


def mutants(text: str, kernel: str) -> Iterator[Mutant]:
    """Edits of one kernel of a source text, each once."""
    tree, source = ast.parse(text), Source(text)
    function = next((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == kernel), None)
    if function is None:
        return
    writes, exprs = _collect_relevant(function)
    seen = {text}
    for made in _edits(source, writes, exprs):
        if made.text not in seen:
            seen.add(made.text)
            yield made


def _edits(source: Source, writes: list[ast.Call], exprs: list[ast.expr]) -> Iterator[Mutant]:
    for call in writes:
        yield from _writes(source, call)
    for expr in exprs:
        for node in ast.walk(expr):
            if isinstance(node, ast.Call):
                yield from _loop(source, node)
            elif isinstance(node, ast.BinOp):
                yield from _arithmetic(source, node)
