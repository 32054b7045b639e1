"""Who calls: keys, what each role may do, and whose name a call carries."""
