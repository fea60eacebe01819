"""Reports of several services, joined person by person."""
