"""Why a kernel could not be compiled. Every error says what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "ArchitectureError", "AssemblerError", "CacheFolderError", "CompileError", "FrontEndError", "HintError",
    "MissingToolError", "MissingVariantError", "ParameterLayoutError", "SketchError", "SymbolMismatchError",
    "ToolVersionError", "UnsettledKernelError", "UnsupportedArgumentError",
]


class CompileError(Exception):
    """A kernel that could not be compiled.

    summary  one sentence
    place    file and line in the author's source, "" where there is none
    notes    further sentences
    fix      what to change
    """

    def __init__(self, summary: str, *, place: str = "", notes: Sequence[str] = (), fix: str = "") -> None:
        self.summary, self.place, self.notes, self.fix = summary, place, tuple(notes), fix
        lines = [summary, *([f"  --> {place}"] if place else []), *(f"  = note: {note}" for note in notes)]
        super().__init__("\n".join([*lines, *([f"  = help: {fix}"] if fix else [])]))


class UnsettledKernelError(CompileError):
    """The checker could neither prove the kernel nor find a contract that makes it right."""


class UnsupportedArgumentError(CompileError, TypeError):
    """An argument that compiled kernels cannot take."""


class HintError(CompileError, ValueError):
    """A hint for the compiler that it does not have, or a value that it does not take."""


class SketchError(CompileError, ValueError):
    """Arguments described in text that cannot be read, or that the kernel does not take."""


class FrontEndError(CompileError):
    """`cuda.tile` does not take the kernel. Its own error is the cause."""


class MissingToolError(CompileError):
    """`cuda.tile` or `tileiras` is not installed."""


class ToolVersionError(CompileError):
    """Tools whose versions are too old, or do not go together."""


class ArchitectureError(CompileError, ValueError):
    """A GPU architecture that this `tileiras` does not generate code for."""


class AssemblerError(CompileError):
    """`tileiras` failed.

    bytecode  path at which its input was kept
    """

    def __init__(self, summary: str, *, place: str = "", notes: Sequence[str] = (), fix: str = "",
                 bytecode: str = "") -> None:
        self.bytecode = bytecode
        super().__init__(summary, place=place, notes=notes, fix=fix)


class MissingVariantError(CompileError, LookupError):
    """A launch for which nothing was built, where nothing is to be compiled."""


class SymbolMismatchError(CompileError):
    """Machine code that was compiled under other assumptions than it is about to be launched under."""


class ParameterLayoutError(CompileError):
    """Machine code whose parameters lie elsewhere than the calling convention says."""


class CacheFolderError(CompileError):
    """A cache folder that somebody else could have written to: what is in it would be run as machine code."""


for _kind in [kind for name, kind in list(globals().items()) if name in __all__]:
    _kind.__module__ = "tilecheck_runtime"  # where it is public, which is what tracebacks show
