"""What is there, and what is wanted, in one frozen shape that can be compared."""
