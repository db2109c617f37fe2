"""Programs that the benchmarks run as processes, by ``python -m``; most print a value as JSON."""
