"""Shapes and element types of the tiles of a dialect kernel, as a type checker would see them.

Nothing is reported where a type is unknown. Extents are terms over the type variables and constants of the kernel.
"""
