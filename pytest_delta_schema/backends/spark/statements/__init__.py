"""Run statements on Spark."""
