"""Errors of compilation. Every error suggests a fix."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "ArchitectureError", "AssemblerError", "CacheFolderError", "CompileError", "FrontEndError", "HintError",
    "MissingToolError", "MissingVariantError", "ParameterLayoutError", "SketchError", "SymbolMismatchError",
    "ToolVersionError", "UnsettledKernelError", "UnsupportedArgumentError",
]


class CompileError(Exception):
    """A kernel could not be compiled.

    summary  one sentence
    place    file and line in the author's source, "" if there is none
    notes    further sentences
    fix      the change to make
    """

    def __init__(self, summary: str, *, place: str = "", notes: Sequence[str] = (), fix: str = "") -> None:
        self.summary, self.place, self.notes, self.fix = summary, place, tuple(notes), fix
        lines = [summary, *([f"  --> {place}"] if place else []), *(f"  = note: {note}" for note in notes)]
        super().__init__("\n".join([*lines, *([f"  = help: {fix}"] if fix else [])]))


class UnsettledKernelError(CompileError):
    """The checker could neither prove the kernel nor infer a contract under which it is correct."""


class UnsupportedArgumentError(CompileError, TypeError):
    """An argument that compiled kernels cannot take."""


class HintError(CompileError, ValueError):
    """An unknown compiler hint, or an invalid value of one."""


class SketchError(CompileError, ValueError):
    """A description of arguments that cannot be parsed, or that the kernel does not accept."""


class FrontEndError(CompileError):
    """`cuda.tile` rejects the kernel. Its own error is the cause."""


class MissingToolError(CompileError):
    """`cuda.tile` or `tileiras` is not installed."""


class ToolVersionError(CompileError):
    """Tools that are too old or incompatible with each other."""


class ArchitectureError(CompileError, ValueError):
    """A GPU architecture that this `tileiras` does not generate code for."""


class AssemblerError(CompileError):
    """`tileiras` failed.

    bytecode  path of its input, which is preserved
    """

    def __init__(self, summary: str, *, place: str = "", notes: Sequence[str] = (), fix: str = "",
                 bytecode: str = "") -> None:
        self.bytecode = bytecode
        super().__init__(summary, place=place, notes=notes, fix=fix)


class MissingVariantError(CompileError, LookupError):
    """No compiled kernel matches a launch, and compiling is disabled."""


class SymbolMismatchError(CompileError):
    """Machine code that was compiled under other assumptions than those of the launch."""


class ParameterLayoutError(CompileError):
    """Machine code whose parameter layout differs from the calling convention."""


class CacheFolderError(CompileError):
    """A cache folder that another user could have written to. Its contents would run as machine code."""


for _kind in [kind for name, kind in list(globals().items()) if name in __all__]:
    _kind.__module__ = "tilecheck_runtime"  # where it is public, which is what tracebacks show
