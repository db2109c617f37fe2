"""The state of one pytest run."""
