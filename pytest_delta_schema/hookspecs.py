"""Hooks that users implement."""
