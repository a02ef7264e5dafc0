"""Reactions against a springy wall: who presses on, who lets go."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.plants.spring_contact import Spring, SpringContact
from simloop_ros.robot.model import RobotModel

Make = Callable[..., 'Rig']  # noqa: F821 - of conftest
Forces = Callable[[str, float], np.ndarray]

H = 0.001
MASS_ERROR = 0.1
HIT = 300  # steps: in the middle of the motion
NOTICED, DELAY = 10.0, 5  # N, steps
STEPS = 1200
SOFT, HARD = 3e3, 5e4  # N/m


@pytest.fixture(scope='module')
def forces(request: pytest.FixtureRequest) -> Forces:
    """Return what runs the left tip into a wall and returns the largest force of each step [N]."""
    yumi: RobotModel = request.getfixturevalue('yumi')
    rig: Make = request.getfixturevalue('rig')

    @cache
    def run(kind: str, stiffness: float) -> np.ndarray:
        free = rig(yumi, 'none')
        free.run(HIT)
        tip = yumi.tip_positions(free.positions[-1])[0]
        real = yumi.with_mass_bias(MASS_ERROR)
        spring = Spring('tool0_l', np.zeros(3), tip, np.array([0.0, 1.0, 0.0]), stiffness)
        wall = SpringContact(lambda step: PinocchioPlant(real, step), real, H, spring)
        loop = rig(yumi, kind)
        wall.start(loop.plant.truth)
        loop.plant = wall
        told, peaks = deque([False] * DELAY), []
        for _ in range(STEPS):
            loop.step(told.popleft())
            told.append(wall.force > NOTICED)
            peaks.append(wall.peak)
        return np.array(peaks)

    return run


@pytest.mark.parametrize('stiffness', [SOFT, HARD])
@pytest.mark.parametrize('kind', ['stop', 'hold', 'retreat', 'float', 'comply'])
def test_every_reaction_is_gentler_than_none(forces: Forces, kind: str, stiffness: float) -> None:
    bare, gentle = forces('none', stiffness), forces(kind, stiffness)
    assert gentle.max() <= bare.max() * (1.0 + 1e-9)
    assert gentle.sum() < 0.5 * bare.sum()


@pytest.mark.parametrize('stiffness', [SOFT, HARD])
def test_a_retreat_lets_go_and_presses_no_harder_on_its_way(
    forces: Forces, stiffness: float
) -> None:
    back, held = forces('retreat', stiffness), forces('hold', stiffness)
    assert back.max() <= held.max() * (1.0 + 1e-9)
    # A hard wall throws the robot back before either does anything: then they are the same.
    assert back.sum() <= held.sum() * (0.5 if stiffness == SOFT else 1.0)
    np.testing.assert_array_equal(back[-300:], 0.0)


@pytest.mark.parametrize('stiffness', [SOFT, HARD])
def test_a_held_robot_does_not_press_on(forces: Forces, stiffness: float) -> None:
    """What it holds against is what the obstacle had taken up when the robot stood."""
    held = forces('hold', stiffness)
    assert held[-300:].max() <= 1.05 * held.max()
