"""A bundle that is fetched by its URL."""
