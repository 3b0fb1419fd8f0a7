"""Dataclasses that cost little to define.

`dataclasses.dataclass` compiles half a dozen functions for each class. The checker has two hundred of them, and making
all these functions is a fifth of the time that checking one file takes. A class decorated here behaves like one
decorated there, for the options that are used here; but its `__init__` is compiled when it is first called, and no
other method needs compiling. `slots` is accepted for the sake of what it says, and has no effect.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, field
from inspect import get_annotations
from operator import attrgetter
from typing import Any, Final, NoReturn, TypeVar, dataclass_transform, overload

__all__ = ["dataclass", "field", "replace"]

T = TypeVar("T")

_FIELDS: Final = "__dataclass_fields__"


@overload
def dataclass(cls: type[T], /) -> type[T]: ...
@overload
def dataclass(
    *, frozen: bool = ..., eq: bool = ..., order: bool = ..., slots: bool = ...
) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(field_specifiers=(field,))
def dataclass(
    cls: type[T] | None = None, /, *, frozen: bool = False, eq: bool = True, order: bool = False, slots: bool = False
) -> type[T] | Callable[[type[T]], type[T]]:
    """As `dataclasses.dataclass`, for classes that inherit no fields."""

    def decorate(undecorated: type[T]) -> type[T]:
        _define(undecorated, frozen, eq, order)
        return undecorated

    return decorate if cls is None else decorate(cls)


def replace(instance: T, /, **changes: Any) -> T:
    """As `dataclasses.replace`."""
    values = {name: getattr(instance, name) for name in type(instance).__match_args__}  # type: ignore[attr-defined]
    return type(instance)(**{**values, **changes})


def _define(cls: type, frozen: bool, eq: bool, order: bool) -> None:
    if any(hasattr(base, "__match_args__") for base in cls.__bases__):
        raise TypeError(f"{cls.__name__} inherits fields")
    names = tuple(get_annotations(cls))
    given = {name: cls.__dict__[name] for name in names if name in cls.__dict__}
    compared = [name for name in names if not _is(given.get(name), compare=False)]
    hashed = [name for name in compared if not _is(given.get(name), hash=False)]
    methods: dict[str, Any] = {"__match_args__": names, _FIELDS: _Fields(names, given)}
    methods["__init__"] = _init_when_called(cls, names, given, frozen)
    methods["__repr__"] = _repr(names)
    if eq:
        methods["__eq__"] = _eq(_values(compared))
        methods["__hash__"] = _hash(_values(hashed)) if frozen else None
    if order:
        methods |= _order(_values(compared))
    if frozen:
        methods["__setattr__"], methods["__delattr__"] = _refuse_to_set, _refuse_to_delete
    for name, method in methods.items():
        if name not in cls.__dict__ or (name == "__hash__" and cls.__dict__[name] is None):
            setattr(cls, name, method)
    for name, default in given.items():
        if isinstance(default, Field):
            delattr(cls, name)
            if default.default is not MISSING:
                setattr(cls, name, default.default)


def _is(default: object, **options: bool) -> bool:
    return isinstance(default, Field) and all(getattr(default, name) is value for name, value in options.items())


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What gets the values of these fields, as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    if names:
        (name,) = names
        return lambda instance: (getattr(instance, name),)
    return lambda instance: ()


def _init_when_called(cls: type, names: tuple[str, ...], given: dict[str, Any], frozen: bool) -> Callable[..., None]:
    def first(self: Any, *arguments: Any, **named: Any) -> None:
        init = _init(names, given, frozen)
        init.__qualname__ = f"{cls.__qualname__}.__init__"
        cls.__init__ = init  # type: ignore[misc]
        init(self, *arguments, **named)

    return first


def _init(names: tuple[str, ...], given: dict[str, Any], frozen: bool) -> Callable[..., None]:
    scope: dict[str, Any] = {"_set": object.__setattr__, "_missing": MISSING}
    parameters, body = ["self"], []
    for name in names:
        value = name
        default = given.get(name, MISSING)
        factory = default.default_factory if isinstance(default, Field) else MISSING
        if isinstance(default, Field):
            default = default.default
        if factory is not MISSING:
            scope[f"_new_{name}"], default = factory, MISSING
            parameters.append(f"{name}=_missing")
            value = f"_new_{name}() if {name} is _missing else {name}"
        elif default is not MISSING:
            scope[f"_default_{name}"] = default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        body.append(f" _set(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
    exec(f"def __init__({', '.join(parameters)}):\n" + ("\n".join(body) or " pass"), scope)
    made: Callable[..., None] = scope["__init__"]
    return made


def _repr(names: tuple[str, ...]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _eq(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, Any], bool]:
    def __eq__(self: Any, other: Any) -> bool:
        if self is other:
            return True
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    return lambda self: hash(values(self))


def _order(values: Callable[[Any], tuple[Any, ...]]) -> dict[str, Any]:
    def __lt__(self: Any, other: Any) -> bool:
        return values(self) < values(other) if other.__class__ is self.__class__ else NotImplemented

    def __le__(self: Any, other: Any) -> bool:
        return values(self) <= values(other) if other.__class__ is self.__class__ else NotImplemented

    return {"__lt__": __lt__, "__le__": __le__}  # the reflected ones are `>` and `>=`


def _refuse_to_set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


class _Fields:
    """Stands for `__dataclass_fields__`, by which the standard library knows a dataclass, until someone asks for it."""

    def __init__(self, names: tuple[str, ...], given: dict[str, Any]) -> None:
        self.names, self.given = names, given

    def __get__(self, instance: object, owner: type) -> dict[str, Any]:
        described = [(name, Any, self.given[name]) if name in self.given else (name, Any) for name in self.names]
        made = dataclasses.make_dataclass(owner.__name__, described)
        found = {field.name: field for field in dataclasses.fields(made)}
        type.__setattr__(owner, _FIELDS, found)
        return found
