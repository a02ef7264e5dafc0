"""What every benchmark returns."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import msgspec


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """What a figure shall not exceed, or shall reach."""

    at_most: float | None = None
    at_least: float | None = None

    def met(self, value: float) -> bool:
        """Return whether a figure is within the limit; not if it is no number."""
        low = -inf if self.at_least is None else self.at_least
        high = inf if self.at_most is None else self.at_most
        return low <= value <= high

    def __str__(self) -> str:
        """Return the limit in words."""
        bounds = (('at least', self.at_least), ('at most', self.at_most))
        return ', '.join(f'{words} {bound:g}' for words, bound in bounds if bound is not None)


class BenchResult(msgspec.Struct, frozen=True, kw_only=True):
    """Figures with fixed names, and the measurements behind them.

    :ivar rows: a table; columns with units in their names.
    :ivar limits: by name of the figure.
    :ivar details: columns that are for the file and not for the screen.
    :ivar pictures: by name, what draws a PNG file at a path.
    """

    figures: dict[str, float]
    rows: list[dict[str, Any]]
    limits: dict[str, Limit] = {}
    details: tuple[str, ...] = ()
    pictures: dict[str, Callable[[Path], None]] = {}
