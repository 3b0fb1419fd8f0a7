"""The editor server, driven as an editor does."""
