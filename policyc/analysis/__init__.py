"""Questions about policies, answered without a server and without guessing: proved, found, or unknown."""
