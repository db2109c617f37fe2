"""Where it is done: one backend is one reader and one runner of statements."""
