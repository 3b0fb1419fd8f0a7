"""Builds the explanation of a kernel from its proof."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from tilecheck.explain.clauses import CLAIMS, explained_clauses
from tilecheck.explain.explanation import Cost, ExplainedKernel, ExplainedObligation
from tilecheck.explain.names import Names, names_of, nodes
from tilecheck.explain.steps import sentences, shorten_terms, trace_reason
from tilecheck.interp.kernel.access import Access
from tilecheck.obligations.obligation import DecidedObligation, DecidedSlice
from tilecheck.obligations.padding_examples import launch_that_shows
from tilecheck.pipeline.single_kernel import Study
from tilecheck.rules.messages.wording import element_of, iterations, scalars_of
from tilecheck.symbolic import Array, Counter, Lane, Load, Opaque, atoms_in, of
from tilecheck.symbolic.footprint import Verdict, Witness
from tilecheck.syntax.tree import Assign, Call, Name, Span
from tilecheck.text.block_names import block_name, rank_of_axes

__all__ = ["explain"]

SETTLED: Final[tuple[Verdict, ...]] = ("proved", "atomic", "single-block")
_PAIRS: Final = ("disjoint", "cross-read", "order", "duplicate")
_LINE: Final = re.compile(r"@(\d+)")
_LOOPS: Final = {"_": "the loop", "while": "the `while` loop"}
_BY_CONSTRUCTION: Final = "cell"


def explain(study: Study, line: int | None = None) -> ExplainedKernel:
    """The explanation of a kernel, or of the obligations on one line of it."""
    names = names_of(study.definition, study.model.accesses)
    writer = _Writer(study, names)
    obligations = [*map(writer.obligation, study.proof.obligations), *map(writer.slice, study.proof.slices)]
    shown = tuple(o for o in obligations if line is None or o.line == line)
    clauses = tuple(c for c in explained_clauses(study)
                    if line is None or any(c.clause in o.needs for o in shown))
    printed = " ".join(s for o in shown for s in (*o.steps, *o.index))
    given = tuple((n, text) for n, text in names.given if re.search(rf"(?<![\w.]){re.escape(n)}(?!\w)", printed))
    model = study.model
    gaps = tuple(_cost(study, g.span, f"{g.what}{_describe_effect(g.arrays)}")
                 for g in model.gaps if line is None or g.span.line == line)
    return ExplainedKernel(
        model.name, model.file, model.name_span.line, study.report.verdict,
        (*given, *writer.counters(printed)), shown, clauses,
        len(study.launches), gaps)


def _cost(study: Study, span: Span, text: str) -> Cost:
    return Cost(span.line, study.place(span), text, study.text_at(span))


def _describe_effect(arrays: Iterable[Array]) -> str:
    names = ", ".join(f"`{a}`" for a in arrays)
    return f": it may read and write all of {names}" if names else ""


class _Writer:
    def __init__(self, study: Study, names: Names) -> None:
        self.study, self.names = study, names
        self.rank = rank_of_axes(study.model.axes_read)

    def counters(self, printed: str) -> Iterator[tuple[str, str]]:
        regions = [a.region for a in self.study.model.accesses]
        known = {self.names.spelling.atom(a) for r in regions for a in atoms_in(*r.index, r.guard)
                 if isinstance(a, Counter)}
        for name in dict.fromkeys(re.findall(r"#([A-Za-z_]\w*)", printed)):
            if f"#{name}" not in known:
                continue  # the name is part of a shortened term
            loop = _LOOPS.get(name, f"the loop over `{name}`")
            yield f"#{name}", f"the number of the iteration of {loop}, from 0"

    # --- one obligation ----------------------------------------------------------------------------------------------

    def obligation(self, s: DecidedObligation) -> ExplainedObligation:
        settled = s.verdict in SETTLED
        w = s.witness or (launch_that_shows(s, self.study.model) if s.kind == "padding" and not settled else None)
        compared = s.kind in _PAIRS and s.verdict in ("proved", "conditional") and _BY_CONSTRUCTION not in s.rules
        compared = compared and bool(s.rules)
        return ExplainedObligation(
            s.kind, s.access.span.line, self._where(s.access), s.access.array.text, s.verdict, CLAIMS[s.kind],
            self.study.text_at(s.access.span), self._introduce(s) if compared else "",
            tuple(self._index(s)) if compared else (), tuple(self._steps(s)), self._conclusion(s) if compared else "",
            tuple(c.text for c in s.clauses), tuple(dict.fromkeys(self._list_remedies(s))), w,
            tuple(self._describe_witness(s, w)) if w is not None and not settled else (),
            () if settled else tuple(dict.fromkeys(self._costs(s))), trace_reason(s.reason))

    def _where(self, access: Access) -> str:
        """The location of an access and, in a helper, the location of the call."""
        place = self.study.place(access.span)
        return f"{place}, called on {self.study.place(access.via[0])}" if access.via else place

    def slice(self, s: DecidedSlice) -> ExplainedObligation:
        return ExplainedObligation(
            "slice",
            s.span.line,
            self.study.place(s.span),
            s.whole,
            s.verdict,
            CLAIMS["slice"].replace("slice", "part").replace("array", "tile") if s.whole == "tile" else CLAIMS["slice"],
            self.study.text_at(s.span),
            "",
            (),
            tuple(sentences(s.reason, self.names)),
            "",
            tuple(c.text for c in s.clauses),
            () if s.verdict in SETTLED else tuple(self._declare(c.text for c in s.clauses)),
            None,
            (),
            (),
            trace_reason(s.reason),
        )

    def _introduce(self, s: DecidedObligation) -> str:
        array = s.access.array
        here = self.study.place(s.access.span)
        if s.kind == "duplicate":
            return (f"Suppose two lanes of this operation write one element of `{array}`. Then the index is equal for "
                    "both:")
        if s.kind == "order" and s.other is None:
            return f"Suppose two iterations of one block write one element of `{array}`. Then the index is equal:"
        if s.other is not None and s.other.span != s.access.span and self.study.place(s.other.span) != here:
            first, second = (self.study.place(span) for span in sorted((s.access.span, s.other.span)))
            return (f"Suppose one block does this on {first} and another one on {second}, and both touch one element "
                    f"of `{array}`. Then the index is equal for both:")
        does = "one of them reads and another one writes" if s.kind == "cross-read" else "two blocks write"
        what = f"an element of `{array}`" if s.kind == "cross-read" else f"one element of `{array}`"
        return f"Suppose {does} {what}. Then the index is equal for both:"

    def _index(self, s: DecidedObligation) -> Iterator[str]:
        accesses = [s.access] if s.other is None or s.other.region.index == s.access.region.index else [
            s.other, s.access]
        for a in accesses:
            where = f"{self.study.place(a.span)}, " if len(accesses) > 1 else ""
            for axis in range(len(a.region.index)):
                yield f"{where}axis {axis}: {shorten_terms('`' + self._element(a, axis) + '`')}"

    def _element(self, a: Access, axis: int) -> str:
        """The index of an element along an axis: of a tile, its index times its extent, and the lane."""
        term = a.region.index[axis]
        if a.tile:
            index, extent = a.tile_index[axis], a.tile[axis]
            lanes = [x for x in term.atoms() if isinstance(x, Lane)]
            if len(lanes) == 1 and term == index * extent + of(lanes[0]) and index.monos:
                return f"{self.names.spelling.factor(index)}*{self.names.spelling.factor(extent)} + lane"
        text = self.names.spelling(term)
        # a name alone does not show how the index is computed
        return text if term.single is not None or not text.isidentifier() else (
            f"{text} = {self.names.drop_name(text)(term)}")

    def _steps(self, s: DecidedObligation) -> Iterator[str]:
        if s.kind == "bounds" and s.reach is not None and s.verdict in ("proved", "conditional"):
            yield from self._explain_bounds(s)
            return
        if s.kind == "padding" and s.verdict == "conditional":
            yield "no undefined lane affects a result if a launch satisfies the clauses"
            return
        if s.verdict == "refuted" and s.witness is not None and s.kind in _PAIRS:
            return  # the witness shows it
        yield from sentences(s.reason, self.names)

    def _explain_bounds(self, s: DecidedObligation) -> Iterator[str]:
        assert s.reach is not None
        index = shorten_terms("`" + self.names.clause(s.reach.index) + "`")
        what = "an element" if s.reach.unchecked else "a tile"
        where = " in every launch that satisfies the clauses" if s.clauses else " in every launch"
        yield f"{index} is the index of {what} of `{s.access.array}`{where}"

    def _conclusion(self, s: DecidedObligation) -> str:
        if s.kind == "duplicate":
            return "So they are one and the same lane: different lanes never write one element."
        if s.kind == "order" and s.other is None:
            return "So they are one and the same iteration: different ones never write one element."
        excluded = {"exclusive", "range", "order"} & set(s.rules) and "merge" not in s.rules
        return "So no two blocks do both." if excluded else (
            "So they are one and the same block: different blocks never meet.")

    # --- what is missing ---------------------------------------------------------------------------------------------

    def _list_remedies(self, s: DecidedObligation) -> Iterator[str]:
        if s.verdict in SETTLED:
            return
        if s.missing:
            yield f"if it is true, declare it: # tilecheck: requires {s.missing}"
        if s.verdict == "conditional":
            yield from self._declare(s.semantic_texts)
        declared = bool(s.missing or s.semantic_clauses)
        for d in self.study.diagnostics:
            here = d.span == s.access.span or any(use.span == d.span for use, _ in s.uses)
            if d.code == s.code and d.help and here and not (declared and "requires" in d.help):
                yield d.help

    def _declare(self, texts: Iterable[str]) -> Iterator[str]:
        known = {c.text for c in self.study.proof.declared}
        needed = [t for t in dict.fromkeys(texts) if t not in known]
        if needed:
            yield f"if every launch satisfies it, declare it: @requires({', '.join(_literal(t) for t in needed)})"

    def _describe_witness(self, s: DecidedObligation, w: Witness) -> Iterator[str]:
        grid = str(w.grid[0]) if self.rank == 1 else "(" + ", ".join(map(str, w.grid[:self.rank])) + ")"
        values = scalars_of(w)
        data = ", ".join(f"{k} = {v}" for k, v in w.data)
        yield f"grid {grid}" + (f", {values}" if values else "") + (f", {data}" if data else "")
        if s.kind == "bounds":
            yield (f"block {self._block(w.first.block)}{iterations(w.first)} begins at element {w.element[0]}"
                   + (f", and the array ends at {s.end}" if s.end is not None else ""))
        elif s.kind == "padding":
            several = len(s.access.region.index) > 1 and bool(s.uses)
            axis = f" along axis {s.uses[0][0].undefined.edge.axis}" if several else ""
            yield (f"block {self._block(w.first.block)} uses element {w.element[0]} of `{s.access.array}`{axis}, which "
                   "the array does not have")
        elif w.first.block == w.second.block:
            yield f"block {self._block(w.first.block)} touches {element_of(s.access.array, w)} twice"
        else:
            yield (f"block {self._block(w.first.block)}{iterations(w.first)} and block "
                   f"{self._block(w.second.block)}{iterations(w.second)} both touch {element_of(s.access.array, w)}")

    def _block(self, block: tuple[int, int, int]) -> str:
        return block_name(block, self.rank)

    def _costs(self, s: DecidedObligation) -> Iterator[Cost]:
        """Unknown values and unsupported constructs in the accesses of an obligation."""
        array = s.access.array
        for g in self.study.model.gaps:
            if array in g.arrays or s.kind == "padding":
                yield _cost(self.study, g.span, f"{g.what}{_describe_effect(g.arrays)}")
        for a in dict.fromkeys(x for x in (s.access, s.other) if x is not None):
            yield from self._unknown(a)

    def _unknown(self, access: Access) -> Iterator[Cost]:
        index = atoms_in(*access.region.index)
        for atom in sorted(atoms_in(*access.region.index, access.region.guard)):
            if isinstance(atom, Opaque):
                what = "the index" if atom in index else "a condition"
                yield _cost(self.study, self._span_of(atom, access), f"a value in {what} of `{access.array}` is "
                                                                   "unknown")
                yield from self._trace_names(self._span_of(atom, access))
            elif isinstance(atom, Load) and atom in index:
                yield _cost(self.study, access.span, f"the location depends on the contents of `{atom.array}`")

    def _span_of(self, atom: Opaque, access: Access) -> Span:
        """The location of an unknown value. Its name contains a line of the kernel's file, unless it is in a helper."""
        found = _LINE.search(atom.name)
        if found is None or access.via or access.span.file != self.study.model.file:
            return access.span
        return replace(access.span, line=int(found[1]))

    def _trace_names(self, span: Span) -> Iterator[Cost]:
        """Assignments of the names on a line, if a call computes them."""
        text = self.study.source(span.line) if span.file == self.study.model.file else ""
        for node in _assignments(self.study.definition.body):
            calls = any(isinstance(x, Call) for x in nodes(node.value))
            for target in node.targets:
                if isinstance(target, Name) and calls and node.span.line != span.line and re.search(
                        rf"(?<![\w.]){re.escape(target.id)}(?!\w)", text) and not _is_known_operation(node):
                    yield _cost(self.study, node.span, f"`{target.id}` is assigned here")


def _assignments(body: object) -> Iterator[Assign]:
    return (x for x in nodes(body) if isinstance(x, Assign))


def _is_known_operation(node: Assign) -> bool:
    """Whether the assigned value is a call of a known operation. Its result is known, or is a tile."""
    func = getattr(node.value, "func", None)
    return getattr(func, "attr", "") in ("bid", "num_blocks", "load", "gather", "arange", "num_tiles", "cdiv")


def _literal(text: str) -> str:
    """A clause as a string literal in double quotes."""
    return f'"{text}"'

