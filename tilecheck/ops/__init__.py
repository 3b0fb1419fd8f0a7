"""The operations of cuda.tile: one record for each, and the families that they belong to."""
