"""Element types of tiles, and the requirements of operations of cuda.tile on the types of their operands.

The rules follow the compiler. Nothing is reported where a type is unknown.
"""
