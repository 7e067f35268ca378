"""The game: cards, rules, deals, states, captures, moves, hashes."""
