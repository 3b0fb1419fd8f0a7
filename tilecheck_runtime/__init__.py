"""Runs cuTile kernels where there is no GPU, and reports what goes wrong while they run.

    import tilecheck_runtime as tcr

    report = tcr.sanitize(kernel, grid, args)   # report.events says what raced, left its array or used undefined lanes

Needs the extra `cpu`: `pip install 'tilecheck[cpu]'`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tilecheck_runtime.cpu.execute import launch, sanitize
    from tilecheck_runtime.sanitizer.events import Event, Report
    from tilecheck_runtime.sanitizer.session import Session, session

__all__ = ["Event", "Report", "Session", "launch", "sanitize", "session"]

for _package in ("numpy", "ml_dtypes"):
    try:
        import_module(_package)
    except ImportError as _error:
        raise ImportError(
            f"tilecheck_runtime needs {_package} to run kernels on a CPU: pip install 'tilecheck[cpu]'"
        ) from _error

_HOMES: Final = {
    "launch": "tilecheck_runtime.cpu.execute",
    "sanitize": "tilecheck_runtime.cpu.execute",
    "Event": "tilecheck_runtime.sanitizer.events",
    "Report": "tilecheck_runtime.sanitizer.events",
    "Session": "tilecheck_runtime.sanitizer.session",
    "session": "tilecheck_runtime.sanitizer.session",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tilecheck_runtime' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
