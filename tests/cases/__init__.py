"""Kernels with known verdicts, and launches of them that an executor can try."""
