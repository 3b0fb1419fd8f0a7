"""The analysis of a folder whose files change: what was found is kept, and only what an edit concerns is found anew."""
