"""Explains the verdict of each obligation of a kernel, with the names of the kernel's source."""
