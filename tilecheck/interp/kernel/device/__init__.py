"""The device language: what the compiler of cuda.tile refuses in kernels and in the functions that they call."""
