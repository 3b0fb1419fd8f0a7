"""Who may use which tensor, in host code: a function is followed along its paths, one at a time.

On one path everything has one state, so nothing is joined: `on some path` means that there is a path. Objects of the
program are objects here, with the states that the runtime gives them (`tilecheck_runtime/ownership`); what is not known
is `Unknown`, and what leaves the function is marked, so that nothing certain is said of it any more.
"""
