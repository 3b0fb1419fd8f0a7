"""`dataclass(frozen=True)` for modules of many classes, made in a fraction of the time.

`dataclasses` compiles six methods for every class, which was most of what it took to import the checker. Here only
`__init__` is compiled, when the first instance is made. What instances do is the same, field options and `replace`,
`fields` and matching included.

In a build the methods are written out (`native_sources.py` of the repository), and `native` and `replaced` do the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["native", "record", "replaced"]

if TYPE_CHECKING:
    from dataclasses import dataclass as record
    from dataclasses import replace as replaced

    def native(cls: type, names: tuple[str, ...], *, frozen: bool = True, init: tuple[str, ...] = (),
               repr: tuple[str, ...] = (), compare: tuple[str, ...] = ()) -> None: ...
else:
    from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
    from operator import attrgetter, ge, gt, le, lt

    def record(*, frozen, eq=True, order=False):
        """A class decorator; `frozen` must be true, and is there for type checkers, to which it is `dataclass`."""
        if not frozen:
            raise TypeError("records are frozen")
        return lambda cls: _made(cls, eq, order)

    def _made(cls, eq, order):
        cls.__doc__ = cls.__doc__ or cls.__name__  # or `dataclass` renders a signature for it
        cls = dataclass(init=False, repr=False, eq=False)(cls)
        parts = fields(cls)
        compared = _values(tuple(p.name for p in parts if p.compare))
        hashed = _values(tuple(p.name for p in parts if (p.compare if p.hash is None else p.hash)))
        shown = tuple(p.name for p in parts if p.repr)

        def __eq__(self, other):
            return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

        def __hash__(self):
            return hash(hashed(self))

        def __init__(self, *values, **by_name):
            cls.__init__ = _init(parts)
            cls.__init__(self, *values, **by_name)

        methods = {"__init__": __init__, "__repr__": _shown(shown), "__setattr__": _no_assignment,
                   "__delattr__": _no_deletion, **({"__eq__": __eq__, "__hash__": __hash__} if eq else {})}
        if order:
            methods |= {f"__{compare.__name__}__": _ordering(compare, compared) for compare in (lt, le, gt, ge)}
        if not cls.__dictoffset__:  # it is compiled, and what unpickles such a class assigns to its fields
            held = _values(tuple(p.name for p in parts))
            methods["__reduce__"] = lambda self: (_remade, (cls, *held(self)))
        own = {name for name, value in vars(cls).items() if value is not None}  # `__eq__` alone makes `__hash__` None
        for name in methods.keys() - own:
            setattr(cls, name, methods[name])
        return cls

    def _ordering(compare, compared):
        return lambda self, other: (
            compare(compared(self), compared(other)) if other.__class__ is self.__class__ else NotImplemented)

    def native(cls, names, *, frozen=True, init=(), repr=(), compare=()):
        """Make a compiled class with fields of these names what `fields`, `replace`, `repr` and pickling take.

        Compiled code that makes an instance sets its fields all the same where they cannot be assigned.

        names   all fields in order
        init    those that are no parameters; `repr`, those not shown; `compare`, those that equality leaves out
        """
        parts = {name: field(init=name not in init, repr=name not in repr, compare=name not in compare)
                 for name in names}
        scope = {"__doc__": "", "__annotations__": dict.fromkeys(names, object), **parts}
        cls.__dataclass_fields__ = dataclass(init=False, repr=False, eq=False)(type("", (), scope)).__dataclass_fields__
        given = _values(tuple(name for name in names if name not in init))
        cls.__repr__ = _shown([name for name in names if name not in repr])
        cls.__reduce__ = lambda self: (cls, given(self))
        if frozen and not cls.__dictoffset__:  # or `__init__` could not, interpreted
            cls.__setattr__, cls.__delattr__ = _no_assignment, _no_deletion

    def replaced(record, /, **changes):
        """`dataclasses.replace`, for compiled code: it looks at each field six times."""
        values = [changes.pop(name) if name in changes else getattr(record, name) for name in record.__match_args__]
        return record.__class__(*values, **changes)

    def _shown(names):
        def __repr__(self):
            return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"
        return __repr__

    def _values(names):
        """What reads attributes as a tuple."""
        if len(names) > 1:
            return attrgetter(*names)
        return (lambda record: (getattr(record, names[0]),)) if names else (lambda record: ())

    def _init(parts):
        scope = {"_set": object.__setattr__, "_MISSING": MISSING}
        parameters, lines = [], []
        for p in parts:
            value = p.name
            if p.default_factory is not MISSING:
                scope[f"_new_{p.name}"] = p.default_factory
                value = f"_new_{p.name}() if {p.name} is _MISSING else {p.name}"
                parameters.append(f"{p.name}=_MISSING")
            elif p.default is not MISSING:
                scope[f"_default_{p.name}"] = p.default
                parameters.append(f"{p.name}=_default_{p.name}")
            else:
                parameters.append(p.name)
            lines.append(f" _set(self, {p.name!r}, {value})")
        exec(f"def __init__({', '.join(('self', *parameters))}):\n" + ("\n".join(lines) or " pass"), scope)
        return scope["__init__"]

    def _remade(cls, *values):
        made = cls.__new__(cls)
        for part, value in zip(fields(cls), values, strict=True):
            object.__setattr__(made, part.name, value)
        return made

    def _no_assignment(self, name, value):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def _no_deletion(self, name):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
