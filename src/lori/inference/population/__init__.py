"""Populations: many decision-makers who differ, in classes or continuously."""
