"""Errors of Spark, translated, and logged."""
