"""Keys, tokens, sessions, and the names a collector accepts."""
