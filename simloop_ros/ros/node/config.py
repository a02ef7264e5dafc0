"""What every node of the graph is told: the one place of these defaults."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ...core.config_types import Period, Positive


class GraphConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the nodes step together.

    :ivar period: length h of one step [s].
    :ivar realtime: whether time is real; else a message triggers the next step (lockstep).
    :ivar autostart: whether the node configures and activates itself.
    :ivar patience: lockstep, time without an expected message after which it is asked for [s].
    :ivar window: number of steps that the plant may be ahead of the recorder, in lockstep; 0 if
        nobody records, else nothing moves before the recorder is ready.
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


class PublishConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the plant tells beside its joint states.

    :ivar truth: whether the true state is published, on ``true_joint_states``; without it the
        measured one is exact.
    :ivar torque: whether the true torque from outside is published, on ``true_external_torque``.
    :ivar hands: whether the true wrenches on wrist sensors and the object's state are published,
        on ``true_wrist_wrenches`` and ``object_state``.
    :ivar clock: whether ``/clock`` is published, in lockstep.
    :ivar description: whether ``robot_description`` is published.
    """

    truth: bool = True
    torque: bool = False
    hands: bool = False
    clock: bool = True
    description: bool = True


class SpeakConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How much the collision monitor tells.

    :ivar every_step: whether, in lockstep, somebody waits for its word on each step; else it tells
        of contacts when they change, and may lag behind.
    :ivar wrists: time at the start in which the bias of wrist sensors is learnt, whose wrenches
        are no collision [s]; none where there are none.
    """

    every_step: bool = False
    wrists: Positive | None = None


class SensingConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Who tells what the wrists feel.

    :ivar drivers: whether the sensors' own drivers do, each on its topic ``hand_1/wrench``,
        ``hand_2/wrench``; else the simulated plant, on ``wrist_wrenches``.
    """

    drivers: bool = False
