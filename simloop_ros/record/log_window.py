"""Any rows of a log, without reading all of it."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np

from ..core.values import Array
from .mcap import McapReader

KEPT_CHUNKS = 6
"""Chunks that are kept in memory, of 4 MB each."""


class LogWindow:
    """Reads rows by the chunks that they are in; those used last are kept.

    :raises ConfigError: the file is not a complete log.
    """

    def __init__(self, log: McapReader):
        self._log = log
        self.rows = log.rows
        counts = log.chunk_counts
        ends = np.cumsum(counts, axis=0)
        self._starts, self._ends = ends - counts, ends
        self._kept: OrderedDict[int, list[Any]] = OrderedDict()

    def read(self, first: int, last: int) -> Array:
        """Return rows ``first`` to ``last``, the latter left out, ``(rows, columns, n)``.

        :raises ConfigError: the file was damaged or changed.
        """
        first, last = max(0, first), min(last, self.rows)
        if last <= first:
            return np.empty((0, len(self._log.columns), self._log.n))
        parts: list[list[Any]] = [[] for _ in range(self._starts.shape[1])]
        inside = (self._starts < last) & (self._ends > first)
        for number in np.flatnonzero(inside.any(axis=1)):
            messages = self._chunk(int(number))
            for topic in np.flatnonzero(inside[number]):
                start = int(self._starts[number, topic])
                rows = slice(max(0, first - start), last - start)
                parts[topic].append(messages[topic][rows])
        return self._log.stacked([np.concatenate(part) for part in parts])

    def _chunk(self, number: int) -> list[Any]:
        if number not in self._kept:
            self._kept[number] = self._log.chunk(number)
            if len(self._kept) > KEPT_CHUNKS:
                self._kept.popitem(last=False)
        self._kept.move_to_end(number)
        return self._kept[number]
