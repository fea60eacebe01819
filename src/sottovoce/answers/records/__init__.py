"""Answers about records of several questions: models of joints, known margins, differences of groups."""
