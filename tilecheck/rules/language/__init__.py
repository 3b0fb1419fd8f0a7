"""Rules on what the compiler of cuda.tile accepts."""
