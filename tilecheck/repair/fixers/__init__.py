"""Edits of a file's text that may remove a finding, one file a fix. `registry` lists those of each rule."""
