"""Types by name."""

from __future__ import annotations

from mypy.nodes import Block, ClassDef, SymbolTable, TypeInfo
from mypy.plugin import CommonPluginApi
from mypy.types import AnyType, Instance, Type, TypeOfAny

__all__ = ["class_of", "display_text"]


def class_of(plugin: CommonPluginApi, fullname: str, *args: Type) -> Type:
    """A class with these type arguments; Any when mypy has read no such class."""
    found = plugin.lookup_fully_qualified(fullname)
    node = None if found is None else found.node
    return Instance(node, list(args)) if isinstance(node, TypeInfo) else AnyType(TypeOfAny.special_form)


def display_text(text: str) -> Instance:
    """A type that is shown as this text, and is good for nothing else."""
    definition = ClassDef(text, Block([]))
    definition.fullname = text
    info = TypeInfo(SymbolTable(), definition, "")
    info.mro = [info]
    return Instance(info, [])
