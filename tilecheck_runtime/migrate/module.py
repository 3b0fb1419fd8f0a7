"""Writes the file of a migrated kernel."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Final

import libcst as cst

from tilecheck.interp.kernel.access import Param
from tilecheck.repair.source.tree import get_dotted_name
from tilecheck.symbolic import ArrayParam
from tilecheck_runtime.migrate.dependencies import collect_dependencies
from tilecheck_runtime.migrate.pieces import Pieces
from tilecheck_runtime.migrate.refusal import Refusal
from tilecheck_runtime.migrate.rewrite import Rewritten, rewrite_body
from tilecheck_runtime.migrate.source_kernel import SourceKernel

__all__ = ["Migrated", "migrate_kernel"]

_OURS: Final = frozenset({"requires", "kernel", "unsafe", "deny_residual"})


class Migrated:
    """A kernel in the dialect: its text, and the new parameters."""

    def __init__(
        self, text: str, name: str, made: Pieces, rewritten: Rewritten, parameters: tuple[str, ...],
        dropped: tuple[str, ...],
    ) -> None:
        self.text = text
        self.name = name
        self.made = made
        self.rewritten = rewritten
        self.parameters = parameters
        self.dropped = dropped


def migrate_kernel(subject: SourceKernel, made: Pieces, dtypes: Mapping[str, str], origin: str) -> Migrated:
    """Returns the file with the kernel in the dialect. Raises `Refusal`."""
    done = rewrite_body(subject, made, dict(dtypes))
    kept = [p for p in subject.model.params if p.kind == "array" or p.name in done.kept]
    annotations = {p.name: _annotation(subject, made, done, p, dtypes) for p in kept}
    for p in subject.model.params:
        if p.kind not in ("array", "constant", "scalar", "unknown"):
            raise Refusal(f"`{p.name}` is a {p.kind}, which a kernel of the dialect cannot take", p.span.line)
    clauses = _clauses(subject, made, done, {p.name for p in kept})
    ct = subject.source.tile_module()
    assert ct is not None
    extra = collect_dependencies(subject.source.text, [n for n in done.free if n != ct.partition(".")[0]], typed=True)
    imports = sorted({"kernel", *(["requires"] if clauses else []), *(word for a in annotations.values() for word in
                     _words(a) if word in _RUNTIME or word in dtypes.values())}, key=_sort_key)
    variables = dict.fromkeys(word for a in annotations.values() for word in _words(a)
                              if word in done.names.variables.values())
    typing = [name for name, used in (
        ("Any", any("Any" in d for d in extra.definitions)),
        ("Literal", any("Literal[" in a for a in annotations.values())), ("TypeVar", bool(variables))) if used]
    others = [line for line in extra.imports if line not in (f"import cuda.tile as {ct}", _import_of(ct))]
    lines = [f'"""`{subject.function.name.value}` of {origin} in the ownership dialect."""', "",
             "from __future__ import annotations", ""]
    first = [line for line in others if line.split()[1].partition(".")[0] in sys.stdlib_module_names]
    first += [f"from typing import {', '.join(typing)}"] if typing else []
    second = [line for line in others if line not in first]
    if f"{ct}." in done.body or any(f"{ct}." in d for d in extra.definitions):
        second.append(_import_of(ct))
    for group in (first, second):
        lines += [*sorted(group, key=lambda line: (line.startswith("from"), line)), ""] if group else []
    lines += [f"from tilecheck_runtime import {', '.join(imports)}", ""]
    lines += [f'{name} = TypeVar("{name}", bound=int)' for name in variables]
    for definition in extra.definitions:
        lines += ["", "", definition] if definition.startswith(("def", "@")) else [definition]
    lines += ["", ""]
    lines += [f"@requires({', '.join(quote(c) for c in clauses)})"] if clauses else []
    lines += ["@kernel", *_header(subject, done, kept, annotations), done.body.rstrip(), ""]
    dropped = tuple(p.name for p in subject.model.params if p not in kept and p.name not in done.names.pieces)
    return Migrated("\n".join(lines), subject.function.name.value, made, done, tuple(p.name for p in kept), dropped)


_RUNTIME: Final = frozenset({"Dyn", "Mut", "Ref", "Shared"})


def _sort_key(name: str) -> tuple[bool, str]:
    return name[0].islower(), name


def quote(text: str) -> str:
    return f'"{text}"'


def _words(text: str) -> list[str]:
    return [word for word in text.replace("[", " ").replace("]", " ").replace(",", " ").split() if word]


def _import_of(ct: str) -> str:
    return {"cuda.tile": "import cuda.tile", "tile": "from cuda import tile"}.get(ct, f"import cuda.tile as {ct}")


def _header(subject: SourceKernel, done: Rewritten, kept: list[Param], annotations: Mapping[str, str]) -> list[str]:
    name = subject.function.name.value
    parts = [f"{done.names.locals.get(p.name, p.name)}: {annotations[p.name]}" for p in kept]
    line = f"def {name}({', '.join(parts)}) -> None:"
    if len(line) <= 120:
        return [line]
    return [f"def {name}(", *(f"    {part}," for part in parts), ") -> None:"]


def _annotation(subject: SourceKernel, made: Pieces, done: Rewritten, p: Param, dtypes: Mapping[str, str]) -> str:
    if p.kind == "constant" and _annotated_type(subject, p.name) not in ("float", "bool"):
        return done.names.variables[p.name]
    if p.kind != "array":
        found = _annotated_type(subject, p.name)
        return found if found in ("int", "float", "bool") else _number(subject, p.name)
    dtype = dtypes[p.name]
    piece = made.of(p.name)
    if piece is not None:
        extents = [f"Literal[{a.extent}]" if isinstance(a.extent, int) else done.names.variables[a.extent]
                   for a in piece.axes]
        return f"Mut[{', '.join((dtype, *extents))}]"
    rank = dict(subject.model.ranks).get(ArrayParam(p.name))
    if rank is None:
        raise Refusal(f"the number of axes of `{p.name}` is not known", p.span.line)
    kind = "Shared" if any(array == p.name for array, _ in made.shared) else "Ref"
    return f"{kind}[{', '.join((dtype, *['Dyn'] * rank))}]"


def _annotated_type(subject: SourceKernel, name: str) -> str:
    """The plain type in the annotation of a parameter or constant; empty without one."""
    for param in subject.function.params.params:
        if param.name.value == name and param.annotation is not None:
            node = param.annotation.annotation
            if isinstance(node, cst.Subscript) and isinstance(node.slice[0].slice, cst.Index):
                node = node.slice[0].slice.value
            text = get_dotted_name(node)
            return {"ConstInt": "int", "ConstFloat": "float", "ConstBool": "bool"}.get(text, text)
    return ""


def _number(subject: SourceKernel, name: str) -> str:
    """The type of a number without annotation: a number in an index or a bound is an integer."""
    whole = {atom for access in subject.model.accesses for term in (*access.region.index, *access.tile_index)
             for atom in (str(a.key) for a in term.atoms())}
    guards = " ".join(access.region.guard.key for access in subject.model.accesses)
    return "int" if name in whole or name in guards.replace("(", " ").replace(")", " ").split() else "float"


def _clauses(subject: SourceKernel, made: Pieces, done: Rewritten, kept: set[str]) -> list[str]:
    """Returns the preconditions under which both kernels do the same: the declared ones, and that an axis which the
    original treats as one tile is one tile."""
    out = []
    for declared in subject.model.declared:
        words = set(_words(declared.text.replace("(", " ").replace(")", " ").replace("*", " ").replace(".", " ")))
        gone = {p.name for p in subject.model.params} - kept - set(done.names.variables)
        if not words & gone:
            text = declared.text
            for old, new in (*done.names.variables.items(),):
                text = " ".join(new if word == old else word for word in text.split(" "))
            out.append(text)
    for piece in made.found:
        for axis, part in enumerate(piece.axes):
            if part.coordinate is None:
                extent = done.names.variables[part.extent] if isinstance(part.extent, str) else part.extent
                out.append(f"{piece.array}.shape[{axis}] <= {extent}")
    return list(dict.fromkeys(out))
