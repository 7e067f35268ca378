"""The game and its solution: what `__init__.pyi` lists is public, and loaded when it is used.

    game       cards, rules, deals, states, captures, moves, hashes
    text       states as JSON, as notation, as a picture
    search     exact answers by search; playouts
    tablebase  everything below a root: indexed, solved, packed, looked up

Pure code on numpy and numba; the only file it reads is the card file.
"""

import lazy_loader

from engine import moved

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
moved.install()
