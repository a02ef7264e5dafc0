"""A grasped load that nobody was told of: recognised, and taken over by monitor and control."""

from __future__ import annotations

import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.core.errors import ConfigError
from simloop_ros.record.events import EventRecorder
from simloop_ros.scenario.loading import load_scenario

GRASP, MASS, CENTRE = 0.3, 0.3, (0.0, 0.0, 0.03)
SETTINGS = (
    'plant.obstacles=[]',
    'plant.engine=pinocchio',
    'monitor.reaction=none',
    'monitor.adapt=true',
    f'plant.payloads=[{{at: {GRASP}, mass: {MASS}, tip: tool0_l, centre: {list(CENTRE)}}}]',
)


def test_a_grasped_load_is_recognised_within_a_second_and_taken_over() -> None:
    scenario = load_scenario('yumi_collision', [*SETTINGS, 'duration=2.4', 'monitor.payload=take'])
    assembly = assemble(scenario)
    mass_before = assembly.loop.control.model.pin_model.inertias[7].mass
    recorder, contacts = EventRecorder(scenario), []
    for _ in range(assembly.facts.steps):
        record = assembly.loop.step()
        recorder.take(record)
        if record.monitor is not None and record.monitor.contact:
            contacts.append(record.index * scenario.period)
    loads = [event for event in recorder.events(10.0) if event['kind'] == 'load']
    assert len(loads) == 1
    assert loads[0]['tip'] == 'tool0_l'
    assert loads[0]['time'] < GRASP + 1.0
    assert loads[0]['mass'] == pytest.approx(MASS, rel=0.03)
    assert GRASP < contacts[0] < GRASP + 0.2
    assert contacts[-1] < 2.2
    carried = [
        assembly.loop.control.model.pin_model.inertias[joint].mass
        for joint in range(1, assembly.loop.control.model.n + 1)
    ]
    assert mass_before + MASS == pytest.approx(carried[6], rel=0.05)


@pytest.mark.parametrize(
    ('settings', 'words'),
    [
        (('monitor.payload=take', 'monitor.adapt=false'), 'monitor.adapt=true'),
        (('monitor.payload=take', 'robot.payloads=[{at: 1, mass: 0.1}]'), 'comes later'),
        (('monitor.signal=measured',), 'plant.torque_sensors'),
        (('monitor.signal=measured', 'plant.torque_sensors={}'), 'calibrate again'),
        (('monitor.kind=momentum_observer',), 'only disturbance_observer'),
        (('monitor.calibration=',), 'monitor.calibration'),
    ],
)
def test_what_cannot_be_is_refused(settings: tuple[str, ...], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        assemble(load_scenario('yumi_collision', [*SETTINGS, *settings]))
