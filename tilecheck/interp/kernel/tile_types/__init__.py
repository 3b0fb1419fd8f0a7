"""Element types of tiles, and what operations of cuda.tile ask of the types of what they are given.

Everything is as the compiler does it; where something is not known, nothing is said.
"""
