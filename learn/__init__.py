"""Learning from labelled states: loaders of exported data."""
