"""The known facts at one point of a host function, and their join where two paths meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final, Literal

from msgspec import Struct

from tilecheck.interp.host.pow2_choices import absorb_case
from tilecheck.interp.host.values import Choice, Int, Items, Kernel, Plain, Ref, Tensor, Thing, Truth, Value
from tilecheck.symbolic import ONE, ZERO, Cond, Opaque, Source, Term, bool_opaque, conj, disj, ite, negate
from tilecheck.symbolic.sizes import is_short, is_small

_OPTIONS = 8
_LONGEST = 600


class Contents(Struct, frozen=True):
    """The contents of a list or dict: exactly the items, `some` of them, or `open`, with other items possible."""

    items: tuple[Value, ...] = ()
    keys: tuple[Value, ...] = ()
    bound: Literal["exact", "some", "open"] = "exact"


OPEN = Contents(bound="open")
ITEMS: Final = "[]"
NUMBERED: Final = "[#]"
"""All items of objects that are not followed, and those at numbers, among the attributes."""
LONGEST: Final = 1024
"""A sequence that grows beyond this is not followed: `t = t + t` doubles it each time."""


def store_key(here: Contents, key: Value, value: Value) -> Contents:
    """A dict after a value was stored under a key. Where the key may be equal to another one, which value is under
    which is not known."""
    if key in here.keys:
        at = here.keys.index(key)
        items = (*here.items[:at], value, *here.items[at + 1:])
        return Contents(items, here.keys, here.bound)
    apart = all(_differ(key, other) for other in here.keys)
    return Contents((*here.items, value), (*here.keys, key), here.bound if apart or here.bound == "open" else "some")


def _differ(a: Value, b: Value) -> bool:
    """Whether two keys are certainly not equal."""
    if isinstance(a, Plain) and isinstance(b, Plain):
        return a.value != b.value
    if isinstance(a, Int) and isinstance(b, Int):
        return a.term.constant is not None and b.term.constant is not None and a.term != b.term
    if isinstance(a, Kernel) and isinstance(b, Kernel):
        return a != b
    kinds = {type(a), type(b)}
    return len(kinds) == 2 and kinds <= {Plain, Int, Kernel} and not any(
        isinstance(v, Plain) and isinstance(v.value, float) for v in (a, b))


def item_name(at: int | str) -> str:
    """The name of an item of an object that is not followed, among its attributes."""
    return f"[{at!r}]"


@dataclass(slots=True)
class State:
    """Variables by frame, contents of mutable objects, assigned attributes, ranks and facts.

    path    the branches taken since the function was entered
    dead    whether the path ended here: nothing after it runs

    Copies share the variables of a frame until one of them binds a name there (`owned`).
    """

    variables: dict[int, dict[str, Value]] = field(default_factory=dict)
    heap: dict[str, Contents] = field(default_factory=dict)
    attributes: dict[tuple[str, str], Value] = field(default_factory=dict)
    epochs: dict[str, int] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    facts: dict[str, Cond] = field(default_factory=dict)
    path: tuple[Cond, ...] = ()
    dead: bool = False
    owned: set[int] = field(default_factory=set)

    def copy(self) -> State:
        self.owned = set()
        return State(
            dict(self.variables), dict(self.heap), dict(self.attributes), dict(self.epochs), dict(self.ranks),
            dict(self.facts), self.path, self.dead)

    def take(self, other: State) -> None:
        """Become the other state."""
        self.variables, self.heap, self.attributes = other.variables, other.heap, other.attributes
        self.epochs, self.ranks, self.facts = other.epochs, other.ranks, other.facts
        self.path, self.dead, self.owned = other.path, other.dead, other.owned

    def epoch(self, owner: str, member: str) -> tuple[int, int]:
        """How often an object was handed to code that is not seen, and how often its attribute, or its item
        (`item_name`), may have been assigned, under this name or another one."""
        kinds = (member,) if not member.startswith("[") else (member, ITEMS) if member[1] in "'\"" else (
            member, NUMBERED, ITEMS)
        return self.epochs.get(owner, 0), sum(self.epochs.get(k, 0) for k in kinds)

    def set_item(self, owner: str | None, at: int | str | None, value: Value | None) -> None:
        """Assign an item of an object that is not followed. The object may have other names, an index may count from
        the end, and an unknown index may be any index.

        owner  the name of the object, where it has one
        at     the index, where it is known
        """
        gone = ITEMS if at is None else item_name(at) if isinstance(at, str) else NUMBERED
        self.epochs[gone] = self.epochs.get(gone, 0) + 1
        for key in [key for key in self.attributes if key[1].startswith("[") and (
                gone in (ITEMS, key[1]) or (gone == NUMBERED and key[1][1] not in "'\""))]:
            del self.attributes[key]
        if owner is not None and at is not None and value is not None:
            self.attributes[(owner, item_name(at))] = value

    def hold(self, value: Value) -> Value:
        """The value, which something has now: what an iterator gives later, or to another reader, is unknown."""
        if isinstance(value, Ref):
            if value.lazy:
                self.heap[value.key] = OPEN
        elif isinstance(value, Items):
            for item in value.items:
                self.hold(item)
        elif isinstance(value, Choice):
            for _, option in value.options:
                self.hold(option)
        return value

    def bind(self, frame: int, name: str, value: Value) -> None:
        self.hold(value)
        if frame not in self.owned:
            self.variables[frame] = dict(self.variables.get(frame, {}))
            self.owned.add(frame)
        self.variables[frame][name] = value

    def enter(self, frame: int) -> None:
        self.variables[frame] = {}
        self.owned.add(frame)

    def leave(self, frame: int) -> None:
        self.variables.pop(frame, None)
        self.owned.discard(frame)

    def assume(self, cond: Cond) -> None:
        for part in cond.args if cond.op == "and" else (cond,):
            if part.op != "true":
                self.facts[part.key] = part

    def branch(self, cond: Cond) -> State:
        """A copy in which the condition holds."""
        out = self.copy()
        out.assume(cond)
        out.path = (*self.path, cond)
        return out

    def decide(self, cond: Cond) -> bool | None:
        """Whether the condition or its negation is literally among the facts."""
        if cond.op in ("true", "false"):
            return cond.op == "true"
        if self._holds(cond):
            return True
        return False if self._holds(negate(cond)) else None

    def _holds(self, cond: Cond) -> bool:
        if cond.key in self.facts:
            return True
        if cond.op == "and":
            return all(self._holds(part) for part in cond.args)
        return cond.op == "or" and any(self._holds(part) for part in cond.args)


def as_number(value: Value) -> Term | None:
    if isinstance(value, Int):
        return value.term
    if isinstance(value, Truth):
        return ite(value.cond, ONE, ZERO)
    return None


def join_values(test: Cond, a: Value, b: Value) -> Value:
    """The value that is `a` where the condition holds, else `b`."""
    if a is b or a == b:
        return a
    if isinstance(a, Truth) and isinstance(b, Truth):
        joined = disj(conj(test, a.cond), conj(negate(test), b.cond))
        return Truth(joined) if is_short(joined) else _name_choice(joined)
    x, y = as_number(a), as_number(b)
    if x is not None and y is not None:
        number = absorb_case(test, x, y) or ite(test, x, y)
        known = {v.whole if isinstance(v, Int) else False for v in (a, b)}  # a truth value is not an integer
        whole = False if False in known else known == {True} or None
        return Int(number, whole) if is_small(number) else _name_choice(number)
    if isinstance(a, Items) and isinstance(b, Items) and len(a.items) == len(b.items) and not (
            a.spliced or b.spliced):
        return Items(tuple(join_values(test, v, w) for v, w in zip(a.items, b.items, strict=True)), a.places)
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        copies = _join_copies(test, a, b)
        if copies is not None:
            return copies
    return choice([*guard_options(test, a), *guard_options(negate(test), b)])


def _name_choice(joined: Term | Cond) -> Thing:
    """A number or a truth value as a name only; the same choice has the same name."""
    return Thing(f"either{blake2b(joined.key.encode(), digest_size=12).hexdigest()}")


def map_options(owner: Choice, apply: Callable[[Value], Value]) -> Value:
    """The operation on each option, joined again."""
    parts = [(cond, apply(option)) for cond, option in owner.options]
    out = parts[-1][1]
    for cond, value in parts[-2::-1]:
        out = join_values(cond, value, out)
    return out


def narrow_choice(owner: Choice, state: State) -> Value:
    """The options that remain on the path of the state."""
    known = [(cond, option, state.decide(cond)) for cond, option in owner.options]
    sure = next((option for _, option, holds in known if holds), None)
    if sure is not None:
        return sure
    left = [(cond, option) for cond, option, holds in known if holds is None]
    return owner if len(left) == len(known) or not left else left[0][1] if len(left) == 1 else Choice(tuple(left))


def build_choice(parts: Sequence[tuple[Cond, Term]]) -> Term:
    """The term whose condition holds; one of them does."""
    out = parts[-1][1]
    for cond, term in parts[-2::-1]:
        out = ite(cond, term, out)
    return out


def contiguity(tensor: Tensor) -> Cond:
    """`x.is_contiguous()`"""
    return bool_opaque(Opaque(f"{tensor.strided}.is_contiguous()", uniform=True, source=Source.LAYOUT))


def _join_copies(test: Cond, a: Value, b: Value) -> Tensor | None:
    """`x.contiguous() if not x.is_contiguous() else x` is `x.contiguous()`, whichever way round it is written."""
    for copy, base, cond in ((a, b, test), (b, a, negate(test))):
        if isinstance(base, Thing):
            base = Tensor(base.name, base.name, base.name)
        if not isinstance(copy, Tensor) or not isinstance(base, Tensor) or not copy.dense:
            continue
        if copy.maybe == base.storage and copy.name == base.name and cond == negate(contiguity(base)):
            return copy
    return None


def guard_options(test: Cond, value: Value) -> list[tuple[Cond, Value]]:
    if isinstance(value, Choice):
        return [(conj(test, cond), option) for cond, option in value.options]
    return [(test, value)]


def choice(options: Iterable[tuple[Cond, Value]]) -> Value:
    """The options with equal values merged and impossible ones dropped."""
    merged: list[tuple[Cond, Value]] = []
    for cond, value in options:
        if cond.op == "false":
            continue
        for i, (other, seen) in enumerate(merged):
            if seen == value:
                merged[i] = (disj(other, cond), value)
                break
        else:
            merged.append((cond, value))
    if len(merged) == 1:
        return merged[0][1]
    if not merged or len(merged) > _OPTIONS:
        return Thing("?", numeric=False)
    return Choice(tuple(merged))


def join_states(test: Cond, a: State, b: State, path: tuple[Cond, ...]) -> State:
    """The state where two branches meet: `a` is the one on which the condition held."""
    out = State(path=path)
    for frame in sorted(a.variables.keys() | b.variables.keys()):
        left, right = a.variables.get(frame), b.variables.get(frame)
        if left is None or right is None or left is right:
            out.variables[frame] = left or right or {}
        else:
            out.variables[frame] = _join_variables(test, left, right)
    out.epochs = {k: max(a.epochs.get(k, 0), b.epochs.get(k, 0)) for k in sorted(a.epochs.keys() | b.epochs.keys())}
    for key in a.attributes.keys() | b.attributes.keys():
        x, y = a.attributes.get(key), b.attributes.get(key)
        if x is not None and y is not None:
            out.attributes[key] = join_values(test, x, y)
        else:
            out.epochs[key[1]] = out.epochs.get(key[1], 0) + 1
    for name in a.heap.keys() | b.heap.keys():
        here, there = a.heap.get(name), b.heap.get(name)
        out.heap[name] = here if here is not None and here is there else join_contents(test, here, there)
    out.ranks = {k: r for k, r in a.ranks.items() if b.ranks.get(k) == r}
    out.facts = join_facts(test, a.facts, b.facts)
    return out


def _join_variables(test: Cond, a: dict[str, Value], b: dict[str, Value]) -> dict[str, Value]:
    out = dict(a)
    for name, value in b.items():
        other = a.get(name)
        # a name bound on one path only: using it says which path was taken
        out[name] = value if other is None else join_values(test, other, value)
    return out


def join_contents(test: Cond, a: Contents | None, b: Contents | None) -> Contents:
    if a is None or b is None or a == b:
        return a or b or OPEN
    if a.bound == b.bound == "exact" and len(a.items) == len(b.items) and a.keys == b.keys:
        return Contents(tuple(join_values(test, v, w) for v, w in zip(a.items, b.items, strict=True)), a.keys)
    items, keys = list(a.items), list(a.keys)
    for i, value in enumerate(b.items):
        key = b.keys[i] if i < len(b.keys) else None
        if value not in a.items or (key is not None and key not in a.keys):
            items.append(value)
            if key is not None:
                keys.append(key)
    return Contents(tuple(items), tuple(keys), "open" if "open" in (a.bound, b.bound) else "some")


def join_facts(test: Cond, a: dict[str, Cond], b: dict[str, Cond]) -> dict[str, Cond]:
    """The facts of both paths, and the facts of one path under its condition."""
    out = {k: c for k, c in a.items() if k in b}
    opposite = negate(test)
    for under, own, mine, theirs in ((opposite, test, a, b), (test, opposite, b, a)):
        known = {own.key, *(part.key for part in own.args)}
        for fact in [c for k, c in mine.items() if k not in theirs and k not in known][:8]:
            joined = disj(under, fact)
            if joined.op != "true" and len(joined.key) < _LONGEST:
                out[joined.key] = joined
    return out
