"""What the plugin does for mypy, one thing a module."""
