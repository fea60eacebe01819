"""What travels and is stored: payloads, uploads, files.  What another language implements."""
