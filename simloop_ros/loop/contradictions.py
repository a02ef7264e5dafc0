"""What of a scenario does not go together, refused before anything is built."""

from __future__ import annotations

from ..bimanual.plan import refuse_tips
from ..errors import ConfigError
from .scenario import HANDS_GRAPHS, Scenario


def refuse_contradictions(scenario: Scenario, *, simulated: bool = True) -> None:
    """Refuse what does not go together with two hands on one object.

    :param simulated: whether the robot is: a real one has sensors of its own.
    :raises ConfigError: with what to change.
    """
    if scenario.planner.kind != 'bimanual':
        _refuse_hands(scenario)
        return
    refuse_tips(scenario.robot.tips)
    if scenario.planner.move:
        raise ConfigError(
            'planner.move is not for planner.kind bimanual; give bimanual.tasks a move, or a jog '
            'of one hand'
        )
    if simulated and scenario.plant.sensors is None:
        raise ConfigError(
            'plant.sensors: two hands feel nothing without wrist sensors; give for instance '
            'plant.sensors={noise: 0.5}'
        )
    if scenario.admittance.guides:
        raise ConfigError(
            'admittance.source: hands that hold an object do not give way joint by joint; set it '
            'to none, and give bimanual.tasks a yield'
        )
    for key in ('reaction', 'push'):
        kind = getattr(scenario.monitor, key)
        if kind not in (None, 'none', 'stop'):
            raise ConfigError(
                f'monitor.{key}: {kind} would part hands that hold an object; choose stop or none'
            )


def _refuse_hands(scenario: Scenario) -> None:
    """Refuse what only two hands can do."""
    if scenario.bimanual.tasks:
        raise ConfigError(
            f'bimanual.tasks are not for planner.kind {scenario.planner.kind}; set '
            'planner.kind=bimanual, or leave them out'
        )
    for graph in HANDS_GRAPHS:
        if graph in scenario.graphs:
            raise ConfigError(
                f'graphs: {graph} is of two hands on one object, planner.kind bimanual, and not '
                f'of planner.kind {scenario.planner.kind}; leave it out'
            )
