"""Records of several questions: designs against each other, and against grids (HDG)."""
