"""What a mechanism does to a distribution: linear maps with structure."""
