"""Commands that the runtime adds to `tilecheck`."""
