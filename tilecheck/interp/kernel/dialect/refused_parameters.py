"""Parameters of a dialect kernel that no launch can give a value to."""

from __future__ import annotations

from typing import Final

from tilecheck.dtypes import BY_SHORT_NAME
from tilecheck.interp.kernel.device.note import refuse
from tilecheck.interp.kernel.dialect.signature import is_runtime_name
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.project.module import KernelSite
from tilecheck.project.targets import ConstantTarget, ExternalName
from tilecheck.syntax.tree import Call, Constant, Expr, Name, Param, Subscript, get_last_name

__all__ = ["note_parameters"]

_NO_NUMBERS: Final = frozenset({"str", "bytes", "complex", "list", "dict", "set", "object"})


def note_parameters(m: Machine, site: KernelSite) -> None:
    """Notes the parameters whose kind or annotation the runtime refuses."""
    for p in site.definition.params:
        if p.kind == "keyword":
            refuse(m, "TC602", "keyword parameter", p.span, p.name)
        elif p.annotation is not None:
            _note_annotation(m, site, p, p.annotation)


def _note_annotation(m: Machine, site: KernelSite, p: Param, node: Expr) -> None:
    scope = site.qualname.rpartition(".")[0]
    target = m.project.resolve(site.module, node, scope)
    short = is_runtime_name(target)
    if short in BY_SHORT_NAME or (isinstance(node, Name) and node.id in _NO_NUMBERS and target is None):
        refuse(m, "TC602", "parameter type", p.span, p.name, get_last_name(node))
    elif isinstance(node, Subscript) and node.items:
        owner = m.project.resolve(site.module, node.value, scope)
        first = node.items[0]
        if isinstance(owner, ExternalName) and owner.name.rpartition(".")[2] == "Literal":
            if any(isinstance(i, Constant) and isinstance(i.value, str) for i in node.items):
                refuse(m, "TC602", "parameter type", p.span, p.name, "a literal string")
        elif is_runtime_name(owner) in ("Mut", "Ref", "Shared", "SystemShared"):
            element = m.project.resolve(site.module, first, scope)
            if isinstance(element, ConstantTarget) and isinstance(element.value, Call) and get_last_name(
                    element.value.func) == "TypeVar":
                refuse(m, "TC602", "generic element", p.span, p.name, get_last_name(first))
