"""What a robot's driver takes and gives, as typed data: the files of ``config/drivers``."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ..core.config_types import EffortMeaning, NonNegative, Positive

Share = Annotated[float, msgspec.Meta(ge=0.0, lt=1.0)]


class ControllersConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which controllers of ros2_control are switched for the suite, and back at its end.

    :ivar ours: takes our commands: activated before the first one; empty to switch none.
    :ivar robot: the robot's own, active before and after: deactivated meanwhile.
    :ivar manager: name of the controller manager.
    """

    ours: str = ''
    robot: str = ''
    manager: str = 'controller_manager'


class DriverContract(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The contract of a driver: topics, joints, units, and what it does by itself.

    A value that differs from robot to robot, or is not known, has none: it has to be given, or
    ``simloop connect`` finds it out.

    :ivar description: one line about it.
    :ivar takes: what its commands are: efforts [N m], positions [rad], or velocities [rad/s],
        which only a stand-in takes, from others' controllers.
    :ivar command_topic: where it takes them.
    :ivar message: their type: std_msgs/Float64MultiArray, with the joints in a fixed order, or
        sensor_msgs/JointState, with the joints by name.
    :ivar joints: its joints without their prefix, in the order of its commands; those of the
        model in their order where none are given.
    :ivar prefix: what the names of its joints begin with.
    :ivar state_topic: where it publishes sensor_msgs/JointState.
    :ivar reliability: quality of service of its joint states.
    :ivar rate: of its joint states [Hz].
    :ivar gravity: who compensates gravity: ``robot``, efforts are sent without it, or
        ``command``, they include it.
    :ivar effort: what ``effort`` in its joint states is: the torque of the joints, the same
        without what gravity needs, the current of the motors, or nothing.
    :ivar effort_bandwidth: of the filter that this effort has passed [Hz].
    :ivar drive_gains: torque per current by joint, without its prefix [N m/A].
    :ivar when_silent: what the robot does when commands stop: ``holds`` the last one for ever,
        ``decays``, ``faults``, or ``unknown``.
    :ivar controllers: of ros2_control that are switched when the suite takes over, and back when
        it lets go.
    :ivar lag: time from a command to its effect [s].
    :ivar effort_limit: that its maker states, by joint without prefix [N m].
    :ivar velocity_limit: that its maker states, by joint without prefix [rad/s].
    :ivar effort_rate: largest change of an effort that its maker allows [N m/s].
    """

    description: str
    takes: Literal['effort', 'position', 'velocity']
    command_topic: str
    message: Literal['float64_multi_array', 'joint_state'] = 'float64_multi_array'
    joints: tuple[str, ...] = ()
    prefix: str = ''
    state_topic: str = 'joint_states'
    reliability: Literal['reliable', 'best_effort'] = 'reliable'
    rate: Positive | None = None
    gravity: Literal['robot', 'command'] | None = None
    effort: EffortMeaning | None = None
    effort_bandwidth: Positive | None = None
    drive_gains: dict[str, Positive] = {}
    when_silent: Literal['holds', 'decays', 'faults', 'unknown'] = 'unknown'
    controllers: ControllersConfig = ControllersConfig()
    lag: NonNegative = 0.0
    effort_limit: dict[str, Positive] = {}
    velocity_limit: dict[str, Positive] = {}
    effort_rate: Positive | None = None

    @property
    def full_joints(self) -> tuple[str, ...]:
        """Return the joints as the driver calls them, in the order of its commands."""
        return tuple(f'{self.prefix}{name}' for name in self.joints)

    @property
    def gravity_handled(self) -> bool:
        """Return whether efforts are sent without gravity."""
        return self.takes == 'effort' and self.gravity == 'robot'

    def short_name(self, joint: str) -> str:
        """Return the name of a joint without the prefix, as in ``effort_limit`` and the like."""
        return joint.removeprefix(self.prefix)


class FaultConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a stand-in does wrong, on request.

    :ivar after: time at which loss, bunches, freezes and payload begin [s]; the others are there
        from the start.
    :ivar late_start: time without any joint state at the start [s].
    :ivar lost: share of the joint states that are lost.
    :ivar bunched: number of joint states that are kept back and sent together.
    :ivar rate: factor of the rate of the joint states.
    :ivar order: whether the controller has its joints in the reverse order.
    :ivar freeze: time for which it publishes nothing, after each second of work [s].
    :ivar payload: mass at the first tip that neither the model nor the robot knows of [kg].
    :ivar current: whether ``effort`` is the current of the motors.
    """

    after: NonNegative = 0.0
    late_start: NonNegative = 0.0
    lost: Share = 0.0
    bunched: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 1
    rate: Positive = 1.0
    order: bool = False
    freeze: NonNegative = 0.0
    payload: NonNegative = 0.0
    current: bool = False


AWAKE = 1.0
"""Time between two freezes of a stand-in [s]."""
DRIVE_GAIN = 10.0
"""Torque per current of a stand-in whose contract gives none [N m/A]: about that of a UR's drives
of middle size."""
