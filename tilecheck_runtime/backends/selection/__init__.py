"""The choice of a backend by device name and environment."""
