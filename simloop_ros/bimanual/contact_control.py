"""Control of the internal force: wrist readings become corrections of the hands' paths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array, PathCorrection
from ..guiding.joint_admittance import Admittance, AdmittanceState
from ..kinematics.poses import checked_poses
from ..maths.discretisation import Parameters
from ..maths.vectors import checked_vector
from .config import BimanualConfig
from .contact import ContactSnapshot, ContactStep, ContactTarget, YieldingImpedance
from .hands import HandPoses, mean_rotation
from .impedance import ROTATION_ARM, impedance
from .internal_force import WrenchSplit, checked_points, split
from .wrench_validator import ValidatedWrenches, WrenchValidator

FADE_RATE = 66.0
"""Rate at which corrections of free hands fade, critically damped [1/s]: 1 % after 0.1 s."""
OBJECT_DECAY = 100.0
"""Rate at which the object comes to rest once it no longer yields [1/s]."""
FADED = 1e-12
"""Correction of free hands that counts as zero [m, rad]: far below what joints resolve."""


class ContactControl:
    """Control the internal force by an impedance of each hand: 003 (2.1), IMCO.

    The readings, without bias, are transformed to the origins of the tips and into the axes of
    the object, and split (003 (2.11)). Once the squeeze exceeds ``contact_force``, or if hands
    shall seek the object, each of them yields to the error of its internal wrench, in six axes of
    the object::

        M x'' + beta x' + K x = internal - squeeze press

    If the object shall yield, its own impedance is driven by the external wrench, which is
    neither that of the hands nor its weight, ``-(moving + weight)``; this moves all hands as one
    body. (The object's inertia counts as external.) Without contact corrections fade to zero, and
    stay exactly zero once they are. The object's axes are the mean of those that follow from the
    measured hands and their grasps.

    After a fault corrections are locked; an obstacle in the way of free hands is one, too. Only
    hands that press more than their sensors can measure go on yielding.

    :param config: of the scenario.
    :param tips: names of the hands, for messages.
    :param grasps: of the tips in the object.
    :param sensors: of the sensor frames in their tips.
    :param weight: known weight of the object in world axes [N], shape ``(3,)``.
    :param period: time between two steps [s].
    :raises SimloopError: invalid grasps, or an invalid impedance.
    """

    def __init__(
        self,
        config: BimanualConfig,
        tips: Sequence[str],
        grasps: Sequence[pin.SE3],
        sensors: Sequence[pin.SE3],
        weight: Array,
        period: float,
    ):
        taken = checked_poses(grasps, 'a grasp')
        points = checked_points(taken[:, :3, 3])
        frames = checked_poses(sensors, 'a wrist sensor in its tip')
        hands = len(taken)
        if len(frames) != hands or len(tips) != hands:
            raise ConfigError(
                f'{len(frames)} wrist sensors and {len(tips)} tips for {hands} grasps; one for '
                'each is needed'
            )
        self._tips = tuple(tips)
        self._points = points
        self._middle = points.sum(axis=0) / hands
        self._to_object = np.ascontiguousarray(taken[:, :3, :3].swapaxes(1, 2))
        self._to_tips = np.zeros((6 * hands, 6 * hands))
        for i, frame in enumerate(frames):
            own = slice(6 * i, 6 * i + 6)
            self._to_tips[own, own] = pin.SE3(frame).toDualActionMatrix()
        self._weight = checked_vector(weight, 3, 'components of the weight', 'a force')
        self._config = config
        self._validator = WrenchValidator(tips, config.sensor_noise, period, config.sensor_range)
        self._admittance = Admittance(period)
        each = impedance(config.impedance)
        self._each = Parameters(
            np.tile(each.mass, hands), np.tile(each.damping, hands), np.tile(each.stiffness, hands)
        )
        axes = np.ones(6 * hands + 6)
        self._fade = Parameters(axes, 2.0 * FADE_RATE * axes, FADE_RATE * FADE_RATE * axes)
        one = np.ones(6)
        self._steady = self._combined(Parameters(one, OBJECT_DECAY * one, 0.0 * one))
        rest = 0.0 * axes
        self._rest = AdmittanceState(rest, rest)
        self._straight = PathCorrection(np.zeros((hands, 3)), np.zeros((hands, 3)))
        self._state = ContactSnapshot(self._rest, False, self._validator.snapshot(), '')

    def snapshot(self) -> ContactSnapshot:
        """Return all that the next step depends on."""
        return self._state

    def restore(self, snapshot: ContactSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self._state = snapshot
        self._validator.restore(snapshot.sensors)

    def step(
        self,
        hands: HandPoses,
        readings: Array | None,
        target: ContactTarget,
        *,
        held: bool = False,
    ) -> ContactStep:
        """Return what is measured, and the correction one period later.

        :param hands: as measured.
        :param readings: of the sensors, in their axes: wrench of the object on the hand, force
            first [N, N m], shape ``(hands, 6)``; None if there is none.
        :param held: whether these are earlier readings, because the next ones are late.
        :raises MessageError: the readings have another shape.
        """
        last = self._state
        yielding = self._yielding(target)
        velocity = last.state.velocity[:-6] if last.contact else None
        sensed = self._validator.step(readings, target.tare, velocity, held=held)
        rotation = mean_rotation(hands.rotation @ self._to_object)
        measured = self._measured(hands, rotation, sensed.wrenches)
        moving = self._at_centre(measured.total)
        contact = target.squeeze is not None and (
            last.contact or measured.squeeze > self._config.contact_force
        )
        fault, locked = self._sensor_fault(sensed, readings is not None, target)
        if locked:
            state = AdmittanceState(last.state.deflection, self._rest.velocity)
        elif not self._config.force_control:
            state = last.state
        elif target.squeeze is not None and (contact or target.seek):
            error = self._rest.deflection.copy()
            error[:-6] = (measured.internal - target.squeeze * measured.press).ravel()
            parameters = self._steady
            if target.yielding is not None and yielding is not None:
                error[-6:] = self._external(moving, rotation, last.state.deflection[-3:])
                parameters = yielding.combined
            state = self._admittance.step(last.state, parameters, error).state
        else:
            state = self._faded(last.state)
        correction = self._correction(state)
        excess = '' if locked else self._excess(correction)
        if excess:
            fault, locked = fault or excess, True
            state = AdmittanceState(last.state.deflection, self._rest.velocity)
            correction = self._correction(state)
        sensors = self._validator.snapshot()
        self._state = ContactSnapshot(state, contact, sensors, fault, locked, yielding)
        return ContactStep(correction, measured.internal, moving, measured.squeeze, contact, fault)

    def _measured(self, hands: HandPoses, rotation: Array, wrenches: Array) -> WrenchSplit:
        """Return the wrenches on the hands at their tips, split, in axes of the object.

        :param rotation: of the object, shape ``(3, 3)``.
        :param wrenches: at the sensors and in their axes, shape ``(hands, 6)``.
        """
        at_tips = self._to_tips.dot(wrenches.ravel()).reshape(-1, 2, 3)
        # A row times R is R^T times the vector: the axes of the object.
        turned = at_tips @ (hands.rotation.swapaxes(1, 2) @ rotation)
        return split(hands.position @ rotation, turned.reshape(-1, 6))

    def _sensor_fault(
        self, sensed: ValidatedWrenches, given: bool, target: ContactTarget
    ) -> tuple[str, bool]:
        """Return the fault, an earlier one or of this step, and whether corrections are locked.

        :param given: whether there were readings.
        """
        fault, locked = self._state.fault, self._state.locked
        if sensed.fault and not locked and (given or self._config.force_control):
            fault, locked = fault or sensed.fault, not sensed.current
        if target.squeeze is None and not (fault or sensed.fault):
            fault = self._obstructed(sensed.wrenches)
            locked = bool(fault)
        return fault, locked

    def _obstructed(self, wrenches: Array) -> str:
        """Return which free hand meets an obstacle; empty if none does."""
        limit = self._config.free_force
        forces = wrenches[:, :3]
        largest = _longest(forces)
        if largest <= limit:
            return ''
        tip = self._tips[int(np.argmax(np.square(forces).sum(axis=1)))]
        return (
            f'{tip} is free and measures {largest:.3g} N: something is in its way, '
            f'free_force is {limit:g} N'
        )

    def _excess(self, correction: PathCorrection) -> str:
        """Return that a correction is beyond its limit; empty if none is."""
        limit = self._config.max_correction
        moved, turned = _longest(correction.position), _longest(correction.rotation)
        if moved <= limit and ROTATION_ARM * turned <= limit:
            return ''
        if moved <= limit:
            return (
                f'correction of a hand is {turned:.2g} rad: more than max_correction allows, '
                f'{limit / ROTATION_ARM:.2g} rad'
            )
        return (
            f'correction of a hand is {1e3 * moved:.1f} mm: more than max_correction, '
            f'{1e3 * limit:g} mm'
        )

    def _at_centre(self, total: Array) -> Array:
        """Return the wrench of the hands on the object, from that on them at their mean."""
        fx, fy, fz, tx, ty, tz = total.tolist()
        x, y, z = self._middle
        mx, my, mz = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
        return np.array([-fx, -fy, -fz, -tx - mx, -ty - my, -tz - mz])

    def _external(self, moving: Array, rotation: Array, turn: Array) -> Array:
        """Return the external wrench, in the planned axes of the object, shape ``(6,)``.

        :param turn: by which the object has yielded [rad], shape ``(3,)``.
        """
        external = -moving
        external[:3] -= self._weight @ rotation
        back = pin.exp3(turn).T
        return np.ravel(external.reshape(2, 3) @ back)

    def _yielding(self, target: ContactTarget) -> YieldingImpedance | None:
        """Return the impedance with an object that yields; the last one unless it changes."""
        last, own = self._state.yielding, target.yielding
        if own is None or (last is not None and last.object is own):
            return last
        if own.mass.shape != (6,):
            raise ConfigError(f'impedance of the object with {len(own.mass)} axes; 6 are needed')
        return YieldingImpedance(own, self._combined(own))

    def _combined(self, object_: Parameters) -> Parameters:
        each = self._each
        return Parameters(
            np.append(each.mass, object_.mass),
            np.append(each.damping, object_.damping),
            np.append(each.stiffness, object_.stiffness),
        )

    def _faded(self, state: AdmittanceState) -> AdmittanceState:
        if state is self._rest:
            return state
        faded = self._admittance.step(state, self._fade, self._rest.deflection).state
        largest = max(np.abs(faded.deflection).max(), np.abs(faded.velocity).max() / FADE_RATE)
        return self._rest if largest < FADED else faded

    def _correction(self, state: AdmittanceState) -> PathCorrection:
        """Return the correction of each hand: its own, and that of the object it holds.

        The own one turns with the object.
        """
        if state.deflection is self._rest.deflection:
            return self._straight
        each = state.deflection[:-6].reshape(-1, 6)
        position, rotation = each[:, :3], each[:, 3:]
        object_ = state.deflection[-6:]
        if not object_.any():
            return PathCorrection(position, rotation)
        turn = pin.exp3(object_[3:])
        position = (self._points + position) @ turn.T - self._points + object_[:3]
        rotation = np.array([pin.log3(turn @ pin.exp3(own)) for own in rotation])
        return PathCorrection(position, rotation)


def _longest(vectors: Array) -> float:
    """Return the length of the longest row; NaN if a row has one."""
    largest = 0.0
    for x, y, z in vectors.tolist():
        square = x * x + y * y + z * z
        if not square <= largest:
            largest = square
    return float(largest**0.5)
