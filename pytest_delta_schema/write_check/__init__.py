"""What a write would do: Delta's schema enforcement and evolution, predicted without a JVM."""
