"""The simulated operator: hands that hold the robot and guide it."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import UNDISTURBED, Array, Disturbance, HandReport, JointState, PlantReport
from ..maths.minimum_jerk import minimum_jerk_motion
from ..robot.model import RobotModel
from .config import Hand
from .hand_path import HandPath, build_path
from .plant import Plant, total_torque
from .spring_contact import point_jacobian
from .wrapper import PlantWrapper

NEVER = 2**62
"""Step of a release that does not happen."""
NOTHING: Array = np.zeros(3)
"""Gap and force of a hand that does not hold."""


class HandGrip(msgspec.Struct, frozen=True):
    """Where a hand took hold: joint positions [rad] and the point in the world [m]."""

    q: Array
    point: Array


class _Holder(msgspec.Struct, frozen=True):
    """A hand in steps: it holds during ``first <= k < end``."""

    link: str
    frame: int
    point: Array
    stiffness: float
    damping: float
    max_force: float
    first: int
    end: int
    grip: float
    path: HandPath


class _Pull(msgspec.Struct, frozen=True):
    """What the force of a hand in this step depends on.

    :ivar index: which hand it is.
    :ivar jacobian: of the point's velocity, shape ``(3, n)``.
    :ivar gap: from the point to the target [m], shape ``(3,)``.
    :ivar velocity: of the target [m/s], shape ``(3,)``.
    """

    index: int
    jacobian: Array
    gap: Array
    velocity: Array
    stiffness: float
    damping: float


class Hands(PlantWrapper):
    """Pull points of the robot towards moving targets.

    ::

        f = clip(s (k (x_t - x) + c (x_t' - x')), max_force),    tau_ext = J(q)^T f

    The target starts where the point is at the grip, and ``s`` rises smoothly from 0 to 1 while
    the grip becomes firm: whatever the robot does, a grip makes no jump. A release is immediate.

    The force is constant over a step. It is solved implicitly, with its own effect on the point:
    ``W = J M^-1 J^T``, and ``x'_free`` is the velocity that would follow without it::

        x'+ = x'_free + h W f
        f   = k (x_t - x + o h (x_t' - x') - h/4 (x'+ - x')) + c (x_t' - x'+)

    A plant that takes one semi-implicit step has ``o = 0``, and the spring sees the mean
    ``(x- + 2 x + x+)/4`` of three positions. One that takes many, or steps of second order, moves
    by ``x+ = x + h (x'+ - o (x'+ - x'))``; with ``o = 1/2`` the spring sees the mean position of
    the step. On a free mass it neither adds nor removes energy, for any ``k``. The damper sees the
    velocity at the end, which it never reverses. So a hand is stable by itself, however stiff it
    is and however light the link; only the change of ``J`` and ``M`` over a step is neglected.
    ``x'_free`` contains the efforts, the external torques and, as in the step before, the
    acceleration that those do not explain: friction, elastic joints, obstacles. Hands are solved
    together, then each is limited.

    The work of a hand is ``h f . J (v + v+)/2``, trapezoidal in the velocity: by that much a
    semi-implicit step of a rigid arm changes its kinetic energy, but for the change of ``M``.

    :param model: the robot as the plant has it, mass bias included.
    :param period: time ``h`` of one ``step`` [s].
    :param lag: ``o`` of the plant inside.
    :raises UnknownNameError: a hand names a link or joint that the robot does not have.
    :raises ConfigError: a hand lets go before it takes hold, or its times are not in order.
    """

    _remembered = ('_plant', '_index', '_grips', '_unexplained', '_reports')

    def __init__(
        self,
        plant: Plant,
        model: RobotModel,
        period: float,
        hands: Sequence[Hand],
        lag: float = 0.0,
    ):
        super().__init__(plant)
        self._ahead = lag * period
        self._model = model.pin_model
        self._data = self._model.createData()
        self._h = period
        self._holders = tuple(_holder(hand, model, period) for hand in hands)
        self._zero: Array = np.zeros(model.n)
        self._grips: tuple[HandGrip | None, ...] = ()
        self._begin()

    def _begin(self) -> None:
        self._index = 0
        self._grips = (None,) * len(self._holders)
        self._unexplained = self._zero  # acceleration beyond the model's, last step [rad/s^2]
        self._reports: tuple[HandReport, ...] = tuple(
            HandReport(holder.link, False, NOTHING, NOTHING, 0.0, 0.0) for holder in self._holders
        )

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m], a disturbance and the hands of this step for one period."""
        before = self._plant.truth
        pulls = self._pulls(before)
        self._index += 1
        if not pulls:
            self._plant.step(effort, disturbance)
            self._unexplained = self._zero
            self._reports = tuple(_let_go(report) for report in self._reports)
            return
        q, v, h, external = before.position, before.velocity, self._h, disturbance.torque
        jacobian = np.concatenate([pull.jacobian for pull in pulls])
        known = pin.aba(self._model, self._data, q, v, total_torque(effort, external))
        inertia = pin.crba(self._model, self._data, q).reshape(v.size, -1)
        response = np.linalg.solve(inertia, jacobian.T)
        rate = jacobian @ v
        free = rate + h * (jacobian @ (known + self._unexplained))
        wanted = _solve(pulls, rate, free, jacobian @ response, h, self._ahead)
        force = self._limited(pulls, wanted)
        torque = total_torque(jacobian.T @ force, external)
        self._plant.step(effort, msgspec.structs.replace(disturbance, torque=torque))
        after = self._plant.truth.velocity
        self._unexplained = (after - v) / h - known - response @ force
        self._note(pulls, force, 0.5 * (rate + jacobian @ after))

    def report(self) -> PlantReport:
        """Return the plant's report, with what each hand did."""
        return msgspec.structs.replace(self._plant.report(), hands=self._reports)

    def _pulls(self, state: JointState) -> list[_Pull]:
        """Return the hands that hold in this step; one that begins takes hold."""
        pulls = []
        for i, holder in enumerate(self._holders):
            if not holder.first <= self._index < holder.end:
                continue
            jacobian, point = point_jacobian(
                self._model, self._data, state.position, holder.frame, holder.point
            )
            grip = self._grips[i]
            if grip is None:
                grip = HandGrip(state.position, point)
                self._grips = (*self._grips[:i], grip, *self._grips[i + 1 :])
            time = (self._index - holder.first) * self._h
            target = holder.path.target(grip.q, grip.point, time)
            firm = minimum_jerk_motion(time / holder.grip)[0] if time < holder.grip else 1.0
            pulls.append(
                _Pull(
                    i,
                    jacobian,
                    target.position - point,
                    target.velocity,
                    firm * holder.stiffness,
                    firm * holder.damping,
                )
            )
        return pulls

    def _limited(self, pulls: Sequence[_Pull], force: Array) -> Array:
        """Return the forces [N] of all hands, one after the other, each within its limit."""
        limited = force.copy()
        for k, pull in enumerate(pulls):
            part = limited[3 * k : 3 * k + 3]
            size, limit = sqrt(part.dot(part)), self._holders[pull.index].max_force
            if size > limit:
                part *= limit / size
        return limited

    def _note(self, pulls: Sequence[_Pull], force: Array, rate: Array) -> None:
        """Note what the hands did.

        :param rate: mean velocities of the points over the step [m/s], one after the other.
        """
        reports = [_let_go(report) for report in self._reports]
        for k, pull in enumerate(pulls):
            part = slice(3 * k, 3 * k + 3)
            power = float(force[part] @ rate[part])
            energy = reports[pull.index].energy + self._h * power
            link = self._holders[pull.index].link
            reports[pull.index] = HandReport(link, True, pull.gap, force[part], power, energy)
        self._reports = tuple(reports)


def _solve(
    pulls: Sequence[_Pull], rate: Array, free: Array, mobility: Array, h: float, ahead: float
) -> Array:
    """Return the forces [N], solved implicitly, shape ``(3 hands,)``.

    :param rate: velocities of the points [m/s], shape ``(3 hands,)``.
    :param free: those at the end of the step if no hand pulled [m/s], shape ``(3 hands,)``.
    :param mobility: ``W`` [1/kg], shape ``(3 hands, 3 hands)``.
    :param ahead: time ``o h`` into the step at which the spring sees the positions [s].
    """
    gap = np.concatenate([pull.gap for pull in pulls])
    velocity = np.concatenate([pull.velocity for pull in pulls])
    stiffness = np.array([pull.stiffness for pull in pulls for _ in 'xyz'])
    damping = np.array([pull.damping for pull in pulls for _ in 'xyz'])
    gap = gap + ahead * (velocity - rate)
    wanted = stiffness * (gap - 0.25 * h * (free - rate)) + damping * (velocity - free)
    resistance = h * (0.25 * h * stiffness + damping)
    matrix = resistance[:, None] * mobility
    matrix.ravel()[:: gap.size + 1] += 1.0
    return np.linalg.solve(matrix, wanted)


def _let_go(report: HandReport) -> HandReport:
    return HandReport(report.link, False, NOTHING, NOTHING, 0.0, report.energy)


def _holder(hand: Hand, model: RobotModel, period: float) -> _Holder:
    if hand.end is not None and hand.end <= hand.start:
        raise ConfigError(
            f'plant.hands: the hand on {hand.link} lets go at {hand.end:g} s, but takes hold at '
            f'{hand.start:g} s'
        )
    frame = model.frame(hand.link)
    first = round(hand.start / period)
    return _Holder(
        link=hand.link,
        frame=frame,
        point=np.array(hand.point),
        stiffness=hand.stiffness,
        damping=hand.damping,
        max_force=hand.max_force,
        first=first,
        end=NEVER if hand.end is None else max(first + 1, round(hand.end / period)),
        grip=hand.grip,
        path=build_path(hand, model, frame),
    )
