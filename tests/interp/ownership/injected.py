"""Faults of ownership put into right host code: one edit each, of the kinds that people make."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

KINDS: Final = ("alias", "use after move", "in flight", "argument order", "dropped launch")


@dataclass(frozen=True)
class Fault:
    """One edit.

    kind      one of `KINDS`
    function  that it is in
    text      of the whole file with it
    lines     that it touches, of the edited text
    """

    kind: str
    function: str
    text: str
    lines: range

    def __str__(self) -> str:
        return f"{self.kind} in {self.function}:{self.lines.start}"


@dataclass(frozen=True)
class _Edit:
    """Source positions to be replaced, in order, and what the line is followed by."""

    node: ast.expr
    new: str
    statement: ast.stmt
    after: str = ""


class _File:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def of(self, node: ast.AST) -> str:
        return ast.get_source_segment(self.text, node) or ""

    def apply_edit(self, edit: _Edit) -> tuple[str, range]:
        """The text with an edit, and the lines of the statement in it."""
        node, statement = edit.node, edit.statement
        start, end = self.at(node.lineno, node.col_offset), self.at(node.end_lineno or 0, node.end_col_offset or 0)
        out = self.text[:start] + edit.new + self.text[end:]
        last = (statement.end_lineno or 0) + edit.new.count("\n") - self.of(node).count("\n")
        if edit.after:
            rows = out.splitlines(keepends=True)
            rows.insert(last, " " * statement.col_offset + edit.after + "\n")
            out = "".join(rows)
        return out, range(statement.lineno, last + 1 + bool(edit.after))


def faults(text: str) -> Iterator[Fault]:
    """All faults that can be put into the functions of a file."""
    file = _File(text)
    tree = ast.parse(text)
    kernels = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.decorator_list} | {"add", "gemm"}
    for function in tree.body:
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and not function.decorator_list:
            for statement in _statements(function):
                for kind, make in _MAKERS:
                    for edit in make(file, statement, kernels):
                        new, lines = file.apply_edit(edit)
                        yield Fault(kind, function.name, new, lines)


def _statements(function: ast.AST) -> Iterator[ast.stmt]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.Expr | ast.Return) and node is not function:
            yield node


def _launches(statement: ast.stmt, kernels: set[str]) -> Iterator[ast.Call]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kernels and len(
                node.args) >= 3 and not any(isinstance(a, ast.Starred) for a in node.args):
            yield node


def _bound(statement: ast.stmt) -> set[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}


def _in_lambda(statement: ast.stmt, node: ast.AST) -> bool:
    return any(node in ast.walk(inner) for inner in ast.walk(statement) if isinstance(
        inner, ast.Lambda | ast.ListComp))


# --- kinds -----------------------------------------------------------------------------------------------------------

def _alias(file: _File, statement: ast.stmt, kernels: set[str]) -> Iterator[_Edit]:
    """The tensor that is partitioned for the output is passed as an input too."""
    for call in _launches(statement, kernels):
        output = call.args[0]
        partitioned = isinstance(output, ast.Call) and isinstance(output.func, ast.Attribute) and (
            output.func.attr == "partition")
        if partitioned and isinstance(output.func.value, ast.Name):
            yield _Edit(call.args[1], output.func.value.id, statement)
    for values in _torch_arguments(statement):
        arrays = [v for v in values.elts if isinstance(v, ast.Name)]
        outputs = [v for v in arrays[1:] if v.id.startswith("out")] or arrays[1:2]
        if outputs:
            yield _Edit(outputs[0], arrays[0].id, statement)


def _torch_arguments(statement: ast.stmt) -> Iterator[ast.Tuple]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and file_name(node.func) == "ct.launch" and len(node.args) == 4 and isinstance(
                node.args[3], ast.Tuple):
            yield node.args[3]


def file_name(node: ast.expr) -> str:
    """A dotted name as written."""
    return f"{node.value.id}.{node.attr}" if isinstance(node, ast.Attribute) and isinstance(
        node.value, ast.Name) else ""


def _read_after_move(file: _File, statement: ast.stmt, kernels: set[str]) -> Iterator[_Edit]:
    """Reads a moved variable on the next line."""
    if isinstance(statement, ast.Return):
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in (
                "partition", "unpartition", "share") and isinstance(node.func.value, ast.Name):
            name = node.func.value.id
            shared = f"{name} = " in file.text and node.func.attr == "share" and _is_shared(file, name, node)
            if name not in _bound(statement) and not shared and not _in_lambda(statement, node):
                yield _Edit(node, file.of(node), statement, f"print({name}.numpy())")
    for call in _launches(statement, kernels):
        if isinstance(call.args[0], ast.Name) and call.args[0].id not in _bound(statement) and not _in_lambda(
                statement, call):
            yield _Edit(call, file.of(call), statement, f"print({call.args[0].id}.numpy())")


def _is_shared(file: _File, name: str, node: ast.Call) -> bool:
    """Whether a name is that of a shared handle, which `share` does not move."""
    before = [line for line in file.lines[:node.lineno - 1] if line.strip().startswith(f"{name} = ")]
    return bool(before) and ".share()" in before[-1]


def _flying(file: _File, statement: ast.stmt, kernels: set[str]) -> Iterator[_Edit]:
    """Starts a synchronous operation without a wait, and moves an input on the next line."""
    for node in ast.walk(statement):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in (
                "sync", "start") or node.func.value not in set(_launches(statement, kernels)):
            continue
        call = node.func.value
        assert isinstance(call, ast.Call)
        inputs = [a.id for a in call.args[1:] if isinstance(a, ast.Name)]
        if inputs and not _in_lambda(statement, node) and isinstance(statement, ast.Assign | ast.Expr):
            yield _Edit(node, f"{file.of(call)}.start()", statement, f"print({inputs[0]}.partition(16))")


def _swap_outputs(file: _File, statement: ast.stmt, kernels: set[str]) -> Iterator[_Edit]:
    """Swaps the output with the first input, or an array with the constant after it."""
    for call in _launches(statement, kernels - {"split"}):  # which has two outputs that are alike
        first, second, *rest = (file.of(a) for a in call.args)
        keywords = [f"{k.arg}={file.of(k.value)}" for k in call.keywords]
        yield _Edit(call, f"{file.of(call.func)}({', '.join([second, first, *rest, *keywords])})", statement)
    for values in _torch_arguments(statement):
        texts = [file.of(v) for v in values.elts]
        at = next((i for i, v in enumerate(values.elts) if isinstance(v, ast.Constant)), 0)
        if at:
            place = max(i for i in range(at) if not isinstance(values.elts[i], ast.Subscript) or i == 0)
            texts[place], texts[at] = texts[at], texts[place]
            yield _Edit(values, f"({', '.join(texts)})", statement)


def _drop_sync(file: _File, statement: ast.stmt, kernels: set[str]) -> Iterator[_Edit]:
    """Drops `.sync()`."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sync" and not (
                isinstance(statement, ast.Return)):
            yield _Edit(node, file.of(node.func.value), statement)


_MAKERS: Final[tuple[tuple[str, Callable[[_File, ast.stmt, set[str]], Iterator[_Edit]]], ...]] = tuple(
    zip(KINDS, (_alias, _read_after_move, _flying, _swap_outputs, _drop_sync), strict=True))
