"""Hands that are not seen, and those who play: views, worlds, opponents, matches.

    view        what one player sees
    world       one way the hidden things can be; view + world = state
    belief      how likely each world is: what a prior leaves of a view
    adviser     a view, a belief and a wish in, improving advice out
    opponent    a model of a player: its replies, with probabilities
    opponents   all models, and their names as text
    match       two of them at the table; results, and how sure they are

What `__init__.pyi` lists is public, and loaded when it is used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
