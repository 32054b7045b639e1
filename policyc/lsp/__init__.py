"""What an editor asks while a policy is written, over the Language Server Protocol."""
