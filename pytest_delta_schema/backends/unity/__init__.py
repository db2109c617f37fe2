"""The Unity Catalog backend: records by REST, Delta logs without a JVM, changes through Spark."""
