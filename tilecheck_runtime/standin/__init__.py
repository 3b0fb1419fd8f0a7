"""A stand-in for `cuda.tile` where the package is not installed: its operations run on the CPU."""
