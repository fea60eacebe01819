"""Routes for programs: uploads, surveys, results, downloads, health."""
