"""Old paths of modules that have moved: they work for one release, with a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

# To be removed, with this file, after 0.2.
MOVED = {
    "engine.cards": "engine.game.cards",
    "engine.deal": "engine.game.deal",
    "engine.document": "engine.text.document",
    "engine.notation": "engine.text.notation",
    "engine.retrograde": "engine.tablebase.retrograde",
    "engine.solve": "engine.search.solver",
    "engine.state": "engine.game.state",
}


class MovedModules(MetaPathFinder, Loader):
    """Finds a module under its old name, when nothing else has that name."""

    def find_spec(
        self,
        fullname: str,
        _path: Sequence[str] | None = None,
        _target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return a spec for an old name."""
        return ModuleSpec(fullname, self) if fullname in MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        """Fill the old name's module with what the new one has."""
        home = MOVED[module.__name__]
        warnings.warn(
            f"{module.__name__} is now {home}; what is public can be imported from `engine`",
            DeprecationWarning,
            stacklevel=2,
        )
        for name, value in vars(import_module(home)).items():
            if not name.startswith("__"):
                setattr(module, name, value)


def install() -> None:
    """Let old names be found from now on."""
    if not any(isinstance(finder, MovedModules) for finder in sys.meta_path):
        sys.meta_path.append(MovedModules())
