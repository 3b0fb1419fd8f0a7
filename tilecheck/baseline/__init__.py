"""Support for code with existing findings: baselines, suppressions for all findings, changes since a revision."""
