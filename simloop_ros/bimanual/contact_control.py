"""Control of the internal force: readings of the wrists become corrections of the hands' paths."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array, PathCorrection
from ..guiding.joint_admittance import Admittance, AdmittanceState
from ..kinematics.poses import checked_poses
from ..maths.discretisation import Parameters
from ..maths.vectors import checked_vector
from .config import BimanualConfig
from .hands import Hands, mean_rotation
from .impedance import ARM, impedance
from .internal_force import checked_points, split
from .wrench_intake import IntakeSnapshot, WrenchIntake

FADE = 66.0
"""Rate at which corrections of free hands go away, critically damped [1/s]: 1 % after 0.1 s."""
COAST = 100.0
"""Rate at which the object comes to rest once it no longer gives way [1/s]."""
NOTHING = 1e-12
"""Correction of free hands that is none [m, rad]: far below what joints resolve."""


class ContactTarget(msgspec.Struct, frozen=True, gc=False):
    """What is wanted of the contact.

    :ivar squeeze: internal force [N]; None: the hands are free, corrections fade to zero.
    :ivar yielding: impedance of the object against a push from outside, for its six axes; None:
        it does not give way.
    :ivar tare: the hands are surely free: what the sensors read is their bias.
    :ivar seek: hands that have not found the object yet close on, as the impedance lets them,
        until they feel it: it may be shorter than it is known to be.
    """

    squeeze: float | None
    yielding: Parameters | None = None
    tare: bool = False
    seek: bool = False


class ContactStep(msgspec.Struct, frozen=True, gc=False):
    """What was felt, and what follows from it; in axes of the object.

    :ivar correction: of the hands' paths.
    :ivar internal: internal wrenches on the hands at the origins of their tips, ``(hands, 6)``.
    :ivar moving: what the hands together do to the object: wrench at its centre, ``(6,)``.
    :ivar squeeze: internal force along the lines between the hands [N], positive in a press.
    :ivar contact: whether the object is touched; from then on until the hands are free.
    :ivar fault: why both arms must stop; '' where all is well.
    """

    correction: PathCorrection
    internal: Array
    moving: Array
    squeeze: float
    contact: bool
    fault: str


class ContactSnapshot(msgspec.Struct, frozen=True, gc=False):
    """All that the next step depends on.

    :ivar state: deflection of each hand and then of the object, six axes each, and its velocity
        [m, rad, and per s], shape ``(6 hands + 6,)``.
    :ivar contact: whether the object is touched.
    :ivar intake: of the sensors.
    :ivar fault: why both arms must stop; it stays.
    :ivar held: whether corrections stay as they are.
    """

    state: AdmittanceState
    contact: bool
    intake: IntakeSnapshot
    fault: str
    held: bool = False

    @property
    def given_way(self) -> Array:
        """Return by how much the object has given way, in its axes [m, rad], shape ``(6,)``."""
        return self.state.deflection[-6:]

    def settled(self) -> ContactSnapshot:
        """Return the same, with the object where it has given way to as its place."""
        deflection = self.state.deflection.copy()
        deflection[-6:] = 0.0
        state = AdmittanceState(deflection, self.state.velocity)
        return ContactSnapshot(state, self.contact, self.intake, self.fault, self.held)


class ContactControl:
    """Take the internal force to what is wanted, by an impedance of each hand: 003 (2.1), IMCO.

    The readings, without bias, are taken to the origins of the tips and into the axes of the
    object, and split (003 (2.11)). Once the squeeze exceeds ``contact_force``, or if hands shall
    seek the object, each of them gives way to what of its internal wrench is not wanted, in six
    axes of the object::

        M x'' + beta x' + K x = internal - squeeze press

    If the object is to give way, its own impedance is driven by the push from outside, which is
    what the hands do not do to it and its weight does not, ``-(moving + weight)``; this moves
    all hands as one body. (The object's inertia counts as push.) Without contact corrections go
    to zero, and stay exactly zero if they are. The object's axes are those that the measured
    hands and their grasps say, in the mean.

    After a fault corrections stay as they are, at rest; what free hands run into is one, too. Only
    hands that press more than their sensors can measure go on giving way.

    :param config: what a scenario says.
    :param tips: names of the hands, for messages.
    :param grasps: of the tips in the object.
    :param sensors: of the sensor frames in their tips.
    :param weight: known weight of the object in world axes [N], shape ``(3,)``.
    :param period: time between two steps [s].
    :raises SimloopError: grasps that are none, or an impedance that is none.
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
        self._intake = WrenchIntake(tips, config.sensor_noise, period, config.sensor_range)
        self._admittance = Admittance(period)
        each = impedance(config.impedance)
        self._each = Parameters(
            np.tile(each.mass, hands), np.tile(each.damping, hands), np.tile(each.stiffness, hands)
        )
        axes = np.ones(6 * hands + 6)
        self._fade = Parameters(axes, 2.0 * FADE * axes, FADE * FADE * axes)
        one = np.ones(6)
        self._steady = self._joined(Parameters(one, COAST * one, 0.0 * one))
        self._yielding: Parameters | None = None
        self._giving = self._steady
        rest = 0.0 * axes
        self._rest = AdmittanceState(rest, rest)
        self._straight = PathCorrection(np.zeros((hands, 3)), np.zeros((hands, 3)))
        self._state = ContactSnapshot(self._rest, False, self._intake.start(), '')

    def snapshot(self) -> ContactSnapshot:
        """Return all that the next step depends on."""
        return self._state

    def restore(self, snapshot: ContactSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self._state = snapshot

    def step(self, hands: Hands, readings: Array | None, wish: ContactTarget) -> ContactStep:
        """Return what is felt and what to do one period later.

        :param hands: as measured.
        :param readings: of the sensors, in their axes: wrench of the object on the hand, force
            first [N, N m], shape ``(hands, 6)``; None where there is none.
        :raises MessageError: the readings have another shape.
        """
        memory = self._state
        state, limit = memory.state, self._config.max_correction
        intake = self._intake.read(
            memory.intake, readings, wish.tare, state.velocity[:-6] if memory.contact else None
        )
        rotation = mean_rotation(hands.rotation @ self._to_object)
        # A row times R is R^T times the vector: the axes of the object.
        wrenches = self._to_tips.dot(intake.wrenches.ravel()).reshape(-1, 2, 3)
        turned = wrenches @ (hands.rotation.swapaxes(1, 2) @ rotation)
        felt = split(hands.position @ rotation, turned.reshape(-1, 6))
        moving = self._at_centre(felt.total)
        squeeze = wish.squeeze
        contact = squeeze is not None and (
            memory.contact or felt.squeeze > self._config.contact_force
        )
        fault, held = memory.fault, memory.held
        if intake.fault and not held and (readings is not None or self._config.force_control):
            fault, held = fault or intake.fault, not intake.known
        if squeeze is None and not (fault or intake.fault):
            fault = self._in_the_way(intake.wrenches)
            held = bool(fault)
        if held:
            state = AdmittanceState(state.deflection, self._rest.velocity)
        elif not self._config.force_control:
            pass
        elif squeeze is not None and (contact or wish.seek):
            push = self._rest.deflection.copy()
            push[:-6] = (felt.internal - squeeze * felt.press).ravel()
            if wish.yielding is not None:
                push[-6:] = self._push(moving, rotation, state.deflection[-3:])
            state = self._admittance.step(state, self._parameters(wish.yielding), push).state
        elif state is not self._rest:
            state = self._faded(state)
        correction = self._correction(state)
        largest, turned = _largest(correction.position), _largest(correction.rotation)
        if not (largest <= limit and ARM * turned <= limit) and not held:
            held = True
            fault = fault or (
                f'correction of a hand is {turned:.2g} rad: more than max_correction allows, '
                f'{limit / ARM:.2g} rad'
                if largest <= limit
                else f'correction of a hand is {1e3 * largest:.1f} mm: more than max_correction, '
                f'{1e3 * limit:g} mm'
            )
            state = AdmittanceState(memory.state.deflection, self._rest.velocity)
            correction = self._correction(state)
        self._state = ContactSnapshot(state, contact, intake.memory, fault, held)
        return ContactStep(correction, felt.internal, moving, felt.squeeze, contact, fault)

    def _in_the_way(self, wrenches: Array) -> str:
        """Return what free hands feel that they should not; '' where that is nothing."""
        limit = self._config.free_force
        forces = wrenches[:, :3]
        felt = _largest(forces)
        if felt <= limit:
            return ''
        tip = self._tips[int(np.argmax(np.square(forces).sum(axis=1)))]
        return (
            f'{tip} is free and feels {felt:.3g} N: something is in its way, '
            f'free_force is {limit:g} N'
        )

    def _at_centre(self, total: Array) -> Array:
        """Return what hands do to the object, from what is done to them at their mean."""
        fx, fy, fz, tx, ty, tz = total.tolist()
        x, y, z = self._middle
        return np.array(
            [
                -fx,
                -fy,
                -fz,
                -tx - (y * fz - z * fy),
                -ty - (z * fx - x * fz),
                -tz - (x * fy - y * fx),
            ]
        )

    def _push(self, moving: Array, rotation: Array, turn: Array) -> Array:
        """Return the push from outside, in the axes that the object has by plan, shape ``(6,)``.

        :param turn: by which the object has given way [rad], shape ``(3,)``.
        """
        push = -moving
        push[:3] -= self._weight @ rotation
        back = pin.exp3(turn).T
        return np.ravel(push.reshape(2, 3) @ back)

    def _parameters(self, yielding: Parameters | None) -> Parameters:
        """Return the impedance of all hands and the object; one object as long as it is one."""
        if yielding is None:
            return self._steady
        if yielding is not self._yielding:
            if yielding.mass.shape != (6,):
                raise ConfigError(
                    f'impedance of the object with {len(yielding.mass)} axes; 6 are needed'
                )
            self._yielding, self._giving = yielding, self._joined(yielding)
        return self._giving

    def _joined(self, last: Parameters) -> Parameters:
        each = self._each
        return Parameters(
            np.append(each.mass, last.mass),
            np.append(each.damping, last.damping),
            np.append(each.stiffness, last.stiffness),
        )

    def _faded(self, state: AdmittanceState) -> AdmittanceState:
        """Return the state of free hands."""
        faded = self._admittance.step(state, self._fade, self._rest.deflection).state
        largest = max(np.abs(faded.deflection).max(), np.abs(faded.velocity).max() / FADE)
        return self._rest if largest < NOTHING else faded

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


def _largest(vectors: Array) -> float:
    """Return the length of the longest row; NaN if a row has one."""
    largest = 0.0
    for x, y, z in vectors.tolist():
        square = x * x + y * y + z * z
        if not square <= largest:
            largest = square
    return float(largest**0.5)
