"""Run statements on tables of the warehouse."""
