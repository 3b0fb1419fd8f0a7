"""The ownership dialect: its parameters and their pieces as values of symbolic execution.

The interpreter models the device interface of `tilecheck_runtime` and does not read its source. It therefore analyses
a kernel under `@kernel` without an installed runtime.
"""
