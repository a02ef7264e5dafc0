"""Every shipped scenario can be saved and restored at any moment, in every attribute, bitwise."""

from __future__ import annotations

from attributes import attributes, differing, poison
import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.loop.loop import Loop
from simloop_ros.loop.step_record import StepRecord
from simloop_ros.scenario.loading import load_scenario, scenario_names

AHEAD = 30  # steps that are taken twice
RANDOM = 4  # moments besides the interesting ones
BEFORE = 10  # steps before an interesting moment, at most
NEEDS = {'step': ('robot=two_link', 'planner.move=[[0.1, 0, 0.1]]')}
TASKS = (  # shorter than those of the scenarios
    'bimanual.tasks=[{do: approach, path: cp, clearance: 0.005, durations: [0.1]}, '
    '{do: grasp, squeeze: 20, durations: [0.1]}, {do: hold, duration: 0.05}, '
    '{do: move, by: [0.01, 0, 0.02], turn: [0, 0, 0.05], duration: 0.2}]',
    'bimanual.leash=500',
    'rest=0.02',
)
PRESSED = (
    'bimanual.tasks=[{do: approach, clearance: 0.005, durations: [0.6]}, '
    '{do: grasp, press: 0.001, squeeze: 0.5, durations: [0.1, 0.06], expect: false}, '
    '{do: hold, duration: 0.1}]',
    'bimanual.leash=500',
)
LOST = 'plant.sensors={noise: 0.5, faults: [{tip: palm_l, start: 0.3, kind: lost}]}'
DISTURBED = (
    'plant.noise=1e-6',
    'plant.friction={coulomb: 0.05, viscous: 0.05}',
    'plant.delay=1',
    'control.law=computed_torque',
)
REACTIONS = ('stop', 'hold', 'retreat', 'float', 'comply')
LENGTH = {'yumi_clamp': 600, 'yumi_collision': 1000, 'sphere_collision': 900}
CASES = {
    **{name: (name, *NEEDS.get(name, ())) for name in scenario_names()},
    **{
        name: (name, *TASKS, 'seed=3')
        for name in ('workerbot_carry', 'workerbot_grip', 'workerbot_bump', 'yumi_carry')
    },
    **{
        name: (name, *PRESSED)
        for name in ('workerbot_free', 'workerbot_hold', 'workerbot_uneven', 'yumi_hold')
    },
    'workerbot_carry lost': ('workerbot_carry', *TASKS, LOST),
    'yumi_step disturbed': ('yumi_step', *DISTURBED),
    'step with orientation': ('step', 'robot=lwr', 'planner.move=[[-0.05, 0, 0.05]]', *DISTURBED),
    'yumi_step payload': (
        'yumi_step',
        'robot.payloads=[{at: 0.3, mass: 0.2}, {at: 0.8, mass: 0}]',
        'plant.payloads=[{at: 0.5, mass: 0.1, tip: tool0_r}]',
    ),
    'yumi_offline pid': ('yumi_offline', 'control.law=pid', 'plant.noise=1e-6'),
    'sphere_step mujoco': ('sphere_step', 'plant.engine=mujoco', 'plant.noise=1e-6'),
    **{
        f'sphere_collision {kind}': (
            'sphere_collision',
            f'monitor.reaction={kind}',
            'monitor.resume_after=0.1',
        )
        for kind in REACTIONS
    },
    'lwr_repeat goes on': (
        'lwr_repeat',
        'monitor.kind=momentum_observer',
        'monitor.calibration=lwr_guiding',
        'monitor.reaction=stop',
        'monitor.resume_after=0.1',
        'plant.pushes=[{link: flange, start: 0.3, duration: 0.05, force: [0, 120, 0]}]',
    ),
    'yumi_collision adapts': (
        'yumi_collision',
        'plant.obstacles=[]',
        'plant.engine=pinocchio',
        'monitor.adapt=true',
        'monitor.payload=take',
        'monitor.reaction=none',
        'plant.torque_sensors={noise: 0.1}',
        'plant.payloads=[{at: 0.3, mass: 0.3, tip: tool0_l}]',
    ),
    'sphere_collision offline': (
        'sphere_collision',
        'planner.kind=offline',
        'monitor.reaction=retreat',
        'monitor.resume_after=0.1',
    ),
}
"""Name -> scenario and settings."""
ALIKE = {  # for `make test-graph`: all their blocks are in other cases, with more settings
    *('step', 'sphere_step', 'sphere_offline', 'sphere_collision', 'yumi_step', 'yumi_offline'),
    *('lwr_finger', 'lwr_full_body', 'lwr_teach', 'yumi_carry', 'workerbot_carry'),
    *('workerbot_free', 'workerbot_hold', 'workerbot_uneven'),
}


def is_interesting(before: StepRecord, now: StepRecord) -> bool:
    """Return whether something began or ended in a step: a contact, a task, a halt, a reaction."""
    detected = [
        record.monitor and (record.monitor.contact, record.monitor.kind)
        for record in (before, now)
    ]
    active = [record.planner and record.planner.activity for record in (before, now)]
    return detected[0] != detected[1] or active[0] != active[1] or now.setpoint.restart


def state_of(loop: Loop) -> dict[str, object]:
    """Return every attribute of every block."""
    return attributes([loop.index, loop.planner, loop.control, loop.plant, loop.sensing])


def columns(records: list[StepRecord]) -> list[dict[str, object]]:
    return [attributes(record) for record in records]


@pytest.mark.parametrize(
    'name',
    [pytest.param(name, marks=pytest.mark.long) if name in ALIKE else name for name in CASES],
)
def test_after_restore_everything_is_as_it_was(name: str) -> None:
    scenario, *settings = CASES[name]
    rng = np.random.default_rng(sum(map(ord, name)))
    assembly = assemble(load_scenario(scenario, settings))
    loop = assembly.loop
    steps = min(assembly.facts.steps, LENGTH.get(scenario, 700))
    loop.restore(loop.snapshot())  # attributes that had their class's defaults are set now
    last = steps - AHEAD
    moments = {*rng.integers(0, last, RANDOM).tolist()}
    snapshots, records, after, next_interesting = {}, [], {}, 1
    for index in range(steps):
        if index in moments or index % BEFORE == 0:
            snapshots[index] = loop.snapshot()
        records.append(loop.step())
        if next_interesting <= index < last - 3 and is_interesting(*records[-2:]):
            moments |= {index - index % BEFORE, index + 1, index + 3}
            next_interesting = index + steps // 8
        if index + 1 - AHEAD in moments:
            after[index + 1 - AHEAD] = state_of(loop)
    for index in rng.permutation(sorted(moments)).tolist():
        loop.restore(snapshots[index])
        poison(loop.planner, loop.control, loop.plant, loop.sensing)
        again = [loop.step() for _ in range(AHEAD)]
        assert columns(again) == columns(records[index : index + AHEAD]), index
        assert differing(state_of(loop), after[index]) == [], f'{name} at {index}'
    loop.plant.close()
