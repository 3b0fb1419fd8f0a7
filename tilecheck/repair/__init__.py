"""Repair: an edit of the source that is tried, verified, and then suggested or applied.

`candidates` edit a kernel's tree: abstract interpretation of the edited kernel shows whether the edit removes the
finding, and the help of the finding then names it. `fixers` edit the text of a file, one file a fix. `apply` applies
them: a fix stays only if checking the changed tree shows that it helps and harms nothing. `source` reads text with
libcst for both. Nothing here knows how a tree is checked; callers pass that in.
"""
