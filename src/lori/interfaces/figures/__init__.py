"""Figures: numbers in, a figure out, which carries the same numbers in words for those who cannot see it."""
