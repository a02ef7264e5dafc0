"""Configuration of teaching: the one place of these defaults."""

from __future__ import annotations

import msgspec

from ..core.config_types import Positive


class TeachConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How what a hand shows becomes a task.

    :ivar out: file to which the task is written.
    :ivar task: task that is being played, whose points are corrected; empty to begin a new one.
    :ivar tolerance: largest distance of a path in the task from the one that was led [m].
    :ivar rest: how long the robot has to rest at a pose that is kept by itself [s].
    """

    out: str = 'task.yaml'
    task: str = ''
    tolerance: Positive = 1e-3
    rest: Positive = 0.5
