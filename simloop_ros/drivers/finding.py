"""A line of what was found about a driver."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """What is as it should be, what is worth to know, or what is wrong, and what corrects it.

    :ivar verdict: ``wrong`` if the suite must not be started.
    :ivar check: what was looked at.
    :ivar remedy: empty where there is nothing to do.
    """

    verdict: Literal['fit', 'hint', 'wrong']
    check: str
    what: str
    remedy: str = ''

    @property
    def line(self) -> str:
        """Return the finding as a line of text."""
        end = f'; {self.remedy}' if self.remedy else ''
        return f'{self.verdict:5}  {self.check}: {self.what}{end}'


def is_fit(findings: Iterable[Finding]) -> bool:
    """Return whether nothing is wrong."""
    return all(finding.verdict != 'wrong' for finding in findings)
