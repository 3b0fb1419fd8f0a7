"""Launches: lazy operations, flights, graphs, and the checks of arguments."""
