"""Every example, for compute-sanitizer:

    compute-sanitizer --tool memcheck --show-backtrace no python -m tests.runtime.gpu.sanitized

With backtraces it keeps frames of Python alive, and with them what the examples let go of.
"""

from __future__ import annotations

from tests.runtime.dialect.test_examples import NAMES, TORCH, load

if __name__ == "__main__":
    for name in NAMES:
        if name not in TORCH:
            load(name).main()
