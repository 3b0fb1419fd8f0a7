"""Compiled kernels on disk: found by content, shared by processes, and trusted only if no other user can write them."""
