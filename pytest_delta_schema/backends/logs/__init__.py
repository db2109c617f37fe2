"""Read Delta logs next to their writers, and check them for damage."""
