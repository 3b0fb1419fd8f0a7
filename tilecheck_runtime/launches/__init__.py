"""Launches: lazy operations, flights, and what must hold of the arguments."""
