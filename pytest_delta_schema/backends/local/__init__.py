"""The local backend: an embedded Spark with Delta over a warehouse folder."""
