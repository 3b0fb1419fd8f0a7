"""What a name in a checked file can refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tilecheck.frozen import record
from tilecheck.syntax.tree import ClassDef, Expr, FuncDef

if TYPE_CHECKING:
    from tilecheck.project.module import Module


@record(frozen=True)
class TileName:
    """A public name of cuda.tile by its dotted path below it: `load`, `PaddingMode.ZERO`, `` for the module itself."""

    name: str


@record(frozen=True)
class FunctionTarget:
    """A function defined in a file of the checked tree. `outer` are the enclosing functions, outermost first."""

    module: Module
    definition: FuncDef
    outer: tuple[FuncDef, ...] = ()


@record(frozen=True)
class ClassTarget:
    module: Module
    definition: ClassDef


@record(frozen=True)
class ConstantTarget:
    """A module-level assignment with one value. `several` when the name is assigned more than once."""

    module: Module
    value: Expr
    several: bool = False


@record(frozen=True)
class ModuleTarget:
    """A module of the checked tree."""

    module: Module


@record(frozen=True)
class ExternalName:
    """A name from outside the checked tree, by its dotted path (`math.pi`, `torch.empty`)."""

    name: str


Target: TypeAlias = TileName | FunctionTarget | ClassTarget | ConstantTarget | ModuleTarget | ExternalName
