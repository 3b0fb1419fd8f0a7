"""From a kernel and a launch to what a picture shows of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.explain.build import explain
from tilecheck.explain.explanation import ExplainedObligation
from tilecheck.interp.kernel.access import Access
from tilecheck.interp.kernel.source_names import symbol_name
from tilecheck.obligations.obligation import WEAKEST_FIRST, DecidedObligation, DecidedSlice
from tilecheck.obligations.row_spill import rows_of
from tilecheck.obligations.verdicts import contract_of
from tilecheck.pipeline.single_kernel import Study
from tilecheck.symbolic import (
    UNKNOWN_ARRAY,
    Array,
    Length,
    Rank,
    Scalar,
    evaluate,
    holds,
)
from tilecheck.symbolic.footprint import Clause
from tilecheck.visualize.instances import same_launch
from tilecheck.visualize.listing import helpers
from tilecheck.visualize.meetings import Meeting
from tilecheck.visualize.order import Steps, block_names, readable_loop, steps_of
from tilecheck.visualize.place import PANELS, Cell, Place, rectangles
from tilecheck.visualize.scene import (
    NAMED,
    AccessLine,
    ArrayView,
    At,
    ClauseLine,
    Headline,
    Mark,
    MarkKind,
    ObligationLine,
    Panel,
    Scene,
    SourceLine,
)
from tilecheck.visualize.schedule import Scheduled
from tilecheck.visualize.setting import Block, CannotDraw, Setting
from tilecheck.visualize.touches import Element, Touch, Touched

__all__ = ["BY", "Drawn", "build", "draw_limits"]

BLOCKS: Final = 64
CELLS: Final = 4_096
MARKS: Final = 4_000
BY: Final = " \u00d7 "
"""Between extents."""
_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:\.\w+)?(?:\[\d+\])?")
_WORDS: Final = frozenset({"and", "or", "not", "cdiv", "min", "max"})
_ALL: Final = 8
"""Slices of an array that are all drawn."""
_PLAIN: Final[tuple[MarkKind, ...]] = ("read", "write", "atomic")
_SUPPOSED: Final[Mapping[str, str]] = {
    "duplicate": "two lanes wrote one element", "order": "two iterations wrote one element"}
_MARGIN: Final = 6
"""Cells that are drawn beyond the end of an array."""

_VERBS: Final[Mapping[str, str]] = {"read": "read", "write": "written", "atomic": "updated atomically"}
_SINGULAR: Final[Mapping[str, str]] = {"load": "loads", "address": "addresses"}
_DOES: Final[Mapping[str, str]] = {"read": "reads", "write": "writes", "atomic": "updates"}


class Drawn(Struct, frozen=True):
    """A launch with all that happens in it."""

    study: Study
    plan: Scheduled
    setting: Setting
    touched: Touched
    meetings: tuple[Meeting, ...]


class _Found(Struct, frozen=True):
    """A mark before it is laid out."""

    kind: MarkKind
    elements: tuple[Element, ...]
    at: tuple[At, ...]
    accesses: tuple[int, ...]
    label: str
    title: str
    ringed: bool = False


def draw_limits(study: Study, setting: Setting) -> None:
    """Raise CannotDraw for a launch that is too big to be read."""
    if prod(setting.grid) > BLOCKS:
        raise CannotDraw(f"a picture shows at most {BLOCKS} blocks, and this grid has {prod(setting.grid)}: pass a "
                         "smaller one, as in --grid 4,2")
    for name, rank in study.model.ranks:
        shape = [n for n in setting.shape(name, rank) if n is not None]
        if prod(shape) > CELLS:
            smaller = ",".join(str(min(n, 16)) for n in shape)
            raise CannotDraw(f"a picture shows at most {CELLS} elements of an array, and `{name}` has {prod(shape)}: "
                             f"pass smaller extents, as in --shape {name}={smaller}, and smaller tiles")


def build(
    drawn: Drawn, headline: Headline | None, ringed: Meeting | None, findings: tuple[str, ...],
    related: frozenset[int] = frozenset(), origin: str = "", named: bool = True,
) -> Scene:
    """The scene of a launch. `ringed` is the collision that the headline speaks of, `named` whether the finding or its
    example is of this very element, `related` are lines that it speaks of beside its own."""
    return _Builder(drawn, headline, ringed, findings, related, origin, named).scene()


class _Builder:
    def __init__(
        self, drawn: Drawn, headline: Headline | None, ringed: Meeting | None, findings: tuple[str, ...],
        related: frozenset[int], origin: str, named: bool,
    ) -> None:
        self.named = named
        self.related, self.origin = related, origin
        self.drawn, self.headline, self.ringed, self.findings = drawn, headline, ringed, findings
        self.model = drawn.study.model
        self.accesses = drawn.plan.accesses
        self.touches = drawn.touched.touches
        grid = drawn.setting.grid
        self.blocks: tuple[Block, ...] = tuple(
            (x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0]))
        self.number = {b: i for i, b in enumerate(self.blocks)}
        axes = set(self.model.axes_read) if drawn.plan.grid is None else set(range(drawn.plan.rank))
        self.axes = tuple(sorted(axes | {k for k in range(3) if grid[k] > 1}))
        self.names = block_names(self.blocks, self.axes)
        self.steps: Steps = steps_of(self.accesses, self.touches)
        self.spilling = {a.array for s in drawn.study.proof.obligations if s.code == "TC206"
                         for a in (s.access, *s.spilling)}
        self.env = drawn.setting.launch
        self.broken = tuple(c.text for c in contract_of(drawn.study.proof) if self._breaks(c))
        self.undefined = {
            s.access.unspecified for s in drawn.study.proof.obligations if s.kind == "padding"
            and (s.verdict != "proved" or any(c.text in self.broken for c in s.clauses))} - {""}

    def scene(self) -> Scene:
        study, setting = self.drawn.study, self.drawn.setting
        arrays = tuple(self._array(name) for name in self._arrays())
        return Scene(
            self.model.name, self.model.file, self.model.name_span.line, study.report.verdict, self._point_to(),
            self.findings, setting.grid, self.blocks, self.names, self.axes, tuple(self._values()), self.steps.names,
            arrays,
            tuple(ClauseLine(c.clause, c.kind, c.state, c.clause in self.broken) for c in study.report.contract),
            tuple(self._obligations()), tuple(self._source()), tuple(self._remarks()), self._summary(), self.broken,
            tuple(self._in_numbers(c) for c in self.broken), tuple(self._wrong_blocks()), self.origin)

    def _wrong_blocks(self) -> list[int]:
        """Blocks that collide, or touch elements outside an array."""
        found = {b for m in self.drawn.meetings for b in m.blocks}
        found |= {t.block for t in self.touches
                  if any(k in ("outside", "undefined") for k, _ in self._parts(self.accesses[t.access], t))}
        return sorted(self.number[b] for b in found)

    def _point_to(self) -> Headline | None:
        """The headline with the location of outside or undefined elements, unless a ring marks a collision."""
        h = self.headline
        if h is None:
            return h
        if self.ringed is not None:
            return replace(h, look=self._pair(self.ringed, h.blocks)) if len(h.blocks) > 1 else h
        found: dict[tuple[MarkKind, Array], tuple[dict[Element, None], dict[Block, None], set[int]]] = {}
        for t in self.touches:
            a = self.accesses[t.access]
            for kind, own in self._parts(a, t):
                if kind in ("outside", "undefined"):
                    elements, blocks, numbers = found.setdefault((kind, a.array), ({}, {}, set()))
                    elements.update(dict.fromkeys(own))
                    blocks[t.block] = None
                    numbers.add(t.access)
        if not found:
            return h
        told = []
        for (kind, array), (elements, blocks, numbers) in found.items():
            who = self._who(tuple(blocks)) if len(blocks) <= 4 else f"{len(blocks)} blocks"
            verb = "load" if kind == "undefined" else "address"
            told.append(f"`{_elements(array, tuple(elements))}`, which {who} "
                        f"{verb if len(blocks) > 1 else _SINGULAR[verb]} ({self._places(numbers)}) and which "
                        f"{'do' if len(elements) > 1 else 'does'} not exist")
        who_all = tuple(dict.fromkeys(b for _, blocks, _ in found.values() for b in blocks))
        return replace(h, what=h.what + self._name_others(h.what, who_all), look="; ".join(told), blocks=who_all)

    def _pair(self, m: Meeting, blocks: tuple[Block, ...]) -> str:
        """The share of colliding elements that the two blocks of the finding cause."""
        own = [x for x in self.drawn.meetings if x.array == m.array and set(blocks) <= set(x.blocks)]
        n, every = len(own), len(self.drawn.meetings)
        verb = "collide" if n > 1 else "collides"
        rest = f", of {every} in this launch" if every > n else ""
        return (f"{self._who(blocks)}, outlined in the grid: {n} element{'s' if n > 1 else ''} of `{m.array}` {verb} "
                f"between them{rest}")

    def _name_others(self, what: str, blocks: tuple[Block, ...]) -> str:
        """The other blocks that do the same as the block of a finding."""
        named = next((b for b in blocks if what.startswith(f"block {self._name(b)} ")), None)
        others = [b for b in blocks if b != named]
        if named is None or not others:
            return ""
        who = self._who(others) if len(others) <= 3 else f"{len(others)} other blocks"
        return f"; {'so do' if len(others) > 1 else 'so does'} {who}"

    def _in_numbers(self, clause: str) -> str:
        """A clause with the numbers of this launch; empty where one is not known."""
        known = {a.key: n for a, n in self.drawn.setting.launch.items()}
        told = _NAME.sub(lambda m: str(known.get(m[0], m[0])), clause)
        return "" if told == clause or any(m[0] not in _WORDS for m in _NAME.finditer(told)) else told

    def _breaks(self, c: Clause) -> bool:
        """Whether this launch breaks a clause. A clause with an unknown value is not broken."""
        try:
            return c.cond is not None and not holds(c.cond, self.env)
        except (KeyError, ArithmeticError):
            return False

    # --- arrays ------------------------------------------------------------------------------------------------------

    def _arrays(self) -> Iterator[Array]:
        """Arrays that are touched: those that are written first, the one of the finding before all."""
        touched = dict.fromkeys(a.array for a in self.accesses if a.array != UNKNOWN_ARRAY)
        written = self.model.written
        first = self.ringed.array if self.ringed is not None else None
        amiss = {self.accesses[t.access].array for t in self.touches
                 if any(k in ("outside", "undefined") for k, _ in self._parts(self.accesses[t.access], t))}
        yield from sorted(touched, key=lambda n: (n != first, n not in amiss, n not in written))

    def _place(self, name: Array) -> tuple[Place, str]:
        rank = max((len(a.region.index) for a in self.accesses if a.array == name), default=0)
        known = list(self.drawn.setting.shape(name, rank))
        for axis, n in enumerate(known):
            if n is None:
                seen = [e[axis] for t in self.touches if self.accesses[t.access].array == name for e in t.inside]
                known[axis] = max(seen, default=0) + 1
        shape = tuple(n or 0 for n in known)
        told = BY.join(map(str, shape)) if len(shape) > 1 else (
            f"{shape[0]} element{'s' if shape[0] != 1 else ''}" if shape else "one element")
        if name.at_any_position:
            told = f"{shape[0]} arrays of {BY.join(map(str, shape[1:]))}"
        return Place.of(shape, self._row(name), name in self.spilling), told

    def _row(self, name: Array) -> int | None:
        """How many elements the kernel takes for a row of a flat array."""
        for a in self.accesses:
            if a.array == name and not a.tile:
                for term in rows_of(a):
                    try:
                        return evaluate(term, self.env)
                    except (KeyError, ArithmeticError):
                        continue
        return None

    def _array(self, name: Array) -> ArrayView:
        place, shape = self._place(name)
        by_panel: dict[Element, list[tuple[_Found, tuple[Cell, ...]]]] = {}
        for found in self._marks(name):
            parts: dict[Element, list[Cell]] = {}
            for e in found.elements:
                panel, cell = place.at(e)
                parts.setdefault(panel, []).append(cell)
            for panel, cells in parts.items():
                by_panel.setdefault(panel, []).append((found, tuple(cells)))
        every = list(dict.fromkeys((*place.panels(), *sorted(by_panel))))
        touched = [p for p in every if p in by_panel] if by_panel else every[:1]
        # few slices are drawn even if nothing touches them: an omission would need an explanation
        shown = every if by_panel and len(every) <= _ALL else touched
        if len(shown) > PANELS:
            rank = {p: (not any(m.ringed for m, _ in by_panel.get(p, ())), p) for p in shown}
            shown = sorted(sorted(shown, key=lambda p: rank[p])[:PANELS])
        panels = tuple(self._panel(place, p, by_panel.get(p, [])) for p in shown)
        own = [i for i, a in enumerate(self.accesses) if a.array == name]
        modes = {self.accesses[i].mode for i in own}
        role = " and ".join(_VERBS[m] for m in ("write", "atomic", "read") if m in modes)
        return ArrayView(
            name.text, role, shape, panels, tuple(self._lines(own)), tuple(self._words(name)),
            place.fold if len(place.shape) == 1 and place.shape[0] > place.fold else 0,
            len(set(by_panel) - set(shown)), len(set(every) - set(by_panel) - set(shown)) if by_panel else 0)

    def _panel(self, place: Place, panel: Element, found: Sequence[tuple[_Found, tuple[Cell, ...]]]) -> Panel:
        rows, columns = place.size
        cells = {c for _, own in found for c in own}
        low = (max(-_MARGIN, min([0, *(r for r, _ in cells)])), max(-_MARGIN, min([0, *(c for _, c in cells)])))
        high = (min(rows + _MARGIN, max([rows, *(r + 1 for r, _ in cells)])),
                min(columns + _MARGIN, max([columns, *(c + 1 for _, c in cells)])))
        clashing = {c for f, own in found if f.kind in ("clash", "twice") for c in own}
        named = {c for f, own in found if f.ringed for c in own}
        shared = self._find_shared([(f, own) for f, own in found if f.kind in _PLAIN and f.label], clashing)
        marks: list[Mark] = []
        for f, own in found:
            inside = [c for c in own if low[0] <= c[0] < high[0] and low[1] <= c[1] < high[1]]
            if inside:
                free = [c for c in inside if c not in clashing and (f.kind, c) not in shared
                        ] if f.kind in _PLAIN else inside
                marks.append(Mark(
                    f.kind, rectangles(inside), f.at, f.accesses, f.label, f.title, f.ringed,
                    # the box around an element parts the names beside it from those in it
                    (*rectangles(c for c in free if c not in named), *rectangles(c for c in free if c in named))))
        marks += self._together_named(shared)
        missing = tuple((r, c) for r in range(rows) for c in range(columns) if not place.has(panel, (r, c)))
        label = "" if len(place.shape) <= 2 else f"[{', '.join(map(str, panel))}, :, :]"
        return Panel(label, (rows, columns), low, high, tuple(marks), missing)

    @staticmethod
    def _find_shared(
        found: Sequence[tuple[_Found, tuple[Cell, ...]]], clashing: set[Cell],
    ) -> dict[tuple[MarkKind, Cell], tuple[_Found, ...]]:
        """Cells that several blocks touch in the same way in overlapping tiles, with their marks."""
        over: dict[tuple[MarkKind, Cell], list[_Found]] = {}
        for f, own in found:
            for c in own:
                if c not in clashing:
                    over.setdefault((f.kind, c), []).append(f)
        return {at: tuple(fs) for at, fs in over.items() if len({frozenset(b for b, _ in f.at) for f in fs}) > 1}

    def _together_named(self, shared: Mapping[tuple[MarkKind, Cell], tuple[_Found, ...]]) -> Iterator[Mark]:
        """The names of all blocks that touch such cells, on them; the cells are drawn with the tiles."""
        groups: dict[tuple[MarkKind, tuple[int, ...]], tuple[list[Cell], dict[At, None], set[int]]] = {}
        for (kind, cell), fs in shared.items():
            blocks = tuple(sorted({b for f in fs for b, _ in f.at}))
            cells, at, accesses = groups.setdefault((kind, blocks), ([], {}, set()))
            cells.append(cell)
            at.update(dict.fromkeys(x for f in fs for x in f.at))
            accesses.update(a for f in fs for a in f.accesses)
        for (kind, blocks), (cells, at, accesses) in groups.items():
            yield Mark(kind, (), tuple(at), tuple(sorted(accesses)), self._label([self.blocks[b] for b in blocks]), "",
                       False, rectangles(cells))

    # --- marks -------------------------------------------------------------------------------------------------------

    def _marks(self, name: Array) -> Iterator[_Found]:
        groups: dict[tuple[MarkKind, frozenset[Element]], list[tuple[int, Touch]]] = {}
        for n, t in enumerate(self.touches):
            access = self.accesses[t.access]
            if access.array == name:
                for part, own in self._parts(access, t):
                    groups.setdefault((part, frozenset(own)), []).append((n, t))
        rank: Mapping[MarkKind, int] = {
            "padding": 0, "dropped": 0, "read": 1, "write": 2, "atomic": 3, "undefined": 4, "outside": 5, "clash": 6,
            "twice": 6}
        clashing = {m.element for m in self.drawn.meetings if m.array == name}
        for (kind, elements), who in sorted(groups.items(), key=lambda g: (rank[g[0][0]], -len(g[0][1]))):
            blocks = tuple(dict.fromkeys(t.block for _, t in who))
            hidden = kind in ("padding", "dropped") or (kind in ("write", "read", "atomic") and elements <= clashing)
            yield _Found(
                kind, tuple(sorted(elements)), tuple((self.number[t.block], self.steps.of[n]) for n, t in who),
                tuple(sorted({t.access for _, t in who})),
                "" if hidden else self._label(blocks) + (_iteration(who[0][1]) if kind == "outside" else ""),
                self._title(kind, name, elements, blocks, who))
        yield from self._clashes(name)

    def _parts(self, access: Access, t: Touch) -> Iterator[tuple[MarkKind, tuple[Element, ...]]]:
        if t.is_undefined(access):
            yield "outside", (*t.astray, *t.kept_off)
        elif t.kept_off:
            undefined = access.unspecified in self.undefined and access.unspecified != ""
            yield ("undefined" if undefined else "padding" if access.mode == "read" else "dropped"), t.kept_off
        if t.inside:
            yield access.mode, t.inside

    def _clashes(self, name: Array) -> Iterator[_Found]:
        groups: dict[tuple[MarkKind, tuple[Block, ...], tuple[int, ...]], list[Meeting]] = {}
        for m in self.drawn.meetings:
            if m.array == name:
                kind: MarkKind = "twice" if m.kind == "duplicate" else "clash"
                groups.setdefault((kind, m.blocks, m.accesses), []).append(m)
        for (kind, blocks, accesses), found in groups.items():
            elements = tuple(m.element for m in found)
            wanted = set(elements)
            at = tuple(dict.fromkeys(
                (self.number[t.block], self.steps.of[n]) for n, t in enumerate(self.touches)
                if t.access in accesses and t.block in blocks and not wanted.isdisjoint(t.inside)))
            label = f"{self._name(blocks[0])} twice" if kind == "twice" else " + ".join(map(self._name, blocks))
            title = f"Collision: {self._describe_collision(found[0])} {_elements(name, elements)}"
            yield _Found(kind, elements, at, accesses, label, title)
        if self.ringed is not None and self.named and self.ringed.array == name:
            m = self.ringed
            title = f"{_elements(name, [m.element])}, the element of the finding"
            every = tuple((self.number[b], s) for b in m.blocks for s in range(max(1, len(self.steps.names))))
            kind = "twice" if m.kind == "duplicate" else "clash"
            yield _Found(kind, (m.element,), every, m.accesses, "", title, True)

    def _describe_collision(self, m: Meeting) -> str:
        """The actions of a collision: `block 0 and block 1 both write`, `block 1 writes and block 0 reads`."""
        if m.kind == "duplicate":
            return f"one operation of block {self._name(m.blocks[0])} writes twice"
        if m.kind == "write-write" and len(self._group_by_action(m)) == 1:
            return f"{self._who(m.blocks)} {'both' if len(m.blocks) == 2 else 'all'} write"
        return _join_words([f"{self._who(blocks)} {verb if len(blocks) > 1 else _DOES[mode]}"
                        for mode, (verb, blocks) in self._group_by_action(m).items()])

    def _group_by_action(self, m: Meeting) -> dict[str, tuple[str, tuple[Block, ...]]]:
        """The blocks that write, update and read the element, by action."""
        found: dict[str, dict[Block, None]] = {}
        for t in self.touches:
            a = self.accesses[t.access]
            if t.access in m.accesses and t.block in m.blocks and m.element in t.inside:
                found.setdefault(a.mode, {})[t.block] = None
        return {mode: (verb, tuple(found[mode])) for mode, verb in
                (("write", "write"), ("atomic", "update"), ("read", "read")) if mode in found}

    def _who_where(self, m: Meeting) -> str:
        """The lines of a collision; of several, which block is on which where each is on one."""
        on: dict[Block, set[int]] = {}
        for t in self.touches:
            if t.access in m.accesses and t.block in m.blocks and m.element in t.inside:
                on.setdefault(t.block, set()).add(t.access)
        where = {b: self._places(numbers) for b, numbers in on.items()}
        if len(set(where.values())) <= 1 or len(where) > 4:
            return self._places(m.accesses)
        return ", ".join(f"block {self._name(b)} on {where[b]}" for b in m.blocks if b in where)

    def _who(self, blocks: Sequence[Block]) -> str:
        return _join_words([f"block {self._name(b)}" for b in blocks])

    def _label(self, blocks: Sequence[Block]) -> str:
        names = [self._name(b) for b in blocks]
        return " + ".join(names) if len(names) <= 2 else f"{len(names)} blocks"

    def _name(self, block: Block) -> str:
        return self.names[self.number[block]]

    def _title(
        self, kind: MarkKind, name: Array, elements: frozenset[Element], blocks: Sequence[Block],
        who: Sequence[tuple[int, Touch]],
    ) -> str:
        access = self.accesses[who[0][1].access]
        lines = self._places({t.access for _, t in who})
        listed = _join_words([f"block {self._name(b)}" for b in blocks[:8]])
        more = f" and {len(blocks) - 8} more" if len(blocks) > 8 else ""
        does = {
            "outside": "addresses elements outside the array, which is undefined",
            "undefined": "loads lanes outside the array, whose value is undefined",
            "padding": "loads lanes outside the array, which are padded or not used",
            "dropped": "addresses elements that a bounds check or mask keeps it off",
        }.get(kind, _DOES.get(access.mode, "touches"))
        return f"{listed}{more} {does} {_elements(name, tuple(sorted(elements)))}, {lines}"

    # --- words -------------------------------------------------------------------------------------------------------

    def _places(self, accesses: Iterable[int]) -> str:
        """`line 12`, `lines 12 and 13`; what stands in other files is named with the file."""
        spans = sorted({self.accesses[a].span for a in accesses})
        own = list(dict.fromkeys(str(s.line) for s in spans if s.file == self.model.file))
        rest = list(dict.fromkeys(f"{s.file}:{s.line}" for s in spans if s.file != self.model.file))
        return _join_words([*([f"line{'s' if len(own) > 1 else ''} {_join_words(own)}"] if own else []), *rest])

    def _lines(self, numbers: Iterable[int]) -> Iterator[AccessLine]:
        for i in numbers:
            a = self.accesses[i]
            yield AccessLine(i, self.drawn.study.place(a.span), _DOES[a.mode], self.drawn.study.text_at(a.span))

    def _words(self, name: Array) -> Iterator[str]:
        """Who touches what, for people who do not see the picture."""
        table: dict[tuple[str, Block], dict[Element, None]] = {}
        for t in self.touches:
            a = self.accesses[t.access]
            if a.array == name and t.inside:
                table.setdefault((a.mode, t.block), {}).update(dict.fromkeys(t.inside))
        for m in _group_meetings(self.drawn.meetings, name):
            yield (f"Collision: {self._describe_collision(m[0])} {_elements(name, tuple(x.element for x in m))} "
                   f"({self._who_where(m[0])}).")
        amiss: dict[tuple[MarkKind, str, tuple[Element, ...]], list[Block]] = {}
        for t in self.touches:
            a = self.accesses[t.access]
            for kind, own in self._parts(a, t) if a.array == name else ():
                if kind in ("outside", "undefined"):
                    amiss.setdefault((kind, self._places((t.access,)), tuple(sorted(own))), []).append(t.block)
        for (kind, where, own), blocks in amiss.items():
            who = self._who(tuple(dict.fromkeys(blocks)))
            one = len(set(blocks)) == 1
            if kind == "outside":
                yield (f"Outside: {who} address{'es' if one else ''} {_elements(name, own)} ({where}), which "
                       "does not exist: undefined.")
            else:
                yield (f"Undefined lanes: {who} load{'s' if one else ''} {_elements(name, own)} ({where}), which "
                       "does not exist: any value may come.")
        for (mode, block), seen in sorted(table.items(), key=lambda x: (x[0][0] == "read", self.number[x[0][1]])):
            yield f"Block {self._name(block)} {_DOES[mode]} {_elements(name, tuple(sorted(seen)))}."

    def _values(self) -> Iterator[tuple[str, str]]:
        setting = self.drawn.setting
        params = {p.name for p in self.model.params}
        for symbol, v in sorted(setting.scalars.items()):
            if isinstance(symbol, Scalar | Length | Rank) or symbol.key in params:
                yield symbol_name(symbol.key), str(v)
        for key, v in sorted(setting.data.items()):
            if key.endswith("]"):
                yield key, str(v)

    def _obligations(self) -> Iterator[ObligationLine]:
        proof = self.drawn.study.proof
        settled: tuple[DecidedObligation | DecidedSlice, ...] = (*proof.obligations, *proof.slices)
        told = zip(explain(self.drawn.study).obligations, settled, strict=True)
        for o, s in sorted(told, key=lambda x: WEAKEST_FIRST.index(x[0].verdict)):
            why = " ".join(f"{t[:1].upper()}{t[1:]}." for t in (*o.steps, *self._instance(o, s)))
            if o.conclusion and o.steps:
                # the steps suppose what they exclude
                why = f"If {_SUPPOSED.get(s.kind, 'two blocks touched one element')}: {why}" if isinstance(
                    s, DecidedObligation) else why
            yield ObligationLine(o.place, o.array, o.claim, o.verdict, f"{why} {o.conclusion}".strip())

    def _instance(self, o: ExplainedObligation, s: DecidedObligation | DecidedSlice) -> Iterator[str]:
        """An example of an open obligation, in this launch or with its own launch."""
        if not o.shown or o.witness is None or not isinstance(s, DecidedObligation):
            return
        if s.kind in ("bounds", "padding"):
            kind: MarkKind = "outside" if s.kind == "bounds" else "undefined"
            for t in self.touches:
                a = self.accesses[t.access]
                own = [e for k, e in self._parts(a, t) if k == kind]
                if own and a.array == s.access.array and a.span == s.access.span:
                    verb = "addresses" if s.kind == "bounds" else "loads"
                    yield (f"in this launch block {self._name(t.block)} {verb} {_elements(a.array, own[0])}, which the "
                           "array does not have")
                    return
        w = o.witness
        drawn = any(m.array == s.access.array and m.element == w.element and {w.first.block, w.second.block} <= set(
            m.blocks) for m in self.drawn.meetings)
        told = ": ".join((o.shown[0], ", ".join(o.shown[1:])))
        here = drawn or same_launch(w, self.drawn.setting)
        yield ", ".join(o.shown[1:]) if here else f"in another launch, {told}"

    def _source(self) -> Iterator[SourceLine]:
        span = self.model.span
        study = self.drawn.study
        on: dict[int, list[int]] = {}
        for i, a in enumerate(self.accesses):
            if a.span.file == self.model.file:
                on.setdefault(a.span.line, []).append(i)
        flagged = {d.span.line for d in study.diagnostics if d.span.file == self.model.file
                   and d.severity != "note"}
        # both sides of a collision look alike
        flagged |= {self.accesses[a].span.line for a in (self.ringed.accesses if self.ringed is not None else ())
                    if self.accesses[a].span.file == self.model.file}
        last = min(span.end_line, span.line + 200)
        called = helpers(study.lines, span.line, span.end_line)
        notes: dict[int, list[str]] = {}
        for p in self.headline.parts if self.headline is not None else ():
            notes.setdefault(p.line, []).append(p.words)
        for n in (*range(span.line, last + 1), *called, *(n for n in sorted(on) if n > last and n not in called)):
            if 0 < n <= len(study.lines):
                yield SourceLine(
                    n, study.lines[n - 1], tuple(on.get(n, ())), n in flagged, n in self.related and n not in flagged,
                    "; ".join(notes.get(n, ())))

    def _remarks(self) -> Iterator[str]:
        touched = self.drawn.touched
        by_why: dict[tuple[str, bool], list[Access]] = {}
        for u in touched.unplaced:
            by_why.setdefault((u.why, u.drawn), []).append(self.accesses[u.access])
        for (why, drawn), found in by_why.items():
            lines = self._places(self.accesses.index(a) for a in found)
            names = _join_words(sorted({f"`{a.array}`" for a in found}))
            yield f"{lines}, {names}: {why}." if drawn else f"Not drawn: {lines}, {names}: {why}."
        if touched.made_up:
            arrays = sorted({key.partition("[")[0].partition("(")[0] for key, _ in touched.made_up})
            example = ", ".join(f"{k} = {v}" for k, v in touched.made_up[:4])
            yield (f"The contents of {_join_words([f'`{a}`' for a in arrays])} are assumed: {example}"
                   f"{', ...' if len(touched.made_up) > 4 else ''}.")
        if self.drawn.plan.grid is not None:
            yield "The grid follows from how the output is split: one piece a block, as it is launched unless mapped."
        for array in {g for gap in self.model.gaps for g in gap.arrays}:
            what = next(gap.what for gap in self.model.gaps if array in gap.arrays)
            yield f"`{array}`: {what} may read and write all of it, which is not drawn."

    def _summary(self) -> str:
        if self.drawn.meetings:
            arrays = sorted({m.array for m in self.drawn.meetings})
            n = len(self.drawn.meetings)
            if all(m.kind == "duplicate" for m in self.drawn.meetings):
                names = _join_words([f"`{a}`" for a in arrays])
                return (f"in this launch {n} element{'s' if n > 1 else ''} of {names} "
                        f"{'are' if n > 1 else 'is'} written twice by one operation")
            return (f"in this launch {n} element{'s' if n > 1 else ''} of {_join_words([f'`{a}`' for a in arrays])} "
                    f"{'collide' if n > 1 else 'collides'}")
        if any(t.is_undefined(self.accesses[t.access]) for t in self.touches):
            return "in this launch blocks reach outside of arrays"
        if any(kind == "undefined" for t in self.touches for kind, _ in self._parts(self.accesses[t.access], t)):
            return "in this launch tiles have undefined lanes"
        return ("in this launch no two blocks collide" if self.broken else
                "in this launch no two blocks collide, and nothing lies outside")


def _iteration(t: Touch) -> str:
    """` \u00b7 k #2`, or nothing outside of loops."""
    told = ", ".join(f"{readable_loop(name)} #{n}" for name, n in t.iterations)
    return f"{NAMED}{told}" if told else ""


def _group_meetings(found: Iterable[Meeting], name: Array) -> Iterator[list[Meeting]]:
    groups: dict[tuple[object, ...], list[Meeting]] = {}
    for m in found:
        if m.array == name:
            groups.setdefault((m.kind, m.blocks), []).append(m)
    yield from groups.values()


def _join_words(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def _elements(array: Array, elements: Sequence[Element]) -> str:
    """`c[0:2, 4]`; if the elements do not form a box, their number and the first one."""
    if elements[0] and array.at_any_position and len({e[0] for e in elements}) == 1:
        return _box(f"{array.root}[{elements[0][0]}]", [e[1:] for e in elements])
    return _box(array.text, elements)


def _box(name: str, elements: Sequence[Element]) -> str:
    if not elements[0]:
        return name
    columns = list(zip(*elements, strict=True))
    ranges = [(min(c), max(c)) for c in columns]
    if prod(high - low + 1 for low, high in ranges) == len(set(elements)):
        return f"{name}[{', '.join(str(a) if a == b else f'{a}:{b + 1}' for a, b in ranges)}]"
    first = ", ".join(map(str, min(elements)))
    last = ", ".join(map(str, max(elements)))
    return f"{len(set(elements))} elements of {name} from [{first}] to [{last}]"
