"""The operations of `cuda.tile`, one family a module."""
