"""The game and its solution: cards, rules, deals, states, captures, hashes.

Pure code on numpy and numba; the only file it reads is the card file.
"""
