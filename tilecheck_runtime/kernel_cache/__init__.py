"""Compiled kernels on disk: found by content, shared by processes, and trusted only where nobody else can write."""
