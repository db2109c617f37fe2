"""Find models, and select and order items."""
