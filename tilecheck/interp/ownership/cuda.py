"""CUDA streams, events and graphs of torch: the order of work, and the memory that a captured graph uses.

Work on one stream runs in order. Work on two streams is ordered only if one waits for the other, or if the host waits.
Streams that a function creates differ from the current one. Streams that it receives are unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from tilecheck.interp.ownership.event import Event
from tilecheck.interp.ownership.liveness import escape, find_all_reachable
from tilecheck.interp.ownership.objects import (
    Array,
    Bound,
    Capture,
    Kernel,
    Literal_,
    Marker,
    Memory,
    Row,
    Stream,
    Touch,
    Unknown,
    Value,
)
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.interp.ownership.interpreter import Machine

__all__ = [
    "KINDS",
    "attribute",
    "enter_manager",
    "function",
    "method",
    "name_stream",
    "result_of",
    "touch_operands",
    "touch_stored",
    "update_in_place",
    "view_of",
]

Named = dict[str, Value]

KINDS: Final = (Array, Stream, Marker, Capture)

_VIEWS: Final = frozenset({
    "view", "reshape", "transpose", "permute", "detach", "unsqueeze", "squeeze", "flatten", "expand", "narrow", "t",
    "contiguous", "view_as", "select", "requires_grad_"})
_SAME: Final = frozenset({"data", "T", "mT", "H"})
_PLAIN: Final = frozenset({
    "shape", "dtype", "device", "ndim", "size", "stride", "numel", "dim", "is_contiguous", "data_ptr", "element_size",
    "record_stream", "strides", "is_cuda", "requires_grad"})
_FILLED: Final = frozenset({"zeros", "ones", "full", "rand", "randn", "arange", "randint", "tensor", "linspace", "eye",
                            "zeros_like", "ones_like", "rand_like", "randn_like", "full_like"})
_UNNAMED: Final = "another stream"
_EMPTY: Final = frozenset({"empty", "empty_like", "empty_strided"})


def _current(m: Machine) -> Stream:
    return m.current[-1] if m.current else m.streams.setdefault("", Stream("the current stream"))


# --- order -----------------------------------------------------------------------------------------------------------

def _after(stream: Stream, other: Stream) -> None:
    """Work on the one from now on comes after all that the other has so far."""
    for number, done in other.seen.items():
        stream.seen[number] = max(stream.seen.get(number, 0), done)
    stream.seen[id(other)] = max(stream.seen.get(id(other), 0), other.done)


def name_stream(value: Value, name: str) -> None:
    """A stream goes by the first variable that holds it."""
    if isinstance(value, Stream) and value.name == _UNNAMED:
        value.name = name


def _snapshot(stream: Stream) -> dict[int, int]:
    return {**stream.seen, id(stream): stream.done}


def _after_marker(stream: Stream, seen: Mapping[int, int]) -> None:
    for number, done in seen.items():
        stream.seen[number] = max(stream.seen.get(number, 0), done)


def _is_ordered(touch: Touch, stream: Stream) -> bool:
    return touch.stream is stream or stream.seen.get(id(touch.stream), 0) >= touch.at


def _all_streams(m: Machine) -> list[Stream]:
    _current(m)
    return list(m.streams.values())


def _synchronise(m: Machine, seen: Mapping[int, int]) -> None:
    """The host waits: later launches run after all work so far."""
    for stream in _all_streams(m):
        _after_marker(stream, seen)


def _touch(m: Machine, memory: Memory, text: str, touch: Touch) -> None:
    """Work on memory; says where other work on it may run at the same time."""
    for before in memory.touched:
        if _is_ordered(before, touch.stream) or m.captures:
            continue
        needs = tuple((t.kernel, t.index) for t in (before, touch) if t.kernel is not None)
        written = (before.writes and before.kernel is None) or (touch.writes and touch.kernel is None)
        if not written and not needs:
            continue
        m.report(Event("TC407", "streams", touch.span, text, touch.what, before.what, before.span,
                       f"{before.stream.name}|{touch.stream.name}",
                       _wait(touch.stream, before.stream), not memory.escaped,
                       needs=() if written else needs))
        return
    memory.touched.append(touch)


def _wait(late: Stream, early: Stream) -> str:
    one = "torch.cuda.current_stream()" if late.name == "the current stream" else late.name
    other = "torch.cuda.current_stream()" if early.name == "the current stream" else early.name
    return f"let the second wait for the first before: `{one}.wait_stream({other})`"


def _work(m: Machine, array: Array, text: str, span: Span, what: str, writes: bool) -> None:
    """An operation of torch on the current stream."""
    stream = _current(m)
    if not array.memory.touched and not writes:
        return
    stream.done += 1
    _touch(m, array.memory, text, Touch(stream, stream.done, span, what, None, 0, writes))


# --- arrays ----------------------------------------------------------------------------------------------------------

def _array(m: Machine, value: Value) -> Array | None:
    """The tensor that a value is. An unknown value becomes a tensor where it is used as one."""
    if isinstance(value, Array):
        return value
    if not isinstance(value, Unknown) or value.handle is not None:
        return None
    if value.array is None:
        value.array = Array(Memory(value.name))
    return value.array


def view_of(m: Machine, owner: Unknown) -> Value:
    """A part of something that may be a tensor."""
    if owner.array is not None:
        return owner.array
    if owner.handle is not None:
        escape(m, (owner,))
    return m.unknown("item")


def _create_array(m: Machine, node: ast.AST, what: str) -> Array:
    array = Array(Memory(m.make_name("array"), inside=not m.captures))
    if what:
        stream = _current(m)
        stream.done += 1
        array.memory.touched.append(Touch(stream, stream.done, m.span(node), what, None, 0, True))
    return array


def _find_arrays(values: Sequence[Value]) -> list[Array]:
    found = [v if isinstance(v, Array) else v.array if isinstance(v, Unknown) else None for v in values]
    return [a for a in found if a is not None]


def touch_operands(m: Machine, values: Sequence[Value], node: ast.BinOp) -> None:
    """`a + b`"""
    for array, side in zip(values, (node.left, node.right), strict=True):
        for found in _find_arrays((array,)):
            _work(m, found, ast.unparse(side), m.span(node), "an operation of torch", False)


def result_of(m: Machine, values: Sequence[Value]) -> Value:
    """The result of an operation on tensors."""
    return Array(Memory(m.make_name("array"), inside=not m.captures)) if _find_arrays(values) else m.unknown("value")


def update_in_place(m: Machine, value: Value, node: ast.AugAssign) -> bool:
    """`x += y` of a tensor, in its memory."""
    for found in _find_arrays((value,)):
        _work(m, found, ast.unparse(node.target), m.span(node), "an operation of torch", True)
        return True
    return False


def touch_stored(m: Machine, owner: Value, target: ast.Subscript) -> bool:
    """`x[...] = y` of a tensor."""
    for found in _find_arrays((owner,)):
        _work(m, found, ast.unparse(target.value), m.span(target), "an operation of torch", True)
        return True
    return False


def attribute(m: Machine, owner: Value, name: str, text: str) -> Value | None:
    """An attribute of a tensor or stream other than a method; None if unknown."""
    if isinstance(owner, Array):
        return owner if name in _SAME else None
    return owner if isinstance(owner, Stream) and name == "cuda_stream" else None


# --- calls -----------------------------------------------------------------------------------------------------------

def method(m: Machine, owner: Value, name: str, args: list[Value], named: Named, node: ast.Call,
           text: str) -> Value | None:
    """A method of a tensor, stream, event or graph; None for one that is not known."""
    if isinstance(owner, Unknown):
        if owner.array is None:
            return None
        owner = owner.array
    handler = _METHODS.get(type(owner))
    return None if handler is None else handler(m, owner, name, args, node, text)


def _of_array(m: Machine, owner: Array, name: str, args: list[Value], node: ast.Call, text: str) -> Value:
    for other in _find_arrays(args):
        if name not in _PLAIN and name not in _VIEWS:
            _work(m, other, "a tensor", m.span(node), f"`.{name}(...)`", False)
    if name in _VIEWS:
        return owner
    if name in _PLAIN:
        return m.unknown(name)
    _work(m, owner, text, m.span(node), f"`.{name}(...)`", name.endswith("_") and not name.endswith("__"))
    return owner if name.endswith("_") else Array(Memory(m.make_name("array"), inside=not m.captures))


def _of_stream(m: Machine, owner: Stream, name: str, args: list[Value], node: ast.Call, text: str) -> Value | None:
    first = args[0] if args else None
    if name == "wait_stream" and isinstance(first, Stream):
        _after(owner, first)
    elif name == "wait_event" and isinstance(first, Marker):
        _after_marker(owner, first.seen or {})
    elif name == "record_event":
        marker = first if isinstance(first, Marker) else Marker()
        marker.seen = _snapshot(owner)
        return marker
    elif name == "synchronize":
        _synchronise(m, _snapshot(owner))
    elif args:  # it waits for something that is not seen
        escape(m, _arrays(m))
    return Literal_(None)


def _arrays(m: Machine) -> list[Value]:
    return [v for v in find_all_reachable(m) if isinstance(v, Array)]


def _of_marker(m: Machine, owner: Marker, name: str, args: list[Value], node: ast.Call, text: str) -> Value | None:
    first = args[0] if args else None
    if name == "record":
        owner.seen = _snapshot(first if isinstance(first, Stream) else _current(m))
    elif name == "wait":
        _after_marker(first if isinstance(first, Stream) else _current(m), owner.seen or {})
    elif name == "synchronize":
        _synchronise(m, owner.seen or {})
    return Literal_(None)


def _of_capture(m: Machine, owner: Capture, name: str, args: list[Value], node: ast.Call, text: str) -> Value | None:
    if name == "reset":
        owner.uses.clear()
    if name == "replay":
        alive = {id(v.memory) for v in find_all_reachable(m) if isinstance(v, Array)}
        for memory, (what, span) in owner.uses.items():
            if memory.inside and not memory.escaped and id(memory) not in alive:
                m.report(Event("TC406", "replayed", m.span(node), what, before=span, other=text,
                               fix=f"keep `{what}` until the graph has run for the last time, or write into it in "
                               f"place: `{what}.copy_(...)`"))
                break
    return Literal_(None)


_METHODS: Final[Mapping[type, Callable[..., Value | None]]] = {
    Array: _of_array, Stream: _of_stream, Marker: _of_marker, Capture: _of_capture}


def function(m: Machine, path: str, args: list[Value], named: Named, node: ast.Call) -> Value | None:
    """A function of torch or `ct.launch`; None for one that is not known."""
    if path == "cuda.tile.launch":
        return _launch(m, args, named, node)
    known = _FUNCTIONS.get(path)
    if known is not None:
        return known(m, args, named, node)
    if not path.startswith("torch."):
        return None
    name = path.rpartition(".")[2]
    if path == f"torch.{name}" and name in _FILLED:
        return _create_array(m, node, f"`torch.{name}(...)`")
    if path == f"torch.{name}" and name in _EMPTY:
        return _create_array(m, node, "")
    if path != f"torch.{name}":
        return None
    for value, arg in zip(args, node.args, strict=False):
        for array in _find_arrays((value,)):
            _work(m, array, ast.unparse(arg), m.span(node), f"`torch.{name}(...)`", False)
    out = named.get("out")
    for array in _find_arrays((out,) if out is not None else ()):
        _work(m, array, "out", m.span(node), f"`torch.{name}(...)`", True)
        return array
    return result_of(m, args)


def _launch(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    given = dict(zip(("stream", "grid", "kernel", "kernel_args"), args, strict=False)) | named
    stream, kernel, passed = given.get("stream"), given.get("kernel"), given.get("kernel_args")
    values = passed.items if isinstance(passed, Row) else ()
    if isinstance(stream, Unknown) or not isinstance(kernel, Kernel) or not isinstance(stream, Stream):
        escape(m, [a for a in (_array(m, v) for v in values) if a is not None])
        return Literal_(None)
    stream.done += 1
    texts = _texts(node)
    seen: set[int] = set()
    for index, value in enumerate(values):
        array = _array(m, value)
        if array is None:
            continue
        text = texts[index] if index < len(texts) else f"argument {index + 1}"
        for capture in m.captures:
            capture.uses.setdefault(array.memory, (text, m.span(node)))
        if id(array.memory) not in seen:
            _touch(m, array.memory, text, Touch(
                stream, stream.done, m.span(node), f"the launch of `{kernel.callee.name}`", kernel.callee.key, index,
                False))
        seen.add(id(array.memory))
    return Literal_(None)


def _texts(node: ast.Call) -> list[str]:
    """The arguments of the kernel as written."""
    shown = node.args[3] if len(node.args) > 3 else None
    return [ast.unparse(e) for e in shown.elts] if isinstance(shown, ast.Tuple) else []


def _stream(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    made = Stream(_UNNAMED)
    m.streams[f"made {len(m.streams)}"] = made
    return made


def _entered_stream(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    return args[0] if args and isinstance(args[0], Stream) else Bound(m.unknown("stream"), "<stream>")


def _synchronize(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    for stream in _all_streams(m):
        for other in _all_streams(m):
            _after(stream, other)
    return Literal_(None)


def _graph(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    """`torch.cuda.graph(g)`, which captures into it."""
    return Bound(args[0], "<capture>") if args and isinstance(args[0], Capture) else m.unknown("capture")


_FUNCTIONS: Final[Mapping[str, Callable[[Machine, list[Value], Named, ast.Call], Value]]] = {
    "torch.cuda.Stream": _stream, "torch.cuda.current_stream": lambda m, a, n, c: _current(m),
    "torch.cuda.default_stream": lambda m, a, n, c: _current(m), "torch.cuda.stream": _entered_stream,
    "torch.cuda.Event": lambda m, a, n, c: Marker(), "torch.cuda.synchronize": _synchronize,
    "torch.cuda.CUDAGraph": lambda m, a, n, c: Capture(m.span(c)), "torch.cuda.graph": _graph,
}


def enter_manager(m: Machine, manager: Value, span: Span) -> Callable[[], None] | None:
    """Enters `with torch.cuda.stream(s)` or `with torch.cuda.graph(g)`: what leaves it again; None for another."""
    if isinstance(manager, Stream):
        m.current.append(manager)
        return lambda: _leave(m.current)
    if isinstance(manager, Bound) and manager.name == "<stream>":
        m.current.append(Stream("a stream"))
        return lambda: _leave(m.current)
    if isinstance(manager, Bound) and isinstance(manager.owner, Capture):
        m.captures.append(manager.owner)
        return lambda: _leave(m.captures)
    return None


def _leave(stack: list[Any]) -> None:
    stack.pop()
