"""The configuration of two arms on one object: the one place of its defaults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from ..core.config_types import NonNegative, Positive, Vector
from ..core.errors import ConfigError
from .task_config import ImpedanceConfig, Task

Moment = Annotated[float, msgspec.Meta(gt=0.0, le=60.0)]


class Grasp(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where a hand grasps the object: pose of its tip in axes of the object.

    :ivar position: from the object's centre [m].
    :ivar rpy: roll, pitch and yaw [rad]; the tip's z axis points into the object.
    """

    position: Vector
    rpy: Vector


class KnownObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is known of the object; the true one may differ.

    :ivar position: of its centre in the world at the start [m].
    :ivar rpy: its roll, pitch and yaw there [rad].
    :ivar length: between the grasps, along its y axis [m].
    :ivar width: across that, along x and z [m]; free hands keep clear of it.
    :ivar mass: of it [kg]; its weight does not count as an external force.
    :ivar grasps: one for each of ``robot.tips``; where none are given, of two tips the first one
        takes the end at +y and the second one that at -y, each with its x axis along that of the
        object.
    """

    position: Vector = (0.0, 0.0, 0.0)
    rpy: Vector = (0.0, 0.0, 0.0)
    length: Positive = 0.08
    width: Positive = 0.04
    mass: NonNegative = 0.0
    grasps: tuple[Grasp, ...] = ()


class BimanualConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Two arms on one object, for ``planner.kind: bimanual``.

    :ivar object: what is known of it.
    :ivar tasks: what to do, one after the other; each has its name in `do`.
    :ivar impedance: of each hand, against the error of the internal force.
    :ivar force_control: whether internal forces are controlled at all; without it the hands follow
        the plan.
    :ivar contact_force: internal force from which on there is contact [N]; well above the sensors'
        noise.
    :ivar free_force: force on a free hand from which on it counts as obstructed, and both arms
        stop [N]; above what the weight of a hand adds as it turns.
    :ivar tare_time: time at the start in which the sensors' bias is learnt, with free hands [s].
    :ivar sensor_noise: whether the sensors are known to be noisy, so that a repeated reading means
        a frozen sensor.
    :ivar sensor_range: largest force that a wrist sensor reads [N], and, a tenth as many, torque
        [N m]; more is a fault.
    :ivar leash: largest distance of a hand from its setpoint before both are stopped, as an
        acceleration: the distance is ``leash * period^2`` under deadbeat control, and
        ``leash / natural_frequency^2`` under the other laws [m/s^2].
    :ivar stop_time: in which both arms come to rest along their path [s].
    :ivar max_correction: largest correction of a hand's position [m], and, 20 times as many
        radians, of its rotation; beyond it both are stopped.
    :ivar palm: edge of a palm [m], with which free hands keep clear of the object.
    """

    object: KnownObject = KnownObject()
    tasks: tuple[Task, ...] = ()
    impedance: ImpedanceConfig = ImpedanceConfig()
    force_control: bool = True
    contact_force: Positive = 3.0
    free_force: Positive = 30.0
    tare_time: Moment = 0.1
    sensor_noise: bool = False
    sensor_range: Positive = 500.0
    leash: Positive = 500.0
    stop_time: Moment = 0.01
    max_correction: Positive = 0.02
    palm: Positive = 0.06


def refuse_tips(tips: Sequence[str]) -> None:
    """Refuse tips that are not two hands.

    :raises ConfigError: with what to change.
    """
    if len(tips) != 2:
        raise ConfigError(
            f'robot.tips: {len(tips)} for planner.kind bimanual ({", ".join(tips) or "none"}); '
            'name two, one for each hand'
        )
