"""Commands beside `check`, one a file; none is imported before it is asked for."""
