"""Executes cuTile kernels block by block on NumPy."""
