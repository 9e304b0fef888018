"""Numbers only: NumPy and SciPy, no frames, no files."""
