"""What an author needs to see, and may write, to settle a finding: looked for only where there is a finding."""
