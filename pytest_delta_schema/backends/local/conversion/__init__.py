"""Convert parquet tables in place."""
