"""What stands for the parameters of a dialect kernel while it runs: frozen dataclasses in plain cuTile Python, which
`cuda.tile` inlines and the CPU executes as they are.

Two habits keep the compiled kernel as small as one written by hand: a method has one return, because an early one
leaves a loop in the compiled code even where its condition is constant; and coordinates of the block are read once, by
the entry.
"""
