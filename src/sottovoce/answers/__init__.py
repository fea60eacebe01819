"""Estimates and what is read off them: answers with their errors, differences, questions."""
