"""Certificates and audits."""
