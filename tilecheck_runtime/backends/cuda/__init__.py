"""NVIDIA GPUs, through the driver's own interface."""
