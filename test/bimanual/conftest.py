"""Two-arm robots before a beam, and the beam: a spring between two palms that holds no pull."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.bimanual.config import BimanualConfig, KnownObject
from simloop_ros.bimanual.plan import plan_bimanual
from simloop_ros.bimanual.planner import BimanualPlanner
from simloop_ros.bimanual.task_config import Task
from simloop_ros.core.values import Array, ExternalInputs, JointState
from simloop_ros.robot.model import RobotModel

H = 4e-3
LENGTH = 0.08
YUMI_LEFT = (
    *(0.771126905603, 0.300290040256, -0.072649304829, 0.653987410455),
    *(-1.363216780339, 1.261129997059, -1.176254050861),
)
YUMI_RIGHT = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0]) * YUMI_LEFT
"""Both palms 10 mm before the ends of a beam at (0.3, 0, 0.2) m."""


@dataclass
class Scene:
    """A robot that goes where it is told, and a beam without mass between its palms.

    :ivar stiffness: of the beam along the line between the palms [N/m]; 0: there is none.
    :ivar push: force from outside on the beam's middle, by where that is [N], shape ``(3,)``.
    :ivar stopped: joints that do not follow any more.
    """

    model: RobotModel
    config: BimanualConfig
    period: float = H
    stiffness: float = 1e5
    push: Callable[[Array], Array] = np.zeros_like
    stopped: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        model = self.model
        start = JointState(model.home, np.zeros(model.n))
        self.plan = plan_bimanual(self.config, model, self.period, start)
        leash = self.config.leash * self.period**2
        self.planner = BimanualPlanner(self.plan, self.config, model, self.period, leash)
        self.q = model.home.copy()
        self._data, self._at = model.pin_model.createData(), np.empty(0)

    def hands(self, q: Array | None = None) -> list[pin.SE3]:
        return self._poses(self.model.tips, self.q if q is None else q)

    def _poses(self, names: tuple[str, ...], q: Array) -> list[pin.SE3]:
        if not np.array_equal(q, self._at):
            pin.framesForwardKinematics(self.model.pin_model, self._data, q)
            self._at = np.array(q)
        return [self._data.oMf[self.model.frame(name)].copy() for name in names]

    @property
    def middle(self) -> Array:
        return np.mean([hand.translation for hand in self.hands()], axis=0)

    @property
    def force(self) -> float:
        """Return the force along the beam [N], positive in a press."""
        left, right = (hand.translation for hand in self.hands())
        return self.stiffness * max(0.0, LENGTH - float(np.linalg.norm(left - right)))

    def readings(self) -> Array:
        """Return the readings of the wrist sensors, from the forces at the palms."""
        force, hands = self.force, self.hands()
        outside = self.push(self.middle) if force else np.zeros(3)
        line = hands[0].translation - hands[1].translation
        sensors = self._poses(self.model.sensors, self.q)
        rows = []
        for hand, sensor, sign in zip(hands, sensors, (1.0, -1.0), strict=True):
            on_hand = sign * force * line / np.linalg.norm(line) + 0.5 * outside
            torque = pin.skew(hand.translation - sensor.translation) @ on_hand
            rows.append([*(sensor.rotation.T @ on_hand), *(sensor.rotation.T @ torque)])
        return np.array(rows)

    def step_with(self, wrenches: Array | None, q: Array | None = None) -> Array:
        """Return the next desired position; the robot stays where it is.

        :param q: measured joints, if not where the robot is.
        """
        control = JointState(self.q if q is None else q, np.zeros(self.model.n))
        setpoint = self.planner.step(control, ExternalInputs(wrenches=wrenches))
        assert np.array_equal(setpoint.velocity, self.planner.expected.velocity)
        return setpoint.position

    def step(self) -> Array:
        """Go one step, and return the desired position."""
        desired = self.step_with(self.readings())
        held = list(self.stopped)
        q = desired.copy()
        q[held] = self.q[held]
        self.q = q
        return desired

    def run(self, time: float) -> Array:
        """Go on for a time [s]; return the desired positions, shape ``(steps, n)``."""
        return np.array([self.step() for _ in range(round(time / self.period))])

    def run_to(self, task: str) -> None:
        """Go on until a task begins."""
        while task not in self.planner.task:
            assert not self.planner.halted, self.planner.halted
            self.step()


@pytest.fixture(scope='session')
def workerbot(shipped: Callable[[str], RobotModel]) -> RobotModel:
    """Return two arms with wrist sensors, the palms before the ends of the beam."""
    return shipped('workerbot')


@pytest.fixture(scope='session')
def yumi_near(yumi: RobotModel) -> RobotModel:
    """Return the second robot, the palms before the ends of its beam."""
    return replace(yumi, home=np.array([*YUMI_LEFT, *YUMI_RIGHT]))


@pytest.fixture(params=['workerbot', 'yumi'])
def two_arms(
    request: pytest.FixtureRequest, workerbot: RobotModel, yumi_near: RobotModel
) -> RobotModel:
    """Return one robot after the other."""
    return workerbot if request.param == 'workerbot' else yumi_near


def _configured(model: RobotModel, *tasks: Task, **changes: object) -> BimanualConfig:
    place = (0.3, 0.0, 0.2) if 'yumi' in model.name else (0.4, 0.0, 0.82)
    known = changes.pop('object', KnownObject(position=place, mass=0.5))
    return BimanualConfig(object=known, tasks=tasks, **changes)  # type: ignore[arg-type]


@pytest.fixture(scope='session')
def configured() -> Callable[..., BimanualConfig]:
    """Return the maker of configurations: the robot, its tasks, and what else is configured."""
    return _configured


@pytest.fixture(scope='session')
def scene() -> Callable[..., Scene]:
    """Return the maker of scenes: the robot, its tasks, and what else is configured."""

    def make(
        model: RobotModel,
        *tasks: Task,
        period: float = H,
        stiffness: float = 1e5,
        **changes: object,
    ) -> Scene:
        return Scene(model, _configured(model, *tasks, **changes), period, stiffness)

    return make
