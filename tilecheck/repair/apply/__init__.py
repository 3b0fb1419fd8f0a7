"""Applying fixes to a tree, and verifying what they change."""
