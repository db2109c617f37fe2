"""Predicts what Delta does with a write, by its rules of schema enforcement and schema evolution, without a JVM."""
