"""Start the embedded Spark session."""
