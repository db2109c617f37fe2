"""Generate rows from models."""
