"""Data: what was observed? Preferences, trajectories, and the files they come in."""
