"""Commands that are loaded when they are asked for, one a file."""
