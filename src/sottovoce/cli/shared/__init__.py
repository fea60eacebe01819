"""What several commands share: options, files, tables, the screen."""
