"""Entry points of a program: `@kernel`, `Kernel.compile`, and `launch` for kernels of cuTile."""
