"""The simulated operator: hands that hold the robot and guide it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ..core.errors import ConfigError
from ..core.values import UNDISTURBED, Array, Disturbance, HandReport, JointState, PlantReport
from ..maths.minimum_jerk import minimum_jerk_motion
from ..robot.model import RobotModel
from .config import Hand
from .hand_force import HandForces, Pull, SolvedPulls
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


class Hands(PlantWrapper):
    """Pull points of the robot towards moving targets.

    ::

        f = clip(s (k (x_t - x) + c (x_t' - x')), max_force),    tau_ext = J(q)^T f

    The target starts where the point is at the grip, and ``s`` rises smoothly from 0 to 1 while
    the grip becomes firm: whatever the robot does, a grip makes no jump. A release is immediate.

    The force is constant over a step, and solved implicitly: see ``HandForces``.

    The work of a hand is ``h f . J (v + v+)/2``, trapezoidal in the velocity: by that much a
    semi-implicit step of a rigid arm changes its kinetic energy, but for the change of ``M``.

    :param model: the robot as the plant has it, mass bias included.
    :param period: time ``h`` of one ``step`` [s].
    :param lag: ``o`` of the plant inside.
    :raises UnknownNameError: a hand names a link or joint that the robot does not have.
    :raises ConfigError: a hand lets go before it takes hold, or its times are not in order.
    """

    _remembered = ('_plant', '_index', '_grips', '_forces', '_reports')

    def __init__(
        self,
        plant: Plant,
        model: RobotModel,
        period: float,
        hands: Sequence[Hand],
        lag: float = 0.0,
    ):
        super().__init__(plant)
        self._forces = HandForces(model, period, lag)
        self._h = period
        self._holders = tuple(_holder(hand, model, period) for hand in hands)
        self._grips: tuple[HandGrip | None, ...] = ()
        self._begin()

    def _begin(self) -> None:
        self._index = 0
        self._grips = (None,) * len(self._holders)
        self._forces.forget()
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
            self._forces.forget()
            self._reports = tuple(_let_go(report) for report in self._reports)
            return
        solved = self._forces.solve(before, total_torque(effort, disturbance.torque), pulls)
        torque = total_torque(solved.torque, disturbance.torque)
        self._plant.step(effort, msgspec.structs.replace(disturbance, torque=torque))
        after = self._plant.truth.velocity
        self._forces.learn(solved, before.velocity, after)
        self._note(pulls, solved, after)

    def report(self) -> PlantReport:
        """Return the plant's report, with what each hand did."""
        return msgspec.structs.replace(self._plant.report(), hands=self._reports)

    def _pulls(self, state: JointState) -> list[Pull]:
        """Return the hands that hold in this step; one that begins takes hold."""
        pulls = []
        for i, holder in enumerate(self._holders):
            if not holder.first <= self._index < holder.end:
                continue
            jacobian, point = point_jacobian(
                self._forces.model, self._forces.data, state.position, holder.frame, holder.point
            )
            grip = self._grips[i]
            if grip is None:
                grip = HandGrip(state.position, point)
                self._grips = (*self._grips[:i], grip, *self._grips[i + 1 :])
            time = (self._index - holder.first) * self._h
            target = holder.path.target(grip.q, grip.point, time)
            firm = minimum_jerk_motion(time / holder.grip)[0] if time < holder.grip else 1.0
            pulls.append(
                Pull(
                    i,
                    jacobian,
                    target.position - point,
                    target.velocity,
                    firm * holder.stiffness,
                    firm * holder.damping,
                    holder.max_force,
                )
            )
        return pulls

    def _note(self, pulls: Sequence[Pull], solved: SolvedPulls, after: Array) -> None:
        """Note what the hands did.

        :param after: joint velocities at the end of the step [rad/s], shape ``(n,)``.
        """
        rate = 0.5 * (solved.rate + solved.jacobian @ after)  # mean over the step
        reports = [_let_go(report) for report in self._reports]
        for k, pull in enumerate(pulls):
            part = slice(3 * k, 3 * k + 3)
            force = solved.force[part]
            power = float(force @ rate[part])
            energy = reports[pull.index].energy + self._h * power
            link = self._holders[pull.index].link
            reports[pull.index] = HandReport(link, True, pull.gap, force, power, energy)
        self._reports = tuple(reports)


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
