"""What makes it easy to begin in a code base that has findings: baselines, opt-outs for all of them, what changed."""
