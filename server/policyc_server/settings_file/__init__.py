"""`policyc serve --settings FILE`: what is too much for options."""
