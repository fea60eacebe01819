"""Error bars by simulation, where a method has no formula."""
