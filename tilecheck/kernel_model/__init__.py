"""Symbolic execution of a kernel, which yields its model: accesses, obligations and facts."""
