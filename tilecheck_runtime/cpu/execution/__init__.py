"""Runs kernels on the CPU: binds arguments, translates functions, executes one block after another."""
