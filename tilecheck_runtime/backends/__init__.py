"""Where memory lies and kernels run."""
