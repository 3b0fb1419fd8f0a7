"""Rewrites kernels of cuTile in the ownership dialect, and compares them with the original."""
