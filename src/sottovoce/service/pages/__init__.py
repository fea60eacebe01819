"""Pages of the dashboard: server-rendered HTML and SVG that work without script."""
