"""Compiles kernels to machine code: Tile IR by `cuda.tile`, cubins by `tileiras`. Needs neither a GPU nor its
driver."""
