"""Functions from outside the checked tree that are understood: builtins, math, allocation, device queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec.structs import replace

from tilecheck.interp.host import arrays, operators
from tilecheck.interp.host import persistent_dicts as tables
from tilecheck.interp.host.integral import combine, mark_integer
from tilecheck.interp.host.methods import TENSOR, Args, Named, laid_out
from tilecheck.interp.host.signatures import NUMPY, PURE, TORCH, Signature, bind_arguments
from tilecheck.interp.host.state import ITEMS, Contents, State, map_options
from tilecheck.interp.host.values import (
    NONE,
    OBJECTS,
    Choice,
    Closure,
    External,
    Function,
    Int,
    Items,
    Kernel,
    Log2,
    Member,
    Plain,
    Ratio,
    Record,
    Ref,
    Shape,
    Stored,
    Tensor,
    Thing,
    Truth,
    Value,
    read_sources,
)
from tilecheck.symbolic import (
    EXTENTS,
    FALSE,
    ONE,
    TRUE,
    Atom,
    FloorDiv,
    Ite,
    Length,
    Max,
    Min,
    Mod,
    Rank,
    Scalar,
    Stride,
    Symbol,
    Term,
    app,
    array_from_text,
    atoms_of,
    cdiv,
    const,
    floordiv,
    maximum,
    minimum,
    of,
)
from tilecheck.syntax import tree

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator

Call: TypeAlias = Callable[["Evaluator", Args, Named, State], Value | None]
_LONGEST: Final = 64


def _ceil(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    value = args[0] if args else None
    if isinstance(value, Ratio):
        return _round(ev, cdiv(value.num, value.den)) if _may_be_whole(ev, value.num) else None
    if isinstance(value, Log2):
        return Log2(value.of, True)
    return value if isinstance(value, Int) and _may_be_whole(ev, value.term) else None


def _floor(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    value = args[0] if args else None
    if isinstance(value, Ratio):
        return _round(ev, floordiv(value.num, value.den)) if _may_be_whole(ev, value.num) else None
    return value if isinstance(value, Int) and _may_be_whole(ev, value.term) else None


def _as_float(call: Call) -> Call:
    """The function where its result is a float, also if it is a whole number."""
    def apply(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
        found = call(ev, args, named, state)
        if not isinstance(found, Int):
            return found
        if _may_be_whole(ev, found.term):
            ev.symbols.rounded.add(found.term)
        return Ratio(found.term, ONE)
    return apply


def _round(ev: Evaluator, term: Term) -> Int:
    """The result of a rounding."""
    ev.symbols.rounded.add(term)
    return Int(term)


def _may_be_whole(ev: Evaluator, term: Term) -> bool:
    """Whether a number that code rounds is certainly an integer, or `n`, `n + 3` or `n // 2` of a number of which
    nothing is known: some integer has the same rounded result. There need not be one for `2*n`."""
    open_ = [(mono, factor) for mono, factor in term.monos.items() if not all(_is_whole(ev, atom) for atom in mono)]
    if not open_ or term in ev.symbols.rounded:
        return True
    if len(open_) > 1 or abs(open_[0][1]) != 1 or len(open_[0][0]) != 1:
        return False
    atom = open_[0][0][0]
    if isinstance(atom, Min | Max):
        return all(_may_be_whole(ev, part) for part in atom.args)
    if isinstance(atom, Ite):
        return _may_be_whole(ev, atom.then) and _may_be_whole(ev, atom.other)
    if isinstance(atom, FloorDiv | Mod):
        return _may_be_whole(ev, atom.num) and _may_be_whole(ev, atom.den)
    return isinstance(atom, Symbol)


def _is_whole(ev: Evaluator, atom: Atom) -> bool:
    """Whether an atom is certainly an integer."""
    return all(isinstance(a, (*EXTENTS, Stride)) or ev.symbols.not_negative(a) or a.key in ev.symbols.integers
               for a in atoms_of(of(atom)) if isinstance(a, Symbol))


def _int(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    value = args[0] if len(args) == 1 else None
    if isinstance(value, Ratio) and value.den == ONE and value.num in ev.symbols.rounded:
        return mark_integer(ev, value.num)
    if isinstance(value, Ratio):
        # truncation is rounding down where nothing is negative
        plain = _may_be_whole(ev, value.num) and all(arrays.not_negative(ev, t) for t in (value.num, value.den))
        return mark_integer(ev, _round(ev, floordiv(value.num, value.den)).term) if plain else _some_integer(ev)
    if isinstance(value, Int | Truth | Thing):
        term = ev.integer(value)
        return mark_integer(ev, term) if isinstance(value, Thing) or _may_be_whole(ev, term) else _some_integer(ev)
    if isinstance(value, Choice):
        choice = ev.number(value)
        return None if choice is None else mark_integer(ev, choice) if _may_be_whole(ev, choice) else _some_integer(ev)
    return value if isinstance(value, Log2) else None


def _some_integer(ev: Evaluator) -> Value:
    found = ev.unknown("int()")
    ev.symbols.integers.add(found.name)
    return found


def _isinstance(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    """Decides only for values that are certainly an array of torch or not an array: others may be arrays of numpy."""
    if len(args) != 2 or not isinstance(args[1], External) or args[1].path != "torch.Tensor":
        return None
    value = args[0]
    if isinstance(value, Tensor) and value.storage in ev.symbols.given and value.storage != value.name:
        # a gradient (host/autograd.py)
        return Truth(TRUE)
    return Truth(FALSE) if isinstance(value, Int | Truth | Plain | Items | Shape | Ref | Record) else None


def _bool(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    return Truth(ev.truth(args[0], state)) if len(args) == 1 else None


def _log2(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    term = ev.number(args[0]) if len(args) == 1 else None
    return None if term is None else Log2(term)


def _pow(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    return operators.binary(ev, "**", args[0], args[1], state) if len(args) == 2 else None


def _numbers(ev: Evaluator, args: Args, state: State) -> tuple[tuple[Value, ...], list[Term]] | None:
    """The numbers that are given one by one or in one sequence."""
    values = args
    if len(args) == 1:
        contents = ev.contents(args[0], state)
        if contents.bound != "exact":
            return None
        values = contents.items
    terms = [ev.number(value) for value in values]
    found = [term for term in terms if term is not None]
    return (values, found) if found and len(found) == len(values) <= _LONGEST else None


def _evaluate_extreme(pick: Callable[..., Term]) -> Call:
    def apply(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
        found = None if "key" in named else _numbers(ev, args, state)
        if found is None:
            return None
        values, terms = found
        # the result is one of the values, and a truth value is not an integer
        return Int(pick(*terms), False) if any(isinstance(v, Truth) for v in values) else combine(
            ev, pick(*terms), *values)
    return apply


def _sum(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    # a sum may begin with something else than 0
    found = _numbers(ev, args, state) if len(args) == 1 and not named else None
    return None if found is None else combine(ev, reduce(lambda a, b: a + b, found[1]), *found[0])


def _prod(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    if "start" in named or "initial" in named:
        return None
    if args and isinstance(args[0], Shape):
        total = arrays.shape_product(ev, args[0], state)
        return None if total is None else Int(total)
    known = ev.elements(args[0], state) if args else None
    if known == ():
        return Int(const(1))
    found = _numbers(ev, args[:1], state) if args else None
    return None if found is None else combine(ev, arrays.product(found[1]), *found[0])


def _len(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    value = args[0] if args else None
    if isinstance(value, Tensor):
        return ev.item(arrays.shape_value(ev, value, state), Int(const(0)), state)
    known = None if value is None else ev.elements(value, state)
    if known is not None:
        return Int(const(len(known)))
    if isinstance(value, Thing) and value.numeric and value.origin is None:
        epoch = state.epoch(value.name, ITEMS)
        return Int(ev.extent(Length(array_from_text(value.name), None if epoch == (0, 0) else epoch)))
    if isinstance(value, Shape) and value.lower == 0 and value.upper is None:
        return Thing(Rank(array_from_text(value.name)).key)
    return Int(ev.extent(Scalar(ev.invent_name("len"))))


def _abs(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    term = ev.number(args[0]) if args else None
    return None if term is None else combine(ev, app("abs", term), args[0])


def _range(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    bounds = [ev.number(arg) for arg in args]
    values = [b.constant for b in bounds if b is not None]
    if len(values) == len(args) and None not in values:
        numbers = range(*[v for v in values if v is not None]) if 1 <= len(args) <= 3 and (
            len(values) < 3 or values[2] != 0) else range(0)
        if len(numbers) <= _LONGEST:
            return Items(tuple(Int(const(n)) for n in numbers))
    return None


def _list(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    if not args:
        return ev.new_list((), state)
    return ev.new_list((), state, ev.contents(args[0], state))


def _set(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    """The set contains equal items once, and without an order. No set is equal to a list."""
    contents = ev.contents(args[0], state) if args else Contents()
    return ev.new_list((), state, Contents(contents.items, (), "open" if contents.bound == "open" else "some"))


def _tuple(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    if not args:
        return Items(())
    if isinstance(args[0], Shape):
        return args[0]
    known = ev.elements(args[0], state)
    return None if known is None else args[0] if isinstance(args[0], Items) else Items(known)


def _dict(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    if args:
        return None
    key = ev.invent_name("dict")
    state.heap[key] = Contents(tuple(map(state.hold, named.values())), tuple(Plain(name) for name in named))
    return Ref("dict", key)


def _zip(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    columns = [ev.elements(arg, state) for arg in args]
    known = [c for c in columns if c is not None]
    if len(known) < len(args):
        return None
    rows = tuple(Items(row) for row in zip(*known, strict=False))
    return ev.new_iterator(Contents(rows), state, read_sources(Items(args)))


def _enumerate(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    known = ev.elements(args[0], state) if len(args) == 1 and not named else None
    return None if known is None else ev.new_iterator(
        Contents(tuple(Items((Int(const(i)), v)) for i, v in enumerate(known))), state, read_sources(args[0]))


def _product(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    """itertools.product"""
    if named:
        return None
    rows: list[tuple[Value, ...]] = [()]
    for arg in args:
        known = ev.elements(arg, state)
        if known is None or len(rows) * len(known) > 256:
            return None
        rows = [(*row, value) for row in rows for value in known]
    return ev.new_iterator(Contents(tuple(Items(row) for row in rows)), state, frozenset())


def _iter(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    return ev.new_iterator(ev.contents(args[0], state), state, read_sources(args[0])) if args and isinstance(
        args[0], Ref | Items) else None


def _namespace(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    for value in named.values():
        state.hold(value)
    return Record(ev.invent_name("namespace"), tuple(named.items()))


def _identity(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    return args[0] if args else None


def _getattr(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    if len(args) < 2 or not isinstance(args[1], Plain) or not isinstance(args[1].value, str):
        return None
    if isinstance(args[0], Record):
        value = ev.attribute(args[0], args[1].value, state)
        return value if args[0].get(args[1].value) is not None else args[2] if len(args) > 2 else value
    # with a default, the result is the attribute or the default; without one, the attribute must exist
    return ev.attribute(args[0], args[1].value, state) if len(args) == 2 or (isinstance(args[0], Thing) and (
        args[0].origin is None or _has(args[0].origin, args[1].value))) else None


def _has(origin: Member | Stored, name: str) -> bool:
    """Whether every candidate has the attribute, where the candidates are known."""
    if isinstance(origin, Stored):
        return False
    return all(tables.follow_path(value, (*origin.path, name)) is not None for value in origin.values)


def _vars(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    """`vars(cfg)`"""
    owner = args[0] if args else None
    fields: dict[str, Value] | None = None
    if isinstance(owner, Record):
        fields = {name: ev.attribute(owner, name, state) for name, _ in owner.fields}
        ev.escape((owner,), state)  # a store to the dict is a store to the object
    elif isinstance(owner, Thing) and isinstance(owner.origin, Member):
        found = [tables.follow_path(value, owner.origin.path) for value in owner.origin.values]
        names = {tuple(n for n, _ in value.fields) if isinstance(value, Record) else None for value in found}
        common = names.pop() if len(names) == 1 else None
        if common is not None:
            fields = {name: ev.step(owner, name, f"{owner.name}.{name}") for name in common}
    made = None if fields is None else _dict(ev, (), fields, state)
    # an assignment to the object later is a store to the dict
    return replace(made, lazy=True, sources=frozenset((OBJECTS,))) if isinstance(made, Ref) else made


def _reduce(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    """`reduce(operator.mul, x.shape, 1)`"""
    if len(args) < 2 or not _multiplies(args[0]) or (len(args) > 2 and args[2] != Int(const(1))):
        return None
    return _prod(ev, args[1:2], {}, state)


def _multiplies(value: Value) -> bool:
    if isinstance(value, External):
        return value.path == "operator.mul"
    if isinstance(value, Closure) and isinstance(value.definition, tree.Lambda):
        body = value.definition.body
        names = [p.name for p in value.definition.params]
        return isinstance(body, tree.BinOp) and body.op == "*" and len(names) == 2 and sorted(
            node.id for node in (body.left, body.right) if isinstance(node, tree.Name)) == sorted(names)
    return False


def _divmod(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    if len(args) != 2:
        return None
    return Items((operators.binary(ev, "//", *args, state), operators.binary(ev, "%", *args, state)))


def _partial(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    target = args[0] if args else None
    if isinstance(target, Closure | Function):
        state.hold(Items((*args[1:], *named.values())))
        return replace(target, bound=(*target.bound, *args[1:]), named=(*target.named, *named.items()))
    return target if isinstance(target, Kernel) and len(args) == 1 else None


def _kernel(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    """`ct.kernel(f)`, or `ct.kernel(...)` that is about to be applied to a function."""
    if not args:
        return External("cuda.tile.kernel")
    target = args[0]
    if isinstance(target, Function | Closure):
        return Kernel(target.module.path, target.qualname)
    return target


def _cdiv(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    # the order of the arguments gives dividend and divisor
    return operators.round_up(ev, args[0], args[1]) if len(args) == 2 and not named else None


def _next_pow2(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    values = (*args, *named.values())
    term = ev.number(values[0]) if len(values) == 1 else None
    return None if term is None else combine(ev, app("next_pow2", term), values[0])


# --- arrays ----------------------------------------------------------------------------------------------------------

def _allocate(ev: Evaluator, how: str, size: Args, dtype: Value | None, state: State) -> Tensor:
    out = arrays.allocate(ev, how, arrays.extents_from(ev, size, state) if size else None, state)
    return replace(out, dtype=_name_type(dtype))


def _allocation(how: str, single: bool = False) -> Call:
    """A function that allocates. The `single` first argument is the shape, or all arguments are extents."""
    def apply(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
        size = args[:1] if single or how == "full" else args
        dtype = named.get("dtype", _read_place(args, _type_place(how)) if single else None)
        if len(size) == 1 and isinstance(size[0], Choice):
            return map_options(size[0], lambda option: _allocate(ev, how, (option,), dtype, state))
        return _allocate(ev, how, size, dtype, state)
    return apply


def _type_place(how: str) -> int:
    """The place of the element type among the arguments of a function of NumPy."""
    return 2 if how.startswith("full") else 1


def _read_place(args: Args, place: int) -> Value | None:
    return args[place] if place < len(args) else None


def _name_type(value: Value | None) -> str | None:
    """The element type that an allocation names: `torch.int32` is `int32`."""
    return value.path.rpartition(".")[2] if isinstance(value, External) else None


def _like(how: str) -> Call:
    def apply(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
        if args and isinstance(args[0], Choice):
            return map_options(args[0], lambda base: arrays.allocate(ev, how, None, state, ev.tensor(base, state)))
        if not args:
            return None
        base = ev.tensor(args[0], state)
        given = named.get("dtype", _read_place(args, _type_place(how)))
        kept = base.dtype if given is None or given == NONE else _name_type(given)
        return replace(arrays.allocate(ev, how, None, state, base), dtype=kept)
    return apply


def _as_method(name: str) -> Call:
    def apply(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
        return TENSOR[name](ev, ev.tensor(args[0], state), args[1:], named, state) if args else None
    return apply


def _swap_axes(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    """`torch.transpose(x, a, b)`"""
    return TENSOR["swapaxes"](ev, ev.tensor(args[0], state), args[1:], named, state) if len(args) == 3 else None


def _order_axes(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    """`numpy.transpose(x, axes)`"""
    if not args:
        return None
    axes = args[1:] if args[1:] != (NONE,) else ()
    tensor = ev.tensor(args[0], state)
    return TENSOR["permute"](ev, tensor, axes, named, state) if axes else arrays.reverse_axes(ev, tensor, state)


def _arange(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    extents: Args | None = args if len(args) == 1 and not named.keys() & {"start", "stop", "end", "step"} else None
    numbers = [term.constant for arg in args[:3] if isinstance(arg, Int) and (term := arg.term)]
    if len(args) in (2, 3) and len(numbers) == len(args) and extents is None and not named.keys() & {"step", "end"}:
        known = [n for n in numbers if n is not None]
        whole = len(known) == len(numbers) and (len(known) < 3 or known[2] != 0)
        extents = (Int(const(len(range(*known)))),) if whole else None
    return arrays.allocate(ev, "arange", extents, state)


def _new_array(ev: Evaluator, args: Args, named: Named, state: State) -> Value | None:
    """`torch.tensor([[1, 2], [3, 4]])`: the extents are the lengths of the lists."""
    return arrays.allocate(ev, "array", _extents_of_lists(ev, args[0], state) if args else None, state)


def _extents_of_lists(ev: Evaluator, value: Value, state: State, depth: int = 0) -> tuple[Value, ...] | None:
    if isinstance(value, Plain) or (isinstance(value, Int) and value.term.constant is not None):
        return ()
    items = ev.elements(value, state) if isinstance(value, Ref | Items) and depth < _NESTED else None
    inner = None if not items else {_extents_of_lists(ev, item, state, depth + 1) for item in items}
    if not items or inner is None or len(inner) != 1:
        return None
    found = inner.pop()
    return None if found is None else (Int(const(len(items))), *found)


BUILTINS: Final[Mapping[str, Call]] = {
    "int": _int,
    "bool": _bool,
    "min": _evaluate_extreme(minimum),
    "max": _evaluate_extreme(maximum),
    "sum": _sum,
    "len": _len,
    "abs": _abs,
    "range": _range,
    "list": _list,
    "tuple": _tuple,
    "dict": _dict,
    "zip": _zip,
    "pow": _pow,
    "enumerate": _enumerate,
    "divmod": _divmod,
    "vars": _vars,
    "getattr": _getattr,
    "id": _identity,
    "iter": _iter,
    "isinstance": _isinstance,
    "set": _set,
    "frozenset": _set,
    "reversed": lambda ev, a, n, s: None,
    "sorted": lambda ev, a, n, s: ev.new_list(
        (), s, Contents(ev.contents(a[0], s).items, (), "some" if ev.contents(a[0], s).bound != "open" else "open")
    ),
}

_NESTED: Final = 5
"""Lists in lists that make an array."""
_ALLOCATED: Final = ("empty", "zeros", "ones", "full")
_RANDOM: Final = ("rand", "randn")

_TORCH: Final[Mapping[str, Call]] = {
    **{name: _allocation(name) for name in (*_ALLOCATED, *_RANDOM)},
    **{f"{name}_like": _like(f"{name}_like") for name in (*_ALLOCATED, *_RANDOM)},
    **{name: _as_method(name) for name in ("numel", "reshape", "permute", "flatten", "unsqueeze", "squeeze", "clone")},
    "transpose": _swap_axes, "arange": _arange, "tensor": _new_array,
}

_NUMPY: Final[Mapping[str, Call]] = {
    **{name: _allocation(name, single=True) for name in _ALLOCATED},
    **{name: _allocation(name) for name in _RANDOM},
    **{f"{name}_like": _like(f"{name}_like") for name in _ALLOCATED},
    **{name: _as_method(name) for name in ("reshape", "squeeze")},
    "transpose": _order_axes, "arange": _arange, "array": _new_array, "prod": _prod,
}

_MATH: Final[Mapping[str, Call]] = {"ceil": _ceil, "floor": _floor, "log2": _log2, "pow": _as_float(_pow)}
_FLOATS: Final[Mapping[str, Call]] = {**_MATH, **{name: _as_float(_MATH[name]) for name in ("ceil", "floor")}}
"""The same functions in packages where they return floats."""

_PACKAGES: Final[Mapping[str, tuple[tuple[Mapping[str, Call], Mapping[str, Signature]], ...]]] = {
    "builtins": ((BUILTINS, PURE),),
    "math": (({**_MATH, "prod": _prod}, PURE),),
    "torch": ((_TORCH, TORCH), (_FLOATS, PURE)),
    **dict.fromkeys(("cupy", "numpy"), ((_NUMPY, NUMPY), (_FLOATS, PURE))),
    "functools": (({"partial": _partial, "reduce": _reduce}, PURE),),
    "itertools": (({"product": _product}, PURE),),
    "types": (({"SimpleNamespace": _namespace}, PURE),),
    "cuda": (({"cdiv": _cdiv, "replace_hints": _identity}, PURE),),
    "triton": (({"cdiv": _cdiv, "next_power_of_2": _next_pow2}, PURE),),
}
"""Functions that are understood and their signatures, by package. The name of a function of another package says
nothing about it."""

SHAPED: Final = frozenset({"empty", "zeros", "ones", "rand", "randn"})
"""Functions whose arguments by place are extents, and nothing else."""

round_up: Final[Call] = _next_pow2
"""Rounds up to a power of two."""


HARMLESS: Final = frozenset({
    "print", "str", "repr", "isinstance", "hasattr", "type", "float", "debug", "info", "warning", "warn", "error",
    "warning_once", "format", "synchronize", "current_stream", "current_device", "get_device_capability",
    "get_device_properties", "is_available", "device", "nvtx_range", "range_push", "range_pop", "callable", "hash",
    "any", "all", "round", "sqrt", "set_device", "mark_non_differentiable", "issubclass",
})
"""Functions that change none of their arguments."""

ENDING: Final = frozenset({
    "builtins.exit", "builtins.quit", "os._exit", "os.abort", "pytest.exit", "pytest.fail", "pytest.skip",
    "pytest.xfail", "sys.exit",
})
"""Functions that never return."""

INTEGERS: Final = frozenset({"builtins.int"})
"""Functions whose result is an integer for all arguments."""
FRACTIONAL: Final = frozenset({"float", "sqrt"})
"""Those whose result need not be an integer."""


_WRITING: Final = frozenset({"cupy", "numpy"})
"""Packages whose functions return the array `out` in its shape."""
RESIZING: Final = frozenset({"torch"})
"""Packages whose functions return the array `out`, which may have another shape then."""


def external(ev: Evaluator, path: str, args: Args, named: Named, state: State) -> Value | None:
    """The result of a function from outside, or None when it is not known."""
    package, _, name = path.rpartition(".")
    if path == "cuda.tile.kernel":
        return _kernel(ev, args, named, state)
    root = package.partition(".")[0]
    if "out" in named:
        written = named["out"]
        return written if root in _WRITING and isinstance(written, Tensor | Thing) else None
    for functions, signatures in _PACKAGES.get(root, ()):
        known = functions.get(name)
        if known is not None:
            bound = bind_arguments(signatures[name], args, named)
            return None if bound is None else laid_out(ev, known(ev, *bound, state), args, named)
    return None


__all__ = ["HARMLESS", "external"]
