"""Edits of a kernel's tree that may remove a finding. Abstract interpretation of the edited kernel verifies each."""
