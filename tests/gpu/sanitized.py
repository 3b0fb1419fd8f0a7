"""Every example, for compute-sanitizer: `compute-sanitizer --tool memcheck python -m tests.gpu.sanitized`."""

from __future__ import annotations

from tests.test_dialect_examples import NAMES, TORCH, load

if __name__ == "__main__":
    for name in NAMES:
        if name not in TORCH:
            load(name).main()
