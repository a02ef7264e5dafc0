"""The robots of the study of hand guiding: as their models are, and as real ones are."""

from __future__ import annotations

import msgspec

from simloop_ros.plants.config import Hand, JointPath
from simloop_ros.scenario.scenario import Scenario

ENCODER = 1e-5
"""Noise (standard deviation) and resolution of the encoders [rad]."""
REAL = {
    # Viscous: the mean of what was fitted to the LWR 4+, robots.yaml. Dry: YuMi's by effort limit.
    'lwr': ('lwr_guiding', 0.2, 0.55),
    'yumi': ('yumi_collision', 0.05, 0.02),
}
"""By robot: its calibration, dry friction [N m] and viscous friction [N m s/rad] of each joint."""
TIPS = {'lwr': ('lwr_tcp', 'flange'), 'yumi': ('yumi_guiding', 'tool0_l')}
"""By robot: the scenario in which its tip is guided, and the link that is held."""
HEAVIER = 0.1
"""By which part every link is heavier than the model."""


def real(robot: str) -> list[str]:
    """Return the settings of a robot that is heavier than its model, with friction and encoders.

    The torque is estimated by what ``simloop calibrate`` has learnt from its free motion, and the
    dead zone is what that is wrong by.
    """
    calibration, dry, viscous = REAL[robot]
    return [
        f'plant.mass_bias={HEAVIER}',
        f'plant.friction.coulomb={dry}',
        f'plant.friction.viscous={viscous}',
        f'plant.noise={ENCODER}',
        f'plant.resolution={ENCODER}',
        'monitor.kind=disturbance_observer',
        f'monitor.calibration={calibration}',
        'admittance.dead_zone=null',
    ]


def with_hand(scenario: Scenario, hand: Hand) -> Scenario:
    """Return a scenario with this hand and no other."""
    plant = msgspec.structs.replace(scenario.plant, hands=(hand,))
    return msgspec.structs.replace(scenario, plant=plant)


def pulled_to(scenario: Scenario, angle: float) -> Scenario:
    """Return a scenario whose hand leads its joint towards another angle [rad]."""
    (hand,) = scenario.plant.hands
    assert isinstance(hand.path, JointPath)
    path = msgspec.structs.replace(hand.path, angle=angle)
    return with_hand(scenario, msgspec.structs.replace(hand, path=path))
