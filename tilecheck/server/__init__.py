"""The editor server: a process that speaks the Language Server Protocol, and one that analyses for it."""
