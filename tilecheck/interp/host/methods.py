"""Methods of host values that are understood; the others are calls of which nothing is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec.structs import replace

from tilecheck.interp.host import arrays
from tilecheck.interp.host import persistent_dicts as tables
from tilecheck.interp.host.signatures import METHODS, bind_arguments
from tilecheck.interp.host.state import LONGEST, OPEN, Contents, State, build_choice, contiguity
from tilecheck.interp.host.values import (
    NONE,
    Choice,
    Int,
    Items,
    Kernel,
    Log2,
    Member,
    Plain,
    Ref,
    Shape,
    Stored,
    Table,
    Tensor,
    Thing,
    Truth,
    Value,
    read_sources,
)
from tilecheck.symbolic import ONE, TRUE, Cond, Opaque, Stride, array_from_text, const, of

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator

Named: TypeAlias = dict[str, Value]
Args: TypeAlias = tuple[Value, ...]
TensorMethod: TypeAlias = Callable[["Evaluator", Tensor, Args, Named, State], Value]


def _integers(ev: Evaluator, args: Args, state: State) -> list[int] | None:
    """Constant integers given one by one or in one tuple."""
    flat = args
    if len(args) == 1:
        known = ev.elements(args[0], state)
        flat = args if known is None else known
    out: list[int] = []
    for arg in flat:
        term = ev.number(arg)
        if term is None or term.constant is None:
            return None
        out.append(term.constant)
    return out


def _axis(ev: Evaluator, args: Args, named: Named, state: State, name: str = "dim") -> int | None:
    value = args[0] if args else named.get(name)
    found = None if value is None else _integers(ev, (value,), state)
    return found[0] if found is not None and len(found) == 1 else None


def _size(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    axis = args[0] if args else named.get("dim")
    shape = arrays.shape_value(ev, x, state)
    return shape if axis is None else ev.item(shape, axis, state)


def _stride(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    known = arrays.strides_of(ev, x, state)
    axis = _axis(ev, args, named, state)
    if known is not None:
        return Items(tuple(Int(t) for t in known)) if not args and not named else ev.item(
            Items(tuple(Int(t) for t in known)), args[0] if args else named["dim"], state)
    if axis is None:
        return ev.unknown("strides", numeric=False) if not args and not named else ev.unknown("stride")
    if axis == -1 and x.dense:
        return Int(ONE)
    return Int(of(Stride(array_from_text(x.strided), axis))) if axis >= 0 else ev.unknown("stride")


def _view(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    if not args or not all(isinstance(arg, Int | Items | Shape | Ref | Thing | Choice) for arg in args) or (
            "dtype" in named or (len(args) == 1 and isinstance(args[0], Thing))):
        # the same bytes as elements of another type
        return arrays.reshape(ev, x, None, state, True, "view")
    out = arrays.reshape(ev, x, arrays.extents_from(ev, args, state), state, True, "view")
    # only torch takes extents here
    return replace(out, torch=True) if out is not x and (len(args) > 1 or isinstance(args[0], Items)) else out


def _reshape(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    extents = arrays.extents_from(ev, args, state) if args else None
    return arrays.reshape(ev, x, extents, state, False, "reshape")


def _flatten(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    """`x.flatten()` is `x` itself in torch, if that is laid out row by row; in NumPy it is a copy."""
    whole = not args and not named
    out = arrays.reshape(ev, x, [Int(const(-1))] if whole else None, state, False, "flatten")
    if x.torch or out.storage != x.storage:
        return out
    fresh = ev.symbols.allocation(ev.invent_name(f"{x.name}.flatten()"), x.storage)
    return replace(out, storage=fresh, maybe=x.storage)


def _ravel(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    whole = not args and not named
    return arrays.reshape(ev, x, [Int(const(-1))] if whole else None, state, False, "flatten")


def _swap_axes(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    axes = _integers(ev, args, state)
    if axes is None or len(axes) != 2:
        return _part(ev, x, "transpose")
    return arrays.transpose(ev, x, state, axes[0], axes[1])


def _transpose(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    """`x.transpose(a, b)` swaps two axes of an array of torch. NumPy has the order of all axes there, so both agree
    about the axes 1, 0 of a matrix, and only torch takes two of three axes or more."""
    axes, rank = _integers(ev, args, state), arrays.rank_of(x, state)
    if axes is None or len(args) != 2 or (rank == 2 and axes[0] % 2 == 0 and not x.torch):
        return _part(ev, x, "transpose")
    return _swap_axes(ev, x, args, named, state)


def _part(ev: Evaluator, x: Tensor, how: str) -> Tensor:
    name = ev.invent_name(f"{x.name}.{how}()")
    return Tensor(name, name, x.storage, whole=False)


def _narrow(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    """`x.narrow(dim, start, length)`: `length` elements along an axis. It raises where they are not all there."""
    axis, shape = _axis(ev, args, named, state), arrays.shape_of(ev, x, state)
    length = args[2] if len(args) > 2 else named.get("length")
    extent = None if length is None else ev.number(length)
    part = _part(ev, x, "narrow")
    if axis is None or shape is None or extent is None or not -len(shape) <= axis < len(shape):
        return part
    at = axis % len(shape)
    return replace(part, shape=(*shape[:at], extent, *shape[at + 1:]), strides=arrays.strides_of(ev, x, state))


def _permute(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    axes = _integers(ev, args, state)
    return _part(ev, x, "permute") if axes is None else arrays.permute(ev, x, axes, state)


def _unsqueeze(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    axis, shape = _axis(ev, args, named, state), arrays.shape_of(ev, x, state)
    name = ev.invent_name(f"{x.name}.unsqueeze()")
    if axis is None or shape is None:
        return Tensor(name, name, x.storage, None, None, x.dense, x.whole, x.fresh, x.maybe)
    at = axis if axis >= 0 else axis + len(shape) + 1
    return Tensor(name, name, x.storage, (*shape[:at], ONE, *shape[at:]), None, x.dense, x.whole, x.fresh, x.maybe)


def _squeeze(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    name = ev.invent_name(f"{x.name}.squeeze()")
    return Tensor(name, name, x.storage, None, None, x.dense, x.whole, x.fresh, x.maybe)


def _expand(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    return _part(ev, x, "expand")


def _convert(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    """`to`, `float`, ...: the array itself when nothing changes, else a copy of equal shape."""
    name = ev.symbols.allocation(ev.invent_name(f"{x.name}.to()"), x.storage)
    return Tensor(x.name, name, name, x.shape, None, x.dense, True, None, x.storage)


def _clone(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    out = arrays.copy_tensor(ev, x, "clone")
    # clone keeps the layout where it can
    return out if x.dense else Tensor(out.name, out.strided, out.storage, out.shape, None, False, True, "clone")


def _allocate_like(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State, how: str = "new_empty") -> Value:
    sizes = args[:1] if how == "new_full" else args
    return arrays.allocate(ev, how, arrays.extents_from(ev, sizes, state), state)


def _return_same(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    return x


def _elementwise(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    name = ev.symbols.allocation(ev.invent_name(f"{x.name}'"))
    return Tensor(name, name, name)


def _rank(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    return arrays.attribute(ev, x, "ndim", state)


def _contiguous(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    return arrays.contiguous(ev, x, state)


def _is_contiguous(ev: Evaluator, x: Tensor, args: Args, named: Named, state: State) -> Value:
    return Truth(TRUE) if x.dense else Truth(contiguity(x))


TENSOR: Final[Mapping[str, TensorMethod]] = {
    "size": _size,
    "stride": _stride,
    "numel": lambda ev, x, a, n, s: Int(arrays.numel(ev, x, s)),
    "nelement": lambda ev, x, a, n, s: Int(arrays.numel(ev, x, s)),
    "dim": _rank,
    "ndimension": _rank,
    "view": _view,
    "reshape": _reshape,
    "flatten": _flatten,
    "ravel": _ravel,
    "transpose": _transpose,
    "swapaxes": _swap_axes,
    "permute": _permute,
    "t": lambda ev, x, a, n, s: arrays.transpose(ev, x, s),
    "unsqueeze": _unsqueeze,
    "squeeze": _squeeze,
    "expand": _expand,
    "expand_as": _expand,
    "narrow": _narrow,
    "contiguous": _contiguous,
    "is_contiguous": _is_contiguous,
    "detach": _return_same,
    "requires_grad_": _return_same,
    "zero_": _return_same,
    "fill_": _return_same,
    "copy_": _return_same,
    "record_stream": _return_same,
    **dict.fromkeys(
        ("add_", "sub_", "mul_", "div_", "clamp_", "relu_", "exp_", "neg_", "normal_", "uniform_"), _return_same
    ),
    "to": _convert,
    "float": _convert,
    "half": _convert,
    "bfloat16": _convert,
    "int": _convert,
    "long": _convert,
    "cuda": _convert,
    "type": _convert,
    "type_as": _convert,
    "bool": _convert,
    "clone": _clone,
    "sum": _elementwise,
    "mean": _elementwise,
    "copy": _clone,
    "new_empty": _allocate_like,
    "new_zeros": lambda ev, x, a, n, s: _allocate_like(ev, x, a, n, s, "new_zeros"),
    "new_ones": lambda ev, x, a, n, s: _allocate_like(ev, x, a, n, s, "new_ones"),
    "new_full": lambda ev, x, a, n, s: _allocate_like(ev, x, a, n, s, "new_full"),
    "element_size": lambda ev, x, a, n, s: Thing(f"{x.storage}.element_size()"),
}
"""Methods of arrays. On a thing only those that no list, dict or object of its own is likely to have."""

SHAPED: Final = frozenset({"view", "reshape", "new_empty", "new_zeros", "new_ones"})
"""Methods of arrays whose arguments are extents, and nothing else."""

_AMBIGUOUS: Final = frozenset({
    "copy", "sum", "mean", "type", "to", "copy_", "t", "int", "float", "bool", "half", "long",
})

KERNEL_COPIES: Final = frozenset({"replace_hints", "with_hints"})
"""Methods of a kernel that give the same kernel, compiled differently."""

REBIND: Final = frozenset({
    "resize_", "set_", "unsqueeze_", "squeeze_", "t_", "transpose_", "resize_as_", "swapaxes_",
    "swapdims_", "as_strided_", "resize", "resize_as_sparse_", "sparse_resize_", "sparse_resize_and_clear_",
})


# --- methods of other values -----------------------------------------------------------------------------------------

def _list_method(ev: Evaluator, owner: Ref, name: str, args: Args, named: Named, state: State) -> Value | None:
    here = state.heap.get(owner.key, OPEN)
    if name == "append" and len(args) == 1:
        state.heap[owner.key] = Contents((*here.items, state.hold(args[0])), (), here.bound)
        return NONE
    if name == "extend" and len(args) == 1:
        more = ev.contents(args[0], state)
        bound = "exact" if here.bound == more.bound == "exact" else "open" if "open" in (
            here.bound, more.bound) else "some"
        grown = (*here.items, *more.items)
        state.heap[owner.key] = OPEN if len(grown) > LONGEST else Contents(
            grown, (), bound)  # type: ignore[arg-type]
        return NONE
    if name in ("sort", "reverse"):
        state.heap[owner.key] = Contents(here.items, (), here.bound if len(here.items) < 2 else "some")
        return NONE
    if name in ("insert", "pop", "remove", "clear"):
        state.heap[owner.key] = OPEN
        return ev.unknown("item")
    return ev.unknown(name) if name in ("index", "count") else ev.new_list((), state, here) if name == "copy" else None


def _dict_method(ev: Evaluator, owner: Ref, name: str, args: Args, named: Named, state: State) -> Value | None:
    here = state.heap.get(owner.key, OPEN)
    if name == "get" and args:
        if args[0] in here.keys and here.bound == "exact":
            return ev.item(owner, args[0], state)
        plain = all(isinstance(k, Plain) for k in here.keys) and isinstance(args[0], Plain)
        if plain and here.bound == "exact":
            return args[1] if len(args) > 1 else NONE
        return ev.unknown("item")
    if name == "copy":
        key = ev.invent_name("dict")
        state.heap[key] = here
        return Ref("dict", key)
    if name in ("items", "values", "keys") and here.bound != "open":
        pairs = {"items": tuple(Items(pair) for pair in zip(here.keys, here.items, strict=True)),
                 "values": here.items, "keys": here.keys}[name]
        return ev.new_iterator(Contents(pairs, (), here.bound), state, read_sources(owner))
    if name in ("update", "setdefault", "pop", "clear", "popitem"):
        state.heap[owner.key] = OPEN
    return ev.unknown(name, numeric=False)


def _table_method(ev: Evaluator, owner: Table, name: str, args: Args, named: Named, state: State) -> Value | None:
    if name in ("get", "pop") and args:
        return tables.read(ev, owner, args[0], state, args[1] if len(args) > 1 else None)
    if name == "setdefault" and len(args) == 2:
        tables.store(ev, owner, args[0], args[1], state)
        return tables.read(ev, owner, ev.unknown("key"), state)
    return ev.unknown(name, numeric=name not in ("values", "items", "keys"))


def _kernel_method(ev: Evaluator, owner: Kernel, name: str, args: Args, named: Named, state: State) -> Value | None:
    return owner if name in KERNEL_COPIES else ev.unknown(name)


def _int_method(ev: Evaluator, owner: Int, name: str, args: Args, named: Named, state: State) -> Value | None:
    if name == "bit_length":
        # ceil(log2(n + 1)) for n >= 0
        value = owner.term.constant
        return Log2(owner.term + 1, True) if value is None else Int(const(value.bit_length()))
    if name == "item":
        return owner
    return None


def _shape_method(ev: Evaluator, owner: Shape, name: str, args: Args, named: Named, state: State) -> Value | None:
    if name == "numel":
        total = arrays.shape_product(ev, owner, state)
        return ev.unknown("numel") if total is None else Int(total)
    return ev.unknown(name)


def _items_method(ev: Evaluator, owner: Items, name: str, args: Args, named: Named, state: State) -> Value | None:
    if name == "numel":
        return Int(arrays.product([ev.integer(v, "extent") for v in owner.items]))
    return ev.unknown(name)


OTHER: Final[Mapping[type, Callable[[Evaluator, Any, str, Args, Named, State], Value | None]]] = {
    Kernel: _kernel_method, Int: _int_method, Shape: _shape_method, Items: _items_method, Table: _table_method,
}


_LAYOUTS: Final = frozenset({"A", "F", "K"})


def laid_out(ev: Evaluator, value: Value | None, args: Args, named: Named) -> Value | None:
    """The result of a call that asks for another layout than row by row: `memory_format=`, `order="F"`."""
    if not {"memory_format", "order"} & named.keys() and not any(
            isinstance(a, Plain) and isinstance(a.value, str) and a.value in _LAYOUTS for a in args):
        return value
    if isinstance(value, Choice):
        return Choice(tuple((cond, laid_out(ev, option, args, named) or option) for cond, option in value.options))
    if not isinstance(value, Tensor):
        return value
    name = ev.symbols.allocation(ev.invent_name(f"{value.name}.laid_out()"), value.storage)
    return replace(value, strided=name, storage=name, strides=None, dense=False, fresh=None, maybe=value.storage)


def method(ev: Evaluator, owner: Value, name: str, args: Args, named: Named, state: State) -> Value | None:
    """The result of `owner.name(...)`, or None when the method is not known."""
    return laid_out(ev, _method(ev, owner, name, args, named, state), args, named)


def _method(ev: Evaluator, owner: Value, name: str, args: Args, named: Named, state: State) -> Value | None:
    if isinstance(owner, Ref):
        handler = _list_method if owner.kind == "list" else _dict_method
        return handler(ev, owner, name, args, named, state)
    if isinstance(owner, Thing):
        return _thing_method(ev, owner, name, args, named, state)
    if isinstance(owner, Tensor):
        return _tensor_method(ev, owner, name, args, named, state)
    other = OTHER.get(type(owner))
    return None if other is None else other(ev, owner, name, args, named, state)


def _call_known(ev: Evaluator, x: Tensor, name: str, args: Args, named: Named, state: State) -> Value | None:
    """The result of a method that is understood, if its arguments are."""
    signature = METHODS.get(name)
    bound = (args, named) if signature is None else bind_arguments(signature, args, named)
    return None if bound is None else TENSOR[name](ev, x, *bound, state)


def _tensor_method(ev: Evaluator, x: Tensor, name: str, args: Args, named: Named, state: State) -> Value | None:
    if name in TENSOR:
        return _call_known(ev, x, name, args, named, state)
    if name.endswith("_") and not name.endswith("__"):
        return _part(ev, x, name) if name in REBIND else x
    return ev.unknown(f"{x.name}.{name}()")


def _thing_method(ev: Evaluator, owner: Thing, name: str, args: Args, named: Named, state: State) -> Value | None:
    if name == "bit_length":
        return Log2(ev.integer(owner) + 1, True)
    if name in KERNEL_COPIES:
        return owner
    if name == "find" and len(args) == 1:
        return _place(owner, args[0], state)
    if name == "save_for_backward" and not named:
        state.attributes[(owner.name, "saved_tensors")] = Items(args)
        return NONE
    if name == "get" and isinstance(owner.origin, Member | Stored):
        return ev.unknown("item")
    known = TENSOR.get(name)
    if known is None or (name in _AMBIGUOUS and not _like_array(name, args, named)):
        if name in _AMBIGUOUS:
            return ev.unknown(f"{owner.name}.{name}()")
        return None
    return _call_known(ev, ev.tensor(owner, state), name, args, named, state)


def _place(owner: Thing, part: Value, state: State) -> Value | None:
    """`layout.find("b")` of a text that is one of several: `assert layout in ("bnsd", "nsbd")`."""
    if not isinstance(part, Plain) or not isinstance(part.value, str):
        return None
    for fact in state.facts.values():
        found = [_find_compared_text(owner.name, c) for c in (fact.args if fact.op == "or" else ())]
        texts = [text for text in found if text is not None]
        if texts and len(texts) == len(found):
            places = [const(text.find(part.value)) for text in texts]
            return Int(build_choice(list(zip(fact.args, places, strict=True))))
    return None


def _find_compared_text(name: str, test: Cond) -> str | None:
    """The text that a name is compared with in `name == 'text'`."""
    key = test.atom.name if test.op == "bool" and test.positive and isinstance(test.atom, Opaque) else ""
    text = key.removeprefix(f"{name} == '")
    return text[:-1] if text != key and text.endswith("'") and "'" not in text[:-1] and "\\" not in text else None


def _like_array(name: str, args: Args, named: Named) -> bool:
    return name in ("to", "copy_", "t", "int", "float", "half", "long", "bool")
