"""Who may use which tensor, in host code: a function is followed along its paths, one at a time.

On one path everything has one state, so nothing is joined: `on some path` means that there is a path. Objects of the
program are objects here, with the states that the runtime gives them (`tilecheck_runtime/ownership`); an unknown
value is `Unknown`. A value that leaves the function is marked; findings about it are not certain.
"""
