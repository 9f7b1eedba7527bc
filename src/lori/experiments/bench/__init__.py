"""How fast is LORI, against its peers and against itself? `lori bench` runs what is here; see docs/bench.md."""
