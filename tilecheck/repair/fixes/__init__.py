"""Fixes: what may be done about a finding, as edits of text, and whether it helps.

`registry.fixes_for` proposes, from a text and a finding; `verify` tells what a change does to the findings and proofs
of the whole tree; `run` applies what stands up to that.
"""
