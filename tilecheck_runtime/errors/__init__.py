"""Exceptions of the runtime, and locations in the program that they name."""
