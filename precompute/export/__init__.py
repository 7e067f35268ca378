"""`precompute export`: labelled states for training and analysis."""
