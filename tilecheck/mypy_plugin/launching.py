"""Calls of dialect kernels in host code: what each parameter takes there, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from mypy.nodes import ARG_NAMED, ARG_NAMED_OPT, ARG_OPT, ARG_POS
from mypy.types import (
    AnyType,
    FunctionLike,
    Instance,
    NoneType,
    Parameters,
    TupleType,
    Type,
    TypeOfAny,
    TypeVarType,
    UnionType,
    get_proper_type,
)

from tilecheck.mypy_plugin._consts import DIALECT_TYPES, LAUNCH, PARTITION, SHARED_TENSOR, TENSOR
from tilecheck.mypy_plugin.typeops import class_of

if TYPE_CHECKING:
    from mypy.plugin import CommonPluginApi, MethodSigContext

    from tilecheck.mypy_plugin.build import Build

__all__ = ["bind_signature", "launch_signature"]

_MUT: Final = f"{DIALECT_TYPES}Mut"
_TAKEN: Final[Mapping[str, tuple[str, ...]]] = {
    _MUT: (PARTITION,),
    f"{DIALECT_TYPES}Ref": (TENSOR, SHARED_TENSOR),
    f"{DIALECT_TYPES}Shared": (TENSOR,),
    f"{DIALECT_TYPES}SystemShared": (TENSOR,),
    "builtins.int": ("typing.SupportsIndex",),
    "builtins.bool": ("builtins.bool",),
    "builtins.float": ("typing.SupportsFloat", "typing.SupportsIndex"),
}
"""The types that a call may pass for a parameter of a kernel, by the type of the parameter in the kernel."""
_KINDS: Final = frozenset({ARG_POS, ARG_OPT, ARG_NAMED, ARG_NAMED_OPT})


def launch_signature(ctx: MethodSigContext, build: Build, plugin: CommonPluginApi) -> FunctionLike:
    """`kernel(...)`: a launch that returns what the `Mut` arguments have become."""
    return _signature(ctx, build, plugin, True)


def bind_signature(ctx: MethodSigContext, build: Build, plugin: CommonPluginApi) -> FunctionLike:
    """`kernel.bind(...)`: the same arguments."""
    return _signature(ctx, build, plugin, False)


def _signature(ctx: MethodSigContext, build: Build, plugin: CommonPluginApi, returns: bool) -> FunctionLike:
    own = ctx.default_signature
    known = get_proper_type(ctx.type.args[0]) if isinstance(ctx.type, Instance) and ctx.type.args else None
    if not isinstance(known, Parameters) or known.is_ellipsis_args or not _KINDS.issuperset(known.arg_kinds):
        return own
    result = own.ret_type if not returns else class_of(plugin, LAUNCH, _result(known.arg_types, plugin))
    if _is_reported(ctx, build):
        return own.copy_modified(ret_type=result)
    return own.copy_modified(
        arg_types=[_get_accepted(t, plugin) for t in known.arg_types],
        arg_kinds=known.arg_kinds,
        arg_names=known.arg_names,
        ret_type=result,
    )


def _is_reported(ctx: MethodSigContext, build: Build) -> bool:
    """Whether a finding says that the arguments of this call are wrong."""
    first, last = ctx.context.line, ctx.context.end_line or ctx.context.line
    return any(f.rule == "TC408" and first <= f.line <= last for f in build.findings(ctx.api.path))


def _get_accepted(parameter: Type, plugin: CommonPluginApi) -> Type:
    proper = get_proper_type(parameter)
    if isinstance(proper, TypeVarType):
        return class_of(plugin, "typing.SupportsIndex")
    names = _TAKEN.get(proper.type.fullname, ()) if isinstance(proper, Instance) else ()
    types = [class_of(plugin, name) for name in names]
    return UnionType.make_union(types) if types else AnyType(TypeOfAny.special_form)


def _result(parameters: Sequence[Type], plugin: CommonPluginApi) -> Type:
    outputs = [t for t in map(get_proper_type, parameters) if isinstance(t, Instance) and t.type.fullname == _MUT]
    if not outputs:
        return NoneType()
    one = class_of(plugin, PARTITION)
    if len(outputs) == 1:
        return one
    fallback = class_of(plugin, "builtins.tuple", one)
    return TupleType([one for _ in outputs], fallback) if isinstance(fallback, Instance) else one
