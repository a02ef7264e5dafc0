"""How the nodes of a graph step together: the one place of these defaults."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ...core.config_types import Period, Positive


class GraphConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the nodes step together; every node has it.

    :ivar period: length h of one step [s].
    :ivar realtime: whether time is real; else a message triggers the next step (lockstep).
    :ivar autostart: whether the node configures and activates itself.
    :ivar patience: lockstep, time without an expected message after which it is requested [s].
    :ivar window: number of steps that the plant may be ahead of the recorder, in lockstep; 0 if
        there is no recorder, else nothing moves before the recorder is ready.
    :ivar ahead: lockstep, number of steps that a motion planned beforehand is sent ahead.
    :ivar priority: real time, ``SCHED_FIFO`` priority of the node's process, while it is active
        and if the system allows it; 0 for none.
    """

    period: Period
    realtime: bool = False
    autostart: bool = True
    patience: Positive = 0.01
    window: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    ahead: Annotated[int, msgspec.Meta(ge=2, le=1000)] = 64
    priority: Annotated[int, msgspec.Meta(ge=0, le=99)] = 0
