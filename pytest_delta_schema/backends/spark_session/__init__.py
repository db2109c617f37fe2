"""The session catalog: any Spark session, by SQL alone."""
