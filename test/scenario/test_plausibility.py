"""What is allowed, but hardly meant, gets a note."""

from __future__ import annotations

import pytest

from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.loading import load_scenario, scenario_names
from simloop_ros.scenario.plausibility import doubts

PUSH = '{link: sphere, start: 2, duration: 1, force: [0, 0, 1]}'


@pytest.mark.parametrize(
    ('setting', 'start'),
    [
        (f'plant.pushes=[{PUSH}]', 'plant.pushes[0].start: 2 s is after the end of the run'),
        ('plant.stops=[{tip: sphere, start: 1}]', 'plant.stops[0].start: 1 s is after'),
        ('planner.max_velocity=11', 'planner.max_velocity: 11 m/s is more than the joints'),
        ('plant.mass_bias=10', 'plant.mass_bias: 10 makes the robot 11 times as heavy'),
        (
            f'plant.pushes=[{PUSH.replace("sphere, start: 2", "base, start: 0")}]',
            'plant.pushes[0].link: no joint moves base, so it has no effect',
        ),
        (
            f'plant.pushes=[{PUSH.replace("2, duration: 1, force: [0, 0, 1]", "0, duration: 1")}]',
            'plant.pushes[0]: it has no effect; give it a force',
        ),
        ('plant.resolution=1', 'plant.resolution: 1 rad is far beyond what is usual'),
        ('planner.acceleration=1e4', 'planner.acceleration: 10000 m/s^2 is far beyond'),
        (
            'plant.obstacles=[{kind: sphere, velocity: [0, 480, 640]}]',
            'plant.obstacles[0].velocity: 800 m/s is far beyond',
        ),
    ],
)
def test_a_doubt(setting: str, start: str) -> None:
    scenario = load_scenario('sphere_step', [setting])
    (note,) = doubts(scenario, load_fit_robot(scenario.robot), duration=1.0)
    assert note.startswith(start)


@pytest.mark.parametrize('name', [name for name in scenario_names() if name != 'step'])
def test_none_about_the_shipped_scenarios(name: str) -> None:
    scenario = load_scenario(name)
    assert doubts(scenario, load_fit_robot(scenario.robot), duration=100.0) == ()
