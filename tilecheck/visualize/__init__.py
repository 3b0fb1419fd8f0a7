"""Pictures of kernels: which block touches which elements of which array, in one small launch."""
