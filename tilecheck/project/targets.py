"""The targets of names in checked files."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from tilecheck.syntax.tree import ClassDef, Expr, FuncDef

if TYPE_CHECKING:
    from tilecheck.project.module import Module


class TileName(Struct, frozen=True):
    """A public name of cuda.tile by its dotted path below it: `load`, `PaddingMode.ZERO`, `` for the module itself."""

    name: str


class FunctionTarget(Struct, frozen=True):
    """A function defined in a file of the checked tree. `outer` are the enclosing functions, outermost first."""

    module: Module
    definition: FuncDef
    outer: tuple[FuncDef, ...] = ()


class ClassTarget(Struct, frozen=True):
    module: Module
    definition: ClassDef


class ConstantTarget(Struct, frozen=True):
    """A module-level assignment with one value. `several` if the name is assigned more than once."""

    module: Module
    value: Expr
    several: bool = False


class ModuleTarget(Struct, frozen=True):
    """A module of the checked tree."""

    module: Module


class ExternalName(Struct, frozen=True):
    """A name from outside the checked tree, by its dotted path (`math.pi`, `torch.empty`)."""

    name: str


Target: TypeAlias = TileName | FunctionTarget | ClassTarget | ConstantTarget | ModuleTarget | ExternalName
