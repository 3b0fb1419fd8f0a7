"""Raw kernels rewritten in the ownership dialect, and tried against the original."""
