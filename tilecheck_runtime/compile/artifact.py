"""A kernel that was compiled ahead of its launches."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import Any

from tilecheck_runtime.compile.compiled import Compiled
from tilecheck_runtime.compile.fingerprint import portable
from tilecheck_runtime.compile.specialize import Specialized
from tilecheck_runtime.compile.verification_gate import Verification

__all__ = ["Artifact", "manifest_entry"]


@dataclass(frozen=True)
class Artifact:
    """Machine code for a launch, and the reason why it may run."""

    compiled: Compiled
    specialized: Specialized
    verification: Verification


def manifest_entry(kernel: str, sketch: str, made: Artifact) -> dict[str, Any]:
    """The entry of one cubin in the manifest. `kernel` is its origin, `sketch` the arguments it was compiled for."""
    compiled, specialized = made.compiled, made.specialized
    return {
        "kernel": kernel,
        "arguments": sketch,
        "arch": compiled.arch,
        "symbol": compiled.symbol,
        "file": f"{kernel.rpartition('::')[2]}.{compiled.arch}.{compiled.key[:12]}.cubin",
        "sha256": hashlib.sha256(compiled.cubin).hexdigest(),
        "bytes": len(compiled.cubin),
        "hints": {name: value for name, value in compiled.options.hints.items() if value is not None},
        "sanitize": compiled.options.sanitize,
        "grid": specialized.grid,
        "unchecked": sorted(specialized.inside),
        "settled": asdict(made.verification),
        "parameters": [asdict(slot) for slot in compiled.parameters],
        "names": list(compiled.signature.names),
        "source": portable(specialized.function),
        "signature": repr(compiled.signature),
        "options": repr(compiled.options),
        "assumptions": [*compiled.assumptions, *(
            f"every tile of `{name}` lies inside, as for these arguments" for name in sorted(specialized.inside))],
    }
