"""The libcst tree of a text: where its nodes stand, what its calls are, and the edits that fixers are built of."""
