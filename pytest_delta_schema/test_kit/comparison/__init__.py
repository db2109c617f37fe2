"""Compare tables, frames and rows."""
