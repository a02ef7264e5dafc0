"""Configurations of the nodes: the one place of these defaults."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ...core.config_types import NonNegative, Period, Positive, Seed
from ...drivers.config import ControllersConfig
from ...goals.goal import AnyGoal
from ...record.facts import DrivenRun


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
    :ivar loads: whether control takes over the loads that the monitor recognises; in lockstep it
        then waits for its report on each step.
    :ivar trace: real time, folder to which the node writes when its process was not scheduled, see
        ``PauseLog``; empty for none.
    """

    period: Period
    realtime: bool = False
    autostart: bool = True
    patience: Positive = 0.01
    window: Annotated[int, msgspec.Meta(ge=0, le=100_000)] = 0
    ahead: Annotated[int, msgspec.Meta(ge=2, le=1000)] = 64
    priority: Annotated[int, msgspec.Meta(ge=0, le=99)] = 0
    loads: bool = False
    trace: str = ''


class PublishConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the plant publishes beside its joint states.

    :ivar truth: whether the true state is published, on ``true_joint_states``; without it the
        measured one is exact.
    :ivar torque: whether the true external torque is published, on ``true_external_torque``.
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


class RandomConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Random numbers.

    :ivar seed: of the random generator of the encoders.
    """

    seed: Seed = 0


class ReportingConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How often the collision monitor reports, and whether it uses wrist sensors.

    :ivar every_step: whether, in lockstep, a node waits for its report on each step; else it
        reports contacts when they change, and may lag behind.
    :ivar wrist_tare_time: time at the start in which the bias of wrist sensors is learnt, whose
        wrenches are no collision [s]; none where there are no sensors.
    """

    every_step: bool = False
    wrist_tare_time: Positive | None = None


class SensingConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where the readings of the wrist sensors come from.

    :ivar drivers: whether from the sensors' own drivers, each on its topic ``hand_1/wrench``,
        ``hand_2/wrench``; else from the simulated plant, on ``wrist_wrenches``.
    """

    drivers: bool = False


class DriverConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the driver of a real robot takes.

    :ivar topic: where it takes its commands, as ``effort_controller/commands``; empty if it takes
        ``effort_command`` or nothing.
    :ivar output: what it takes there: efforts [N m] or desired positions [rad].
    :ivar message: their type: std_msgs/Float64MultiArray or sensor_msgs/JointState.
    :ivar joints: the order of the joints there; that of the model where none are given.
    :ivar gravity_handled: whether the robot compensates gravity itself, so that efforts are sent
        without it.
    :ivar controllers: that are switched when the suite takes over, and back when it lets go.
    :ivar guided: whether hands guide the robot, so that what it bears at the end may be one.
    """

    topic: str = ''
    output: Literal['effort', 'position'] = 'effort'
    message: Literal['float64_multi_array', 'joint_state'] = 'float64_multi_array'
    joints: tuple[str, ...] = ()
    gravity_handled: bool = False
    controllers: ControllersConfig = ControllersConfig()
    guided: bool = False


class RecorderConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is recorded, and where to.

    :ivar scenario: the scenario as JSON, for the summary and the number of steps.
    :ivar out: folder for log, summary and figures.
    :ivar numbered: whether each run gets a number after that name, see ``RunFolder``.
    :ivar simulated: whether the plant is simulated, so that it publishes the truth.
    :ivar truth: whether the true state differs from the measured one and is recorded by itself.
    :ivar figures: whether figures are drawn when the run is complete.
    :ivar endless: whether the run goes on until it is stopped, and is complete then.
    :ivar commands: what the driver of a real robot takes; empty where there is none.
    :ivar lag: of its commands, as its file declares it [s].
    :ivar gravity_handled: whether the robot adds gravity to them.
    """

    scenario: str
    out: str
    numbered: bool = False
    simulated: bool = True
    truth: bool = True
    figures: bool = True
    endless: bool = False
    commands: Literal['', 'effort', 'position'] = ''
    lag: NonNegative = 0.0
    gravity_handled: bool = False

    @property
    def driven(self) -> DrivenRun | None:
        """Return what is known of the driver of a real robot; none where there is none."""
        if not self.commands:
            return None
        return DrivenRun(self.commands, self.lag, self.gravity_handled)


class GoalListConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Goals that the planner gives itself.

    :ivar list: each `at` its time along the motion; `do` says which kind.
    """

    list: tuple[AnyGoal, ...] = ()


class TrackingConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How accurately the robot follows, as the planner knows it.

    :ivar noise: standard deviation of a measured position [rad].
    :ivar compliance: position error that the control law leaves per acceleration that the model
        does not explain [s^2]; that of deadbeat control where none is given.
    :ivar contact_stiffness: of the object between two hands [N/m], where it is known.
    """

    noise: NonNegative = 0.0
    compliance: Positive | None = None
    contact_stiffness: Positive | None = None
