"""Preconditions of kernels: what the checker reports for a kernel, and whether a launch satisfies it."""
