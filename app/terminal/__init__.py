"""The game in the terminal: play, players, review, simulation."""
