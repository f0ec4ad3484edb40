"""The rows of the benchmark table, one subject a file."""
