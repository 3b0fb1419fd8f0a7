"""Objects that represent the parameters of a dialect kernel while it runs: frozen dataclasses in plain cuTile Python,
which `cuda.tile` inlines and the CPU executes unchanged.

Two rules make the compiled kernel as small as a hand-written one: a method has one return, because an early return
leaves a loop in the compiled code even under a constant condition; and only the entry reads the coordinates of the
block.
"""
