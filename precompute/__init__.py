"""The offline job: solve deals and write them into a database.

What `__init__.pyi` lists is public, and loaded when it is used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
