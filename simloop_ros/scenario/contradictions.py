"""Contradictions between the sections of a scenario, refused before anything is built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from ..bimanual.config import refuse_tips
from ..core.config_types import CUSTOM, is_class_name
from ..core.errors import ConfigError
from ..plants.config import OBJECT, PlantConfig
from .scenario import HANDS_GRAPHS, Graph, Scenario

TIP_GRAPHS = ('tip_path_3d', 'tip_path_plane')
"""Those of 002 that show the paths of the tips."""
CUSTOM_CHOICES = {'control': 'law', 'plant': 'engine', 'monitor': 'kind'}
"""Keys of sections whose value may be a class of the user, with ``parameters`` for it."""


def refuse_contradictions(scenario: Scenario, *, simulated: bool = True) -> None:
    """Refuse parameters without effect, and what contradicts two hands on one object.

    :param simulated: whether the robot is: a real one has sensors of its own.
    :raises ConfigError: with what to change.
    """
    for section, key in CUSTOM_CHOICES.items():
        config = getattr(scenario, section)
        chosen = getattr(config, key) or 'none'
        if config.parameters and not is_class_name(chosen):
            raise ConfigError(
                f'{section}.parameters are for a class of the user, {section}.{key}={CUSTOM}, and '
                f'not for {chosen}; leave them out'
            )
    _refuse_payload(scenario)
    _refuse_namesakes(scenario)
    if simulated and scenario.monitor.signal == 'measured' and not scenario.plant.torque_sensors:
        raise ConfigError(
            'monitor.signal: measured, but the simulated robot measures no torques; give for '
            'instance plant.torque_sensors={noise: 0.05}'
        )
    if scenario.planner.kind != 'bimanual':
        _refuse_hands(scenario)
        return
    if scenario.goals:
        raise ConfigError(
            'goals: two hands that hold an object have bimanual.tasks; leave the goals out'
        )
    refuse_tips(scenario.robot.tips)
    if simulated and scenario.plant.sensors is None:
        raise ConfigError(
            'plant.sensors: two hands need wrist sensors; give for instance '
            'plant.sensors={noise: 0.5}'
        )
    if scenario.admittance.guides:
        raise ConfigError(
            'admittance.source: hands that hold an object do not yield joint by joint; set it to '
            'none, and give bimanual.tasks a yield'
        )
    for key in ('reaction', 'push'):
        kind = getattr(scenario.monitor, key)
        if kind not in (None, 'none', 'stop'):
            raise ConfigError(
                f'monitor.{key}: {kind} would part hands that hold an object; choose stop or none'
            )


def refuse_graphs(scenario: Scenario, graphs: Sequence[Graph] | None = None) -> None:
    """Refuse figures of quantities that the run does not have, and those named twice.

    :param graphs: those that are to be drawn; all of the scenario where none are given.
    :raises ConfigError: with those that are possible.
    """
    missing: dict[str, str] = {}
    if scenario.planner.kind != 'bimanual':
        why = (
            'is of two hands on one object, planner.kind bimanual, and not of planner.kind '
            f'{scenario.planner.kind}'
        )
        missing |= dict.fromkeys(HANDS_GRAPHS, why)
    if not scenario.admittance.guides:
        missing['external_torque'] = 'is of a robot that is guided, and admittance.source is none'
    if not scenario.monitor.calibration:
        missing['residual'] = 'is of a monitor with thresholds, and monitor.calibration names none'
    if not scenario.robot.tips:
        missing |= dict.fromkeys(TIP_GRAPHS, 'is of the tips, and robot.tips names none')
    chosen = scenario.drawn_graphs if graphs is None else graphs
    for graph in chosen:
        if chosen.count(graph) > 1:
            raise ConfigError(f'graphs: {graph} is named twice; name it once')
        if graph in missing:
            possible = ', '.join(name for name in get_args(Graph) if name not in missing)
            raise ConfigError(
                f'graphs: {graph} {missing[graph]}; leave it out, or take one of {possible}'
            )


def refuse_pushes(config: PlantConfig, links: Sequence[str]) -> None:
    """Refuse to push an object that is not there.

    :raises ConfigError: with what to change.
    """
    pushed = any(push.link == OBJECT for push in config.pushes)
    if pushed and config.object is None and OBJECT not in links:
        raise ConfigError(
            f'plant.pushes: {OBJECT} is the object of two hands, and there is none; give '
            'plant.object, or push a link of the robot'
        )


def _refuse_hands(scenario: Scenario) -> None:
    if scenario.bimanual.tasks:
        raise ConfigError(
            f'bimanual.tasks are not for planner.kind {scenario.planner.kind}; set '
            'planner.kind=bimanual, or leave them out'
        )
    refuse_graphs(scenario, [graph for graph in scenario.drawn_graphs if graph in HANDS_GRAPHS])


def _refuse_namesakes(scenario: Scenario) -> None:
    names = [body.name for body in scenario.world.bodies]
    taken = [obstacle.name for obstacle in scenario.plant.obstacles]
    for i, name in enumerate(names):
        if name in names[:i] or name in taken:
            raise ConfigError(
                f'world.bodies[{i}]: {name} is the name of another body or obstacle, too; '
                'messages tell them by their names: give it another'
            )


def _refuse_payload(scenario: Scenario) -> None:
    mode = scenario.monitor.payload
    if mode != 'none' and not scenario.monitor.adapt:
        raise ConfigError(
            f'monitor.payload: {mode} is for a monitor that adapts; set monitor.adapt=true, or '
            'monitor.payload=none'
        )
    if mode == 'take' and any(payload.at > 0.0 for payload in scenario.robot.payloads):
        raise ConfigError(
            'monitor.payload: take, and robot.payloads has one that comes later: which of the two '
            'holds? leave one out'
        )
