"""The analysis of a folder whose files change: an edit repeats only the work that depends on it."""
