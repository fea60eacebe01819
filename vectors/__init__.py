"""Golden vectors, and the code that writes them: ``python -m vectors.make``."""
