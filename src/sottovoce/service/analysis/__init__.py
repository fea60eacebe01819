"""Estimates for pages and routes, computed beside the event loop."""
