"""What a value may be: kinds of domains, each of which checks, numbers and names its values."""
