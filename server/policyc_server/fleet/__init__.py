"""Several processes that serve as one: a group of workers on one machine, and replicas on one store."""
