"""Why each obligation of a kernel has its verdict, in words of the kernel's source."""
