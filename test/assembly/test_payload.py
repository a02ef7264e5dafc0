"""A robot that picks something up: told of it nothing happens, else the monitor sees it."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.robot.carried_payload import BLEND_TIME
from simloop_ros.scenario.loading import load_scenario

PICKED = '[{at: 0.6, mass: 0.1, tip: tool0_l, centre: [0, 0, 0.03]}]'
HEAVY = PICKED.replace('0.1', '0.3')
EXACT = ('plant.noise=0', 'plant.resolution=0', 'control.rollback=observer')
FREE = ('plant.obstacles=[]', 'plant.engine=pinocchio', 'monitor.reaction=none', 'duration=1.6')


def records(*settings: str) -> list:
    assembly = assemble(load_scenario('yumi_collision', [*FREE, *settings]))
    return [assembly.loop.step() for _ in range(assembly.facts.steps)]


def alarms(rows: list) -> int:
    return sum(row.monitor.contact for row in rows)


def errors(rows: list) -> np.ndarray:
    return np.array([np.abs(row.measured - row.setpoint.position).max() for row in rows])


@pytest.fixture(scope='module')
def told() -> list:
    return records(f'robot.payloads={PICKED}')


def test_a_payload_that_is_told_is_no_contact(told) -> None:
    assert alarms(told) == 0
    assert errors(told).max() < 1.2 * errors(records()).max()


def test_without_noise_the_monitor_sees_no_difference_at_all() -> None:
    """With it a heavier hand has more of it, and thresholds are those of the bare robot."""
    motion = ('planner.kind=offline', *EXACT)
    margins = [
        [row.monitor.reading.margin for row in records(*motion, *more)]
        for more in ((), (f'robot.payloads={HEAVY}',))
    ]
    assert min(margins[1]) > min(margins[0]) - 0.05


def test_one_that_is_not_told_is_seen() -> None:
    rows = records(f'plant.payloads={PICKED}')
    first = next(row.index for row in rows if row.monitor.contact)
    assert 0.6 < first * 0.002 < 0.6 + 2.0 * BLEND_TIME


def test_at_rest_the_effort_changes_by_the_weight_alone() -> None:
    """It grows gradually, and no further than to what holds the payload."""
    settings = ('robot=lwr', 'planner.kind=hold', 'duration=0.5')
    picked = 'robot.payloads=[{at: 0.1, mass: 2, centre: [0, 0, 0.1]}]'
    at_once = 'robot.payloads=[{mass: 2, centre: [0, 0, 0.1]}]'
    efforts = [_efforts('step', *settings, more) for more in (picked, at_once)]
    np.testing.assert_allclose(efforts[0][-1], efforts[1][-1], rtol=0, atol=1e-6)
    weight = np.abs(efforts[1][0] - efforts[0][0]).max()
    steps = np.abs(np.diff(efforts[0], axis=0)).max()
    assert weight > 5.0
    assert steps < 2.0 * weight * 0.005 / BLEND_TIME


def _efforts(name: str, *settings: str) -> np.ndarray:
    assembly = assemble(load_scenario(name, settings))
    return np.array([assembly.loop.step().command.effort for _ in range(assembly.facts.steps)])
