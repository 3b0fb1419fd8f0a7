"""A kernel as its author sees it: the nodes of its source, their names and their values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct

from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.values import Int, Value
from tilecheck.kernel_model.value_trace import values_by_place
from tilecheck.symbolic import Bid, Counter, Term, atoms_of
from tilecheck.symbolic.evaluate import evaluate
from tilecheck.symbolic.footprint import BlockPoint, Witness
from tilecheck.syntax.tree import FIELDS, Assign, Attribute, Call, Constant, Expr, Name, Sequence, Span

if TYPE_CHECKING:
    from tilecheck.project.module import KernelSite
    from tilecheck.project.project import Project

__all__ = ["Given", "Scene", "axes_of", "walk"]

T = TypeVar("T")

_FUNCTIONS: Final = frozenset({"bid", "num_blocks", "num_tiles", "arange", "cdiv"})
"""Functions of `cuda.tile` that are not methods."""
_DEPTH: Final = 8
"""Names that are followed one through another."""


def walk(value: object) -> Iterator[object]:
    """A node of the tree and everything inside it, in the order of the source."""
    if isinstance(value, tuple):
        for x in value:
            yield from walk(x)
    elif FIELDS[type(value)]:
        yield value
        for name in FIELDS[type(value)]:
            yield from walk(getattr(value, name))


class Given(Struct, frozen=True):
    """A name that is bound once in a kernel: where, and to what."""

    target: Name
    value: Expr


class Scene:
    """One kernel. `values` interprets it once more. `spent` counts the steps that trying edits took."""

    def __init__(self, project: Project, site: KernelSite, overlay: Iterable[str], model: KernelModel) -> None:
        self.project = project
        self.site = site
        self.overlay = tuple(overlay)
        self.model = model

        self.spent = 0
        self._remembered: dict[str, Any] = {}

    def remember(self, what: str, found: Callable[[], T]) -> T:
        """The result of `found`, which is called once for each `what`."""
        if what not in self._remembered:
            self._remembered[what] = found()
        remembered: T = self._remembered[what]
        return remembered

    @cached_property
    def _lines(self) -> tuple[str, ...]:
        return self.site.module.lines_of(self.site.definition)

    @cached_property
    def nodes(self) -> tuple[object, ...]:
        return tuple(walk(self.site.definition.body))

    @cached_property
    def calls(self) -> Mapping[Span, Call]:
        """The calls that stand in the kernel itself, and in no helper."""
        return {n.span: n for n in self.nodes if isinstance(n, Call)}

    @cached_property
    def given(self) -> Mapping[str, Given]:
        """The names that are bound once, by an assignment."""
        bound: dict[str, list[Given | None]] = {p.name: [None] for p in self.site.definition.params}
        for node in self.nodes:
            for name, found in _find_bindings(node):
                bound.setdefault(name, []).append(found)
        return {name: found[0] for name, found in bound.items() if len(found) == 1 and found[0] is not None}

    @cached_property
    def values(self) -> Mapping[Span, tuple[Value, ...]]:
        return values_by_place(self.project, self.site)

    @cached_property
    def module(self) -> str:
        """How the kernel says `ct.`: with the dot, and empty where it imports the names themselves."""
        said = (n.func.value.span for n in self.nodes if isinstance(n, Call) and isinstance(n.func, Attribute)
                and n.func.attr in _FUNCTIONS)
        return next((f"{self.text(span)}." for span in said), "")

    def text(self, span: Span) -> str:
        """The source text of a span in the kernel's file, joined to one line."""
        first = self.site.definition.span.line
        lines = self._lines[max(span.line - first, 0):max(span.end_line - first + 1, 0)]
        if not lines or span.file != self.site.module.path:
            return ""
        if len(lines) == 1:
            return lines[0][span.column:span.end_column]
        whole = (lines[0][span.column:], *lines[1:-1], lines[-1][:span.end_column])
        return " ".join(line.strip() for line in whole)

    def term(self, e: Expr) -> Term | None:
        """The value of an expression as a term; None unless it has the same value wherever it is executed."""
        if isinstance(e, Constant):
            return Term({(): e.value}) if type(e.value) is int and e.value else Term({}) if e.value == 0 else None
        found = {v.term if isinstance(v, Int) else None for v in self.values.get(e.span, ())}
        return next(iter(found)) if len(found) == 1 else None

    def at(self, term: Term, w: Witness, point: BlockPoint) -> int | None:
        """The value of a term at one side of a witness; None where the witness does not say."""
        env = w.launch
        env.update({Bid(axis): point.block[axis] for axis in range(3)})
        env.update({Counter(name): value for name, value in point.iterations})
        try:
            return evaluate(term, env)
        except (KeyError, ArithmeticError):
            return None

    def resolve(self, e: Expr) -> Expr:
        """An expression; if it is a name that is bound once, the expression that it is bound to."""
        for _ in range(_DEPTH):
            given = self.given.get(e.id) if isinstance(e, Name) else None
            if given is None:
                break
            e = given.value
        return e

    def behind(self, e: Expr) -> Iterator[object]:
        """The nodes of an expression, and of the expressions that its names are bound to."""
        seen: set[str] = set()
        waiting: list[object] = [e]
        while waiting:
            for node in walk(waiting.pop()):
                yield node
                if isinstance(node, Name) and node.id not in seen:
                    seen.add(node.id)
                    if node.id in self.given:
                        waiting.append(self.given[node.id].value)


def _find_bindings(node: object) -> Iterator[tuple[str, Given | None]]:
    """The names that a statement binds, each with its value if the statement spells it."""
    if isinstance(node, Assign):
        for target in node.targets:
            yield from _pair_targets(target, node.value)
        return
    for part in (*walk(getattr(node, "target", None)), *(getattr(node, "assigns", ()))):
        if isinstance(part, Name):
            yield part.id, None
        elif isinstance(part, str):
            yield part, None


def _pair_targets(target: Expr, value: Expr) -> Iterator[tuple[str, Given | None]]:
    if isinstance(target, Name):
        yield target.id, Given(target, value)
    elif isinstance(target, Sequence):
        items = value.items if isinstance(value, Sequence) and len(value.items) == len(target.items) else None
        for k, item in enumerate(target.items):
            if items is not None:
                yield from _pair_targets(item, items[k])
            else:
                yield from ((n.id, None) for n in walk(item) if isinstance(n, Name))


def axes_of(term: Term) -> frozenset[int]:
    """The grid axes that a term depends on."""
    return frozenset(a.axis for a in atoms_of(term) if isinstance(a, Bid))


