"""What a name in a checked file can refer to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tilecheck.syntax.tree import ClassDef, Expr, FuncDef

if TYPE_CHECKING:
    from tilecheck.project.module import Module


@dataclass(frozen=True, slots=True)
class TileName:
    """A public name of cuda.tile by its dotted path below it: `load`, `PaddingMode.ZERO`, `` for the module itself."""

    name: str


@dataclass(frozen=True, slots=True)
class FunctionTarget:
    """A function defined in a file of the checked tree. `outer` are the enclosing functions, outermost first."""

    module: Module
    definition: FuncDef
    outer: tuple[FuncDef, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassTarget:
    module: Module
    definition: ClassDef


@dataclass(frozen=True, slots=True)
class ConstantTarget:
    """A module-level assignment with one value. `several` when the name is assigned more than once."""

    module: Module
    value: Expr
    several: bool = False


@dataclass(frozen=True, slots=True)
class ModuleTarget:
    """A module of the checked tree."""

    module: Module


@dataclass(frozen=True, slots=True)
class ExternalName:
    """A name from outside the checked tree, by its dotted path (`math.pi`, `torch.empty`)."""

    name: str


Target: TypeAlias = TileName | FunctionTarget | ClassTarget | ConstantTarget | ModuleTarget | ExternalName
