"""What is wanted: tables, columns and keys as their authors declare them."""
