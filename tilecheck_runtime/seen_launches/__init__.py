"""The process behind `tilecheck check --compile`: it imports a file, compiles its kernels for the launches that the
checker saw, and proves launches from their representation.

    python -m tilecheck_runtime.seen_launches REQUEST ANSWERS

The messages are in `tilecheck.pipeline.compile_messages`.
"""
