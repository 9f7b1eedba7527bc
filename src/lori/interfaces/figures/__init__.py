"""One file for each kind of figure: numbers in, a figure out, and the same numbers in words for who cannot see it."""
