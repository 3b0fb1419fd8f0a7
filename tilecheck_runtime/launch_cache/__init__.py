"""Launches that repeat an earlier one: the guards that cannot change are not evaluated again."""
