"""A small lakehouse: raw events, cleaned tables, figures."""
