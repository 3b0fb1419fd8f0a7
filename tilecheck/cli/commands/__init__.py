"""Commands beside `check`, one a file, and what belongs to it; none is imported before it is asked for."""
