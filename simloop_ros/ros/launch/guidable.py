"""Can a hand guide the robot behind a driver? Refused with what to do where it cannot."""

from __future__ import annotations

from ...core.errors import ConfigError
from ...scenario.scenario import Scenario
from .options import WiringOptions

SENSOR = 'admittance.source=driver, and --robot-torques TOPIC where its external torques are'
"""What a robot with sensors of its own needs."""


def refuse_guiding(scenario: Scenario, options: WiringOptions) -> None:
    """Raise ConfigError if the robot shall give way to a hand, and nothing tells of the hand.

    An observer compares efforts with motion. Those of a robot that takes positions are not ours:
    they have to be measured.
    """
    if options.driver_output != 'position':
        return
    if scenario.planner.kind == 'guiding':
        raise ConfigError(
            'planner.kind: guiding lets a robot float by its efforts, and this one takes '
            'positions; set planner.kind=hold and admittance.source'
        )
    admittance, monitor = scenario.admittance, scenario.monitor
    if admittance.source != 'observer' or monitor.signal == 'measured':
        return
    why = 'admittance.source: observer, but this robot takes positions'
    if options.driver_effort == 'none':
        raise ConfigError(
            f'{why} and its driver tells no torques: nothing here can feel a hand, so it cannot '
            f'be guided; with a sensor of its own, set {SENSOR}'
        )
    raise ConfigError(
        f'{why}, so the efforts are its own: set monitor.signal=measured, if its joint states '
        f'have torques or currents; or {SENSOR}'
    )
