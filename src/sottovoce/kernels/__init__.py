"""Inner loops on plain arrays, compiled where numba is installed.  No policy."""
