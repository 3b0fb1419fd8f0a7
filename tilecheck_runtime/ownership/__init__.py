"""Ownership of memory: states of tensors, recorded on storage, and the rules of their use."""
