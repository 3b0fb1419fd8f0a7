"""Variables that a loop carries from one iteration to the next, as functions of the number of the iteration.

A trial executes the body once with a placeholder for every variable that it sets. The values at the end of the trial
show which variables do not change, which grow by a fixed amount, which grow by multiples of one, and which are some
function of the iteration. All other variables are unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from msgspec import Struct

from tilecheck.interp.kernel.coerce import arrays_in, either_array, to_array
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.locks import alias
from tilecheck.interp.kernel.poison.sources import replace_atoms
from tilecheck.interp.kernel.shapes import element
from tilecheck.interp.kernel.values import (
    ArrayRef,
    Bool,
    Choice,
    Const,
    Data,
    Dict,
    Extents,
    Instance,
    Int,
    Method,
    ParamRef,
    Partial,
    Range,
    Shape,
    StaticIter,
    TileSlice,
    Tuple,
    Unknown,
    Value,
    View,
)
from tilecheck.symbolic import (
    Atom,
    Bid,
    Carried,
    Cond,
    Counter,
    Ite,
    Lane,
    Max,
    Min,
    Opaque,
    Substitution,
    Term,
    app,
    atoms_of,
    bool_opaque,
    build_opaque,
    of,
    split_multiples,
)
from tilecheck.syntax.tree import Span

Slot = tuple[object, ...]
"""Where a leaf stands: the variable, then positions in tuples or names of fields."""


def leaves(name: str, value: Value) -> dict[Slot, Value]:
    """Returns the leaves of a value: the parts of tuples and instances."""
    out: dict[Slot, Value] = {}

    def walk(slot: Slot, v: Value) -> None:
        if isinstance(v, Tuple):
            for k, item in enumerate(v.items):
                walk((*slot, k), item)
        elif isinstance(v, Instance):
            for key, item in v.fields.items():
                walk((*slot, key), item)
        else:
            out[slot] = v

    walk((name,), value)
    return out


def rebuild(name: str, shape: Value, parts: Mapping[Slot, Value]) -> Value:
    """The value shaped like `shape`, with other leaves."""

    def walk(slot: Slot, v: Value) -> Value:
        if isinstance(v, Tuple):
            return Tuple(tuple(walk((*slot, k), item) for k, item in enumerate(v.items)))
        if isinstance(v, Instance):
            return Instance(v.of, {k: walk((*slot, k), item) for k, item in v.fields.items()})
        return parts.get(slot, v)

    return walk((name,), shape)


class Placeholder(Struct, frozen=True):
    """Stands for the value of a slot at the start of some iteration."""

    seed: Opaque
    value: Value
    term: Term


def placeholder(m: Machine, slot: Slot, value: Value, loop: str) -> Placeholder | None:
    """None for values that are followed as they are."""
    text = "~" + ".".join(str(s) for s in slot) + "~" + loop
    seed = Opaque(text)
    if isinstance(value, Int):
        term = element(of(seed), value.shape)
        return Placeholder(seed, Int(term, value.shape), term)
    if isinstance(value, Bool):
        term = element(of(seed), value.shape)
        atom = term.single
        assert atom is not None
        return Placeholder(seed, Bool(bool_opaque(atom), value.shape), term)
    if isinstance(value, Data):
        term = element(of(seed), value.shape)
        return Placeholder(seed, Data(value.shape, term), term)
    return None


def widen(m: Machine, before: Value, after: Value, where: str) -> Value:
    """A value of one kind for a slot whose kind changes in the body; equal to `before` when it need not change."""
    if before == after:
        return before
    of_one_kind = type(before) is type(after)
    if of_one_kind and isinstance(before, (Int, Bool, Data)) and isinstance(after, (Int, Bool, Data)):
        shape = before.shape if before.shape == after.shape else None
        if shape == before.shape:
            return before
        if isinstance(before, Int):
            return Int(element(build_opaque(f"{where}.wide"), shape), shape)
        return Data(shape) if isinstance(before, Data) else Bool(bool_opaque(Opaque(f"{where}.wide")), shape)
    if isinstance(before, (Int, Bool, Data, Const)) and isinstance(after, (Int, Bool, Data)):
        shape = _find_common_shape(before, after)
        if isinstance(before, Const) and before.value is None:
            return Choice(bool_opaque(Opaque(f"{where}.set")), before, _forget(after, where))
        return Data(shape)
    if isinstance(before, Choice) and isinstance(after, (Choice, Int, Bool, Data)) and not arrays_in(m, after):
        return before
    holders = isinstance(before, (ArrayRef, ParamRef)) and isinstance(after, (ArrayRef, ParamRef))
    first, second = to_array(m, before), to_array(m, after)
    if holders and (_is_array(m, before) or _is_array(m, after)) and first is not None and second is not None:
        known = {view for _, view in first.options}
        if all(view in known for _, view in second.options):
            return before
        return either_array(bool_opaque(Opaque(f"{where}.array")), first, second)
    return Unknown("changed in a loop", arrays_in(m, before) | arrays_in(m, after))


def _is_array(m: Machine, value: Value) -> bool:
    """Whether a value is known to be an array by its uses."""
    if isinstance(value, ParamRef):
        return bool({"array", "list"} & m.kinds.get(value.root.root, set()))
    return isinstance(value, ArrayRef)


def _find_common_shape(a: Value, b: Value) -> Shape | None:
    s = a.shape if isinstance(a, (Int, Bool, Data)) else ()
    t = b.shape if isinstance(b, (Int, Bool, Data)) else ()
    return s if s == t else None


def _forget(value: Value, where: str) -> Value:
    if isinstance(value, Int):
        return Int(element(build_opaque(f"{where}.value"), value.shape), value.shape)
    if isinstance(value, Bool):
        return Bool(bool_opaque(Opaque(f"{where}.value")), value.shape)
    return Data(value.shape) if isinstance(value, Data) else value


# --- classification --------------------------------------------------------------------------------------------------

class Form(Struct, frozen=True):
    """The value of a slot at the start of an iteration.

    at      as a value that may mention the counter of the loop and the atoms `free`
    free    atoms that stand for something else in every iteration
    plain   whether it is a number that is held in 32 bits at the start of every iteration, and after the last one
    """

    at: Value
    free: tuple[Atom, ...] = ()
    plain: bool = False


@dataclass
class Body:
    """The result of a trial of the body with placeholders."""

    start: Mapping[Slot, Value]
    held: Mapping[Slot, Placeholder]
    end: Mapping[Slot, Value]
    made: set[Atom]
    counter: Term
    name: str
    span: Span


def classify(m: Machine, body: Body) -> dict[Slot, Form]:
    forms: dict[Slot, Form] = {}
    open_slots = list(body.held)
    resolved: dict[Atom, Term] = {}

    def assign_form(slot: Slot, form: Form) -> None:
        forms[slot] = form
        open_slots.remove(slot)
        atom = body.held[slot].term.single
        at = form.at
        if atom is not None and isinstance(at, Int):
            resolved[atom] = at.term

    for slot in list(open_slots):
        if slot in body.end and body.end[slot] == body.held[slot].value:
            assign_form(slot, Form(body.start[slot]))
            atom = body.held[slot].term.single
            start = body.start[slot]
            if atom is not None and isinstance(start, Data) and start.term is not None:
                resolved[atom] = start.term
    for grow in (_solve_affine, _solve_congruent, _solve_lagged):
        changed = True
        while changed:
            changed = False
            for slot in list(open_slots):
                form = grow(m, body, slot, resolved, {body.held[s].seed for s in open_slots})
                if form is not None:
                    assign_form(slot, form)
                    changed = True
    free = {a for form in forms.values() for a in form.free}
    for slot, form in _functional(m, body, list(open_slots), resolved, free).items():
        assign_form(slot, form)
    for slot in list(open_slots):
        assign_form(slot, _unknown(m, body, slot))
    return forms


def _step(body: Body, slot: Slot, resolved: Mapping[Atom, Term]) -> tuple[Int, Term] | None:
    """The start value and what one iteration adds."""
    start, end = body.start[slot], body.end.get(slot)
    if not isinstance(start, Int) or not isinstance(end, Int) or start.shape != end.shape:
        return None
    return start, Substitution(resolved).term(end.term - body.held[slot].term)


def _solve_affine(
    m: Machine, body: Body, slot: Slot, resolved: Mapping[Atom, Term], seeds: set[Opaque],
) -> Form | None:
    found = _step(body, slot, resolved)
    if found is None:
        return None
    start, step = found
    inside = atoms_of(step)
    if inside & body.made or inside & seeds or body.counter.single in inside:
        return None
    return Form(Int(start.term + body.counter * step, start.shape))


def _solve_congruent(
    m: Machine, body: Body, slot: Slot, resolved: Mapping[Atom, Term], seeds: set[Opaque],
) -> Form | None:
    """Every way through the body adds a multiple >= 0 of one and the same step."""
    found = _step(body, slot, resolved)
    if found is None or found[0].shape != ():
        return None
    start, total = found
    parts = list(_alternatives(total))
    unit: Term | None = None
    for part in parts:
        if not part.monos:
            continue
        unit = _unit(part, body.made | {a for a in (body.counter.single,) if a is not None})
        if unit is not None:
            break
    if unit is None:
        return None
    inside = atoms_of(unit)
    if inside & body.made or inside & seeds or body.counter.single in inside:
        return None
    for part in parts:
        times, rest = split_multiples(part, unit) if part.monos else (part, part)
        if rest.monos or not never_negative(times):
            return None
    factor = Counter(m.name(f"{slot[0]}.steps", body.span))
    m.made.add(factor)
    return Form(Int(start.term + of(factor) * unit), (factor,))


def _solve_lagged(
    m: Machine, body: Body, slot: Slot, resolved: Mapping[Atom, Term], seeds: set[Opaque],
) -> Form | None:
    """Solves a variable that every iteration sets for the next one: `start = X[0]`, then `start = X[k + 1]`.

    The first iteration starts with the value that an iteration before it would have set.
    """
    start, end = body.start[slot], body.end.get(slot)
    counter = body.counter.single
    if counter is None or not isinstance(start, Int) or not isinstance(end, Int) or start.shape != end.shape:
        return None
    final = Substitution(resolved).term(end.term)
    inside = atoms_of(final)
    if counter not in inside or inside & (body.made - {counter}) or inside & {p.seed for p in body.held.values()}:
        return None
    before = Substitution({counter: body.counter - 1}).term(final)
    return Form(Int(before, start.shape)) if Substitution({counter: of(-1)}).term(final) == start.term else None


def _alternatives(term: Term) -> Iterable[Term]:
    """Yields the values that a term may take, one for each combination of its conditional parts."""
    for m, c in term.monos.items():
        if len(m) == 1 and isinstance(m[0], Ite):
            rest = term - Term({m: c})
            yield from _alternatives(rest + m[0].then * c)
            yield from _alternatives(rest + m[0].other * c)
            return
    yield term


def _unit(term: Term, counters: set[Atom]) -> Term | None:
    """The step of which a term is a multiple: one monomial without its counters, or a term with no counter at all."""
    if not atoms_of(term) & counters:
        return term
    units = set()
    for m, c in term.monos.items():
        rest = tuple(a for a in m if not (isinstance(a, Counter) and a in counters))
        units.add(Term({rest: c}))
    return units.pop() if len(units) == 1 else None


def never_negative(term: Term) -> bool:
    """Whether a term is a number of times: it is never negative."""
    return all(c >= 0 and all(_nonnegative(a) for a in m) for m, c in term.monos.items())


def _nonnegative(atom: Atom) -> bool:
    if isinstance(atom, (Counter, Bid, Lane)):
        return True
    if isinstance(atom, Max):
        return any(never_negative(a) for a in atom.args)
    return isinstance(atom, Min) and all(never_negative(a) for a in atom.args)


def _term_of(value: Value) -> Term | Cond | None:
    if isinstance(value, Int):
        return value.term
    return value.cond if isinstance(value, Bool) else None


def _functional(
    m: Machine, body: Body, slots: list[Slot], resolved: Mapping[Atom, Term], free: set[Atom],
) -> dict[Slot, Form]:
    """Slots that are functions of the number of the iteration and of things fixed before the loop.

    A value that depends on an atom of `free` depends on its values in all earlier iterations, which are unknown.
    """
    replace = Substitution(resolved)
    ends: dict[Slot, Term | Cond] = {}
    for slot in slots:
        start, end = body.start[slot], body.end.get(slot)
        inner = None if end is None or type(end) is not type(start) else _term_of(end)
        if inner is not None and _term_of(start) is not None:
            ends[slot] = replace.term(inner) if isinstance(inner, Term) else replace.cond(inner)
    counter = body.counter.single
    while True:
        seeds = {body.held[s].seed for s in ends}
        foreign = {body.held[s].seed for s in slots} - seeds
        bad = [s for s, t in ends.items() if atoms_of(t) & (foreign | free | (body.made - {counter}))]
        if not bad:
            break
        for s in bad:
            del ends[s]
    if not ends:
        return {}
    seeds = {body.held[s].seed for s in ends}
    basis: set[Atom] = set()
    for slot, final in ends.items():
        initial = _term_of(body.start[slot])
        assert initial is not None
        basis |= _basis(final) | _basis(initial)
    arguments = [body.counter, *(of(a) for a in sorted(basis - seeds) if a != counter and a.varying)]
    out: dict[Slot, Form] = {}
    for slot in ends:
        start = body.start[slot]
        value = app(Carried(".".join(str(s) for s in slot), body.name), *arguments)
        if isinstance(start, Int):
            out[slot] = Form(Int(value, start.shape))
        else:
            atom = value.single
            assert atom is not None and isinstance(start, Bool)
            out[slot] = Form(Bool(bool_opaque(atom), start.shape))
    return out


def _basis(value: Term | Cond) -> set[Atom]:
    """Returns the atoms of a value without composed atoms."""
    atoms = atoms_of(value)
    return {a for a in atoms if not (atoms_of(of(a)) - {a}) or isinstance(a, Lane)}


def _unknown(m: Machine, body: Body, slot: Slot) -> Form:
    start, end = body.start[slot], body.end.get(slot)
    if isinstance(start, Int):
        value = m.fresh_int(f"{slot[0]}.carried", body.span, start.shape)
        atom = value.term.single
        if atom is not None and isinstance(end, Int):
            alias(m, atom, (start.term, end.term))
        return Form(value, _made_atoms(value.term))
    if isinstance(start, Bool):
        truth = m.fresh_truth(f"{slot[0]}.carried", body.span, start.shape)
        return Form(truth, _made_atoms(truth.cond))
    return Form(Data(start.shape if isinstance(start, Data) else None))


def _made_atoms(value: Term | Cond) -> tuple[Atom, ...]:
    return tuple(sorted(a for a in atoms_of(value) if isinstance(a, Opaque)))


def at_exit(m: Machine, form: Form, counter: Term, count: Term, span: Span) -> Value:
    """The value of a slot after `count` iterations."""
    atom = counter.single
    assert atom is not None
    mapping: dict[Atom, Term] = {atom: count}
    for a in form.free:
        fresh: Atom = Counter(f"{a.name}.exit") if isinstance(a, Counter) else Opaque(f"{a}.exit".lstrip("?"))
        m.made.add(fresh)
        known = m.cas.get(a)
        if known is not None:
            m.cas[fresh] = known
        mapping[a] = of(fresh)
    value = substitute_value(form.at, Substitution(mapping))
    if form.plain and isinstance(value, Int):
        m.plain.add(value.term - value.term.offset)
    return value


def substitute_value(value: Value, s: Substitution) -> Value:
    """The value with its atoms replaced, wherever they stand."""
    handler = SUBSTITUTED.get(type(value))
    return value if handler is None else handler(value, s)


def _view(v: View, s: Substitution) -> View:
    if v.member is None and not v.slices and v.tile is None and v.steps is None:
        return v
    return View(
        v.root, None if v.member is None else s.term(v.member),
        tuple((d, s.term(a), s.term(b)) for d, a, b in v.slices), _shape(v.tile, s), _shape(v.steps, s), v.raw,
        v.padding)


def _shape(shape: Shape | None, s: Substitution) -> Shape | None:
    return None if shape is None else tuple(s.term(e) for e in shape)


def _substitute_each(values: Iterable[Value], s: Substitution) -> tuple[Value, ...]:
    return tuple(substitute_value(v, s) for v in values)


def _array(v: ArrayRef, s: Substitution) -> ArrayRef:
    return ArrayRef(tuple((s.cond(c), _view(view, s)) for c, view in v.options))


SUBSTITUTED: dict[type, Callable[..., Value]] = {
    Int: lambda v, s: Int(s.term(v.term), _shape(v.shape, s), replace_atoms(v.shadow, s), v.dtype, v.made),
    Bool: lambda v, s: Bool(s.cond(v.cond), _shape(v.shape, s), replace_atoms(v.shadow, s), v.dtype, v.made),
    Data: lambda v, s: Data(
        _shape(v.shape, s), None if v.term is None else s.term(v.term), replace_atoms(v.shadow, s), v.dtype, v.made
    ),
    Tuple: lambda v, s: Tuple(_substitute_each(v.items, s)),
    ArrayRef: _array,
    ParamRef: lambda v, s: v if v.member is None else ParamRef(v.root, s.term(v.member), v.outer),
    Choice: lambda v, s: Choice(s.cond(v.cond), substitute_value(v.then, s), substitute_value(v.other, s)),
    Extents: lambda v, s: Extents(_array(v.array, s), v.what),
    Range: lambda v, s: Range(s.term(v.start), s.term(v.stop), s.term(v.step)),
    StaticIter: lambda v, s: StaticIter(substitute_value(v.inner, s)),
    TileSlice: lambda v, s: TileSlice(s.term(v.start), s.term(v.length)),
    Partial: lambda v, s: Partial(
        substitute_value(v.func, s),
        _substitute_each(v.args, s),
        tuple((k, substitute_value(x, s)) for k, x in v.keywords),
    ),
    Method: lambda v, s: Method(substitute_value(v.owner, s), v.name),
    Instance: lambda v, s: Instance(v.of, {k: substitute_value(x, s) for k, x in v.fields.items()}),
    Dict: lambda v, s: Dict(tuple((substitute_value(k, s), substitute_value(x, s)) for k, x in v.items)),
}


__all__ = [
    "SUBSTITUTED", "Body", "Form", "Placeholder", "Slot", "at_exit", "classify", "leaves", "never_negative",
    "placeholder", "rebuild", "substitute_value", "widen",
]
