"""A push on the object that two hands hold: Newton and Euler, in every engine that has it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import UnknownNameError
from simloop_ros.plants.plant import Plant
from simloop_ros.robot.model import RobotModel

H = 0.001
STEPS = 10
MASS, WIDTH, LENGTH, G = 0.5, 0.04, 0.08, 9.82
SINGLE = 1e-5  # PyBullet takes forces in single precision, and steps turn the axes a little

Build = Callable[..., Plant]


@pytest.fixture(params=['pinocchio', 'pybullet'])
def engine(request: pytest.FixtureRequest) -> str:
    if request.param == 'pybullet':
        pytest.importorskip('pybullet')
    return request.param


def beam(
    model: RobotModel, build: Build, engine: str, *pushes: dict[str, object], table: bool = False
) -> Plant:
    """Return a plant whose beam is a centimetre from the hands, turned a little."""
    body = {'position': [0.4, 0, 0.82], 'rpy': [0, 0, 0.3], 'mass': MASS, 'table': table}
    return build(model, H, engine=engine, object=body, pushes=list(pushes))


def test_a_free_object(shipped: Callable[[str], RobotModel], build: Build, engine: str) -> None:
    """v = (F/m + g) t at the centre, w = I^-1 T t in axes of the block; then it only falls."""
    force, torque = np.array([3.0, -2.0, 4.0]), np.array([2e-3, 1e-3, -1e-3])
    push = {'link': 'object', 'start': 0, 'duration': STEPS * H}
    plant = beam(
        shipped('workerbot'),
        build,
        engine,
        {**push, 'force': force.tolist()},
        {**push, 'torque': torque.tolist()},
    )
    for _ in range(STEPS):
        plant.step(np.zeros(14))
    t = STEPS * H
    seen = plant.report().object
    assert seen is not None
    np.testing.assert_allclose(
        seen.velocity[:3], (force / MASS + [0.0, 0.0, -G]) * t, rtol=SINGLE, atol=1e-6
    )
    squares = np.array([WIDTH, LENGTH, WIDTH]) ** 2
    moments = MASS / 12.0 * (squares.sum() - squares)
    R = pin.rpy.rpyToMatrix(0.0, 0.0, 0.3)
    # The block turns by 4e-4 rad meanwhile.
    np.testing.assert_allclose(
        seen.velocity[3:], R @ (R.T @ torque / moments) * t, rtol=1e-3, atol=1e-4
    )
    for _ in range(STEPS):
        plant.step(np.zeros(14))
    after = plant.report().object
    assert after is not None
    np.testing.assert_allclose(
        after.velocity[:3] - seen.velocity[:3], [0.0, 0.0, -G * t], rtol=SINGLE, atol=1e-6
    )


def test_it_wakes_one_that_lies_still(
    shipped: Callable[[str], RobotModel], build: Build, engine: str
) -> None:
    """Twice its weight upwards for 20 ms: it goes up with g t, and a little by its springs."""
    t = 2 * STEPS * H
    push = {'link': 'object', 'start': t, 'duration': t, 'force': [0, 0, 2 * MASS * G]}
    plant = beam(shipped('workerbot'), build, engine, push, table=True)
    for _ in range(2 * STEPS):
        plant.step(np.zeros(14))
    lying = plant.report().object
    assert lying is not None
    assert np.abs(lying.velocity).max() < 1e-4
    for _ in range(2 * STEPS):
        plant.step(np.zeros(14))
    risen = plant.report().object
    assert risen is not None
    # The table gives back m g depth/2 of energy, 1 mm/s more than without it.
    assert risen.velocity[2] == pytest.approx(G * t, rel=0.06)


def test_there_is_none_without_an_object(
    shipped: Callable[[str], RobotModel], build: Build
) -> None:
    push = {'link': 'object', 'start': 0, 'duration': 1}
    with pytest.raises(UnknownNameError, match="'object'"):
        build(shipped('workerbot'), H, pushes=[push])
