"""Watches what the blocks of a launch do to memory and reports what they must not do."""
