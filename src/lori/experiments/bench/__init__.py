"""Benchmarks: how fast is LORI, and how right? `lori bench` runs what is here; see docs/bench.md."""
