"""Records the memory accesses of the blocks of a launch and reports races, accesses out of bounds and undefined
lanes."""
