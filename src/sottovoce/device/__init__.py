"""The client on a device: ledger, drawing, sending."""
