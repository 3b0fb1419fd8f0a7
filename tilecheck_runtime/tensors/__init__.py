"""Tensors of the host: creation, conversion, views, partitions, shared handles."""
