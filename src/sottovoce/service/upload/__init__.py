"""From the bytes of an upload to rows in the store."""
