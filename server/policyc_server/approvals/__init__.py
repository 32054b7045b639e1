"""People in the loop: a held call, who decided it, and the one time that it then passes."""
