"""The recorded verdicts of the checker over fixed inputs: a change of the code that changes one of them shows it."""
