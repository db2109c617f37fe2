"""Try which constraints a table enforces."""
