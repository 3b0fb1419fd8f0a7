"""Attributes and items of the values of variables."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tilecheck.interp.ownership import cuda
from tilecheck.interp.ownership.handles import ATTRIBUTES, METHODS, term_of
from tilecheck.interp.ownership.liveness import escape
from tilecheck.interp.ownership.names import attribute_of_module, function
from tilecheck.interp.ownership.objects import (
    Blueprint,
    Bound,
    External,
    Handle,
    Instance,
    Listing,
    Literal_,
    Number,
    Routine,
    Row,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from tilecheck.interp.ownership.interpreter import Machine

__all__ = ["item", "method_of", "read", "write"]


def read(m: Machine, owner: Value, node: ast.Attribute) -> Value:
    """`owner.name`"""
    name = node.attr
    text = _text(node.value)
    if isinstance(owner, External):
        if owner.path.startswith("module:"):
            return attribute_of_module(m, owner.path.removeprefix("module:"), name)
        return External(f"{owner.path}.{name}")
    if isinstance(owner, Instance):
        return _of_instance(m, owner, name, text)
    if isinstance(owner, Blueprint):
        return _of_class(m, owner, name)
    if isinstance(owner, Handle):
        if name == "view":
            return Bound(owner, "view", text)
        known = ATTRIBUTES.get(name)
        found = None if known is None else known(owner)
        return Bound(owner, name, text) if found is None else found
    if isinstance(owner, Unknown):
        return _of_unknown(m, owner, name, text)
    return cuda.attribute(m, owner, name, text) or Bound(owner, name, text)


def _text(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 40 else "a tensor"


def _of_unknown(m: Machine, owner: Unknown, name: str, text: str) -> Value:
    """A method of the object that the value turned out to be, else an attribute, cached until it may have changed."""
    if owner.handle is not None and (name in METHODS or name in ATTRIBUTES):
        found = ATTRIBUTES[name](owner.handle) if name in ATTRIBUTES and name != "view" else None
        return Bound(owner.handle, name, text) if found is None else found
    if owner.array is not None:
        return cuda.attribute(m, owner.array, name, text) or Bound(owner.array, name, text)
    if name == "view" or name in METHODS:
        return Bound(owner, name, text)
    if name not in owner.attributes:
        owner.attributes[name] = Unknown(f"{owner.name}.{name}")
        owner.attributes[name].escaped = owner.escaped
    return owner.attributes[name]


def _of_instance(m: Machine, owner: Instance, name: str, text: str) -> Value:
    if name in owner.attributes:
        return owner.attributes[name]
    found = None if owner.blueprint is None else method_of(m, owner.blueprint, name)
    if isinstance(found, Routine):
        decorators = found.node.decorator_list if not isinstance(found.node, ast.Lambda) else []
        kinds = {d.id for d in decorators if isinstance(d, ast.Name)}
        if "property" in kinds or len(kinds) < len(decorators):
            return m.unknown(name)
        if "staticmethod" in kinds:
            return found
        return Routine(found.module, found.qualname, found.node, found.scope,
                       owner.blueprint if "classmethod" in kinds else owner)
    if found is not None:
        return found
    owner.attributes[name] = Unknown(m.make_name(f"{owner.name}.{name}"))
    return owner.attributes[name]


def method_of(m: Machine, blueprint: Blueprint, name: str) -> Value | None:
    """A method that the class itself has."""
    qualname = f"{blueprint.name}.{name}"
    if qualname in blueprint.module.skeleton.definitions:
        return function(m, blueprint.module, qualname)
    return None


def _of_class(m: Machine, owner: Blueprint, name: str) -> Value:
    found = method_of(m, owner, name)
    return m.unknown(name) if found is None else found


def write(m: Machine, owner: Value, name: str, value: Value) -> None:
    """`owner.name = value`"""
    if isinstance(owner, Instance | Unknown) and not owner.escaped:
        owner.attributes[name] = value
        return
    escape(m, (value,))


# --- items -----------------------------------------------------------------------------------------------------------

def item(m: Machine, owner: Value, key: Value) -> Value:
    """`owner[key]` for a key other than a slice."""
    if isinstance(owner, Row) or (isinstance(owner, Listing) and owner.keys is None):
        term = term_of(key)
        at = None if term is None else term.constant
        if at is not None and -len(owner.items) <= at < len(owner.items) and not (
                isinstance(owner, Listing) and owner.open):
            return owner.items[at]
        return _select_unknown(m, owner)
    if isinstance(owner, Listing):
        found = [v for k, v in zip(owner.keys or (), owner.items, strict=False) if _equal(k, key)]
        return found[-1] if found and not owner.open else _select_unknown(m, owner)
    if isinstance(owner, Unknown):
        constant = _key(key)
        if constant is None:
            return cuda.view_of(m, owner)
        if constant not in owner.attributes:
            owner.attributes[constant] = Unknown(f"{owner.name}{constant}")
            owner.attributes[constant].escaped = owner.escaped
        return owner.attributes[constant]
    escape(m, (owner, key))
    return m.unknown("item")


def _select_unknown(m: Machine, owner: Row | Listing) -> Value:
    """One of the items; it is unknown which."""
    escape(m, (owner,))
    return m.unknown("item")


def _key(key: Value) -> str | None:
    if isinstance(key, Number) and key.term.constant is not None:
        return f"[{key.term.constant}]"
    return f"[{key.value!r}]" if isinstance(key, Literal_) and isinstance(key.value, str) else None


def _equal(one: Value, other: Value) -> bool:
    if one is other:
        return True
    known = _key(one)
    return known is not None and known == _key(other)
