"""Methods compared on simulated surveys like the one at hand."""
