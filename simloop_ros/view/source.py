"""Where a page has its frames from: a loop that runs, a recorded run, a ROS graph."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from .actions import Action
from .description import Description
from .frame import Frame


class PageNotice(msgspec.Struct, frozen=True):
    """A line for the person at the page."""

    text: str
    level: Literal['info', 'warning', 'error'] = 'info'


class Source(Protocol):
    """Gives descriptions, frames and notices, and takes actions; never blocks for long.

    A page calls it from one thread, some thirty times a second, and not at all while no browser is
    there.
    """

    def description(self) -> Description:
        """Return the present scene; another object as soon as it is another scene."""

    def frame(self) -> Frame | None:
        """Return what is new since the last call; ``None`` where there is nothing."""

    def notices(self) -> tuple[PageNotice, ...]:
        """Return what there is to say since the last call."""

    def send(self, action: Action) -> None:
        """Take an action; what cannot be done becomes a notice."""

    def close(self) -> None:
        """End, and let go of everything."""
