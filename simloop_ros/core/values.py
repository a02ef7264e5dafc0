"""The values that the blocks hand to each other: frozen, float64, SI units.

Joint quantities are arrays of shape ``(n,)`` in the order of the robot model's ``joint_names``;
``[rad]`` stands for rad or, on a prismatic joint, m, and ``[N m]`` for N m or N. An array that was
handed over is never written to.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

NANO = 1_000_000_000
"""Nanoseconds of a second: stamps are whole numbers of them."""

ContactNature = Literal['none', 'push', 'impact']
"""No contact, a deliberate push, or an accident."""


class JointState(msgspec.Struct, frozen=True, gc=False):
    """Positions [rad] and velocities [rad/s] of all joints."""

    position: Array
    velocity: Array


class Setpoint(msgspec.Struct, frozen=True, gc=False):
    """Desired position, or effort, of one step of the control simulation.

    :ivar position: desired after the step [rad], shape ``(n,)``; with an effort, the present one.
    :ivar velocity: likewise [rad/s], shape ``(n,)``.
    :ivar effort: to send as it is [N m], shape ``(n,)``; ``None`` to control the position.
    :ivar restart: whether the desired motion starts from the control state instead of the last
        setpoint: the control law forgets that one.
    :ivar predicted: whether it is only expected: the motion up to it is followed where the
        setpoints of the steps in between come late. With ``restart`` it withdraws what was
        expected before.
    :ivar follows: whether the desired position is the robot's own, at rest. Where it is older
        than the control state, control takes that one instead.
    """

    position: Array
    velocity: Array
    effort: Array | None = None
    restart: bool = False
    predicted: bool = False
    follows: bool = False

    @property
    def is_path(self) -> bool:
        """Return whether it is a position on a path, which can be interpolated."""
        return self.effort is None and not (self.restart or self.follows)


class ExternalInputs(msgspec.Struct, frozen=True, gc=False):
    """External influences that were sensed in the last step; a planner may respond to them.

    :ivar contact: whether a collision monitor detects a contact now.
    :ivar kind: nature of the present contact, kept for a while after its end.
    :ivar torque: external joint torque, where it is known [N m], shape ``(n,)``.
    :ivar wrenches: readings of the wrist sensors, force first [N, N m], shape ``(tips, 6)``.
    :ivar held: whether the wrenches are earlier ones, because the next are late.
    """

    contact: bool = False
    kind: ContactNature = 'none'
    torque: Array | None = None
    wrenches: Array | None = None
    held: bool = False


NO_INPUTS = ExternalInputs()
"""No contact, no torque, no sensors."""


class Command(msgspec.Struct, frozen=True, gc=False):
    """Output of one step of the control simulation.

    :ivar velocity: velocity that reaches the desired position in one step [rad/s], 000 (5.1).
    :ivar acceleration: of the twin under ``effort`` [rad/s^2].
    :ivar effort: torque within the effort limits [N m], 000 (5.2).
    :ivar saturated: whether an effort limit was applied.
    """

    velocity: Array
    acceleration: Array
    effort: Array
    saturated: bool


class Rollback(msgspec.Struct, frozen=True, gc=False):
    """Result of the rollback to the measured motion.

    :ivar state: the control state that the next step starts from, 000 (5.6).
    :ivar effort: torque that explains the measured motion [N m], tau' of 000 (5.7).
    """

    state: JointState
    effort: Array


class Contact(msgspec.Struct, frozen=True):
    """A contact between the robot and an obstacle, as the plant knows it.

    :ivar force: normal force [N], positive when pushing apart.
    :ivar point: where it acts, in the world [m]; of several touching points their mean, weighted
        with the forces.
    :ivar normal: direction of the force on the link, in world axes; of several touching points
        the mean, likewise. Zero where it is not known.
    """

    link: str
    obstacle: str
    force: float
    point: tuple[float, float, float]
    normal: tuple[float, float, float] = (0.0, 0.0, 0.0)


class HandReport(msgspec.Struct, frozen=True):
    """Action of a simulated hand on the robot, as the plant knows it.

    :ivar held: whether it held the point in the last physics step.
    :ivar gap: from the point to its target at that step's start, in the world [m], ``(3,)``.
    :ivar force: on the robot in that step, in the world [N], shape ``(3,)``.
    :ivar power: into the robot in that step [W].
    :ivar energy: into the robot since the start [J].
    """

    link: str
    held: bool
    gap: Array
    force: Array
    power: float
    energy: float


class PathCorrection(msgspec.Struct, frozen=True, gc=False):
    """Displacement of the hands from their planned paths, in object axes; 003, 3.2.1 (IMCO).

    :ivar position: added to the positions of the hands [m], shape ``(hands, 3)``.
    :ivar rotation: rotation vectors of the hands [rad], shape ``(hands, 3)``.
    """

    position: Array
    rotation: Array


class ObjectReport(msgspec.Struct, frozen=True):
    """The object for two hands, as the plant knows it.

    :ivar position: of its centre in the world [m], shape ``(3,)``.
    :ivar rotation_vector: turns its axes from those of the world, axis times angle [rad],
        shape ``(3,)``.
    :ivar velocity: of its centre [m/s], and angular [rad/s], in world axes, shape ``(6,)``.
    """

    position: Array
    rotation_vector: Array
    velocity: Array


class BodyReport(msgspec.Struct, frozen=True):
    """Where an obstacle with a mass is.

    :ivar name: of the obstacle.
    :ivar position: of its centre in the world [m], shape ``(3,)``.
    :ivar quaternion: ``w, x, y, z``, from its axes to those of the world, shape ``(4,)``.
    """

    name: str
    position: Array
    quaternion: Array


class PlannerReport(msgspec.Struct, frozen=True, gc=False):
    """A planner's report of a step, beside its setpoint.

    :ivar activity: for instance ``task 2 (grasp)``, or why it has stopped.
    :ivar correction: displacement from the nominal path because of measured forces.
    """

    activity: str
    correction: PathCorrection


class PlantReport(msgspec.Struct, frozen=True, gc=False):
    """A plant's report of a step, beside the measured positions; a real robot's has less.

    :ivar external: true external joint torque, its mean over the step [N m], shape ``(n,)``;
        without the contacts of an engine with its obstacles.
    :ivar contacts: with obstacles.
    :ivar hands: simulated operators, in the last physics step.
    :ivar wrenches: readings of the wrist sensors [N, N m], shape ``(tips, 6)``, at the origins of
        ``model.sensors`` and in their axes; NaN from a sensor that is lost, ``None`` without
        sensors.
    :ivar true_wrenches: readings of ideal sensors, shape ``(tips, 6)``.
    :ivar object: for two hands.
    :ivar torque: that the joints' sensors measured [N m], shape ``(n,)``; ``None`` without them.
    :ivar bodies: obstacles with a mass.
    """

    truth: JointState
    external: Array
    contacts: tuple[Contact, ...] = ()
    hands: tuple[HandReport, ...] = ()
    wrenches: Array | None = None
    true_wrenches: Array | None = None
    object: ObjectReport | None = None
    torque: Array | None = None
    bodies: tuple[BodyReport, ...] = ()


class Disturbance(msgspec.Struct, frozen=True, gc=False):
    """External torques and forces on a simulated plant during one step.

    :ivar torque: on the links [N m], shape ``(n,)``; ``None`` for zero.
    :ivar object_wrench: on the object for two hands, at its centre and in world axes, force first
        [N, N m], shape ``(6,)``; ``None`` for zero.
    """

    torque: Array | None = None
    object_wrench: Array | None = None


UNDISTURBED = Disturbance()
"""No external torques and forces."""
