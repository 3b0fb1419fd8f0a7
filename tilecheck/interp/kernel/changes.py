"""Objects that Python changes in place while the compiler executes it.

Lists, dicts and objects are immutable values here, so changes are not followed. A change makes the whole expression
unknown that the compiler executes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from tilecheck.interp.kernel.coerce import arrays_in
from tilecheck.interp.kernel.interpreter import Frame, Machine
from tilecheck.interp.kernel.values import Builtin, Choice, Dict, Instance, Method, Partial, Tuple, Unknown, Value
from tilecheck.syntax import tree

__all__ = ["forget_changed", "is_followed", "note_augmented", "note_call"]

_OBJECTS: Final = (Tuple, Dict, Instance, Choice, Unknown)


def note_call(m: Machine, values: tuple[Value, ...]) -> None:
    """Counts a call that is not followed, if one of these values is an object, and variables of Python hold objects.

    Whether it is one of those is not asked: a value that two paths join is another one.
    """
    if m.python and any(_has_object(v) or _reaches_variables(v) for v in values) and _holds_object(m.frame):
        m.objects_changed += 1


def note_augmented(m: Machine, value: Value) -> None:
    """Counts `x += y`, which changes a list in place."""
    if m.python and isinstance(value, _OBJECTS):
        m.objects_changed += 1


def forget_changed(m: Machine, value: Value, before: int) -> Value:
    """Returns what Python computed: it is unknown if an object has changed since `m.objects_changed` was `before`."""
    return value if m.objects_changed == before else Unknown("changed in place", arrays_in(m, value))


def is_followed(body: object) -> bool:
    """Whether statements of Python consist of those that are executed one after another: no `yield`, no `match`."""
    if isinstance(body, tuple):
        return all(map(is_followed, body))
    if isinstance(body, tree.Unknown):
        return not body.what.startswith(("yield", "await")) and is_followed(body.children)
    if isinstance(body, tree.UnknownStmt):
        return not body.body and is_followed(body.children)
    if isinstance(body, tree.FuncDef | tree.ClassDef | tree.Lambda) or not isinstance(body, Struct):
        return True
    return all(is_followed(getattr(body, name)) for name in body.__struct_fields__)


def _holds_object(frame: Frame | None) -> bool:
    while frame is not None:
        if any(_has_object(value) for value in frame.env.values()):
            return True
        frame = frame.parent
    return False


def _reaches_variables(value: Value) -> bool:
    return isinstance(value, Builtin) and value.name in ("eval", "exec", "globals", "locals", "vars")


def _has_object(value: Value) -> bool:
    return next(_objects(value), None) is not None


def _objects(value: Value, depth: int = 0) -> Iterator[Value]:
    """The objects that a value consists of."""
    if isinstance(value, _OBJECTS):
        yield value
    parts = _PARTS.get(type(value))
    if parts is not None and depth < 6:
        for part in parts(value):
            yield from _objects(part, depth + 1)


_PARTS: Final[Mapping[type, Callable[[Any], tuple[Value, ...]]]] = MappingProxyType({
    Tuple: lambda v: v.items,
    Dict: lambda v: tuple(part for item in v.items for part in item),
    Instance: lambda v: tuple(v.fields.values()),
    Choice: lambda v: (v.then, v.other),
    Method: lambda v: (v.owner,),
    Partial: lambda v: (v.func, *v.args, *(part for _, part in v.keywords)),
})
