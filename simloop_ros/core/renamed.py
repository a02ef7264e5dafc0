"""Names of the last release are still accepted, with a warning."""

from __future__ import annotations

import warnings


def warn_renamed(where: str, old: str, new: str) -> None:
    """Warn that an old name was given; users see a ``FutureWarning`` without asking for it.

    :param where: file, key or option that has the old name.
    """
    text = f'{where}: {old} is now called {new}; the old name is accepted for one more release'
    warnings.warn(text, FutureWarning, stacklevel=2)
