"""The motions and the controllers of the comparison, as data."""

from __future__ import annotations

import msgspec

from simloop_ros.control.tuning import nominal_bandwidth, observer_bandwidth


class Motion(msgspec.Struct, frozen=True):
    """A motion that is planned beforehand, so that every controller gets the same path.

    On-line planning starts each step from where the robot is: a controller that lags would be
    given a path that lags, and would have no error.

    :ivar scenario: name of the scenario.
    :ivar settings: ``key=value`` each.
    :ivar coulomb: dry friction of each joint, where there is friction [N m].
    :ivar viscous: viscous friction of each joint, where there is friction [N m s/rad].
    """

    scenario: str
    settings: tuple[str, ...]
    coulomb: float
    viscous: float


MOTIONS = {
    # Friction assumed: YuMi's by effort limit.
    'irb120_rectangle': Motion('irb120_rectangle', (), 0.1, 0.05),
    # Friction of YuMi and the LWR: as in the studies of collisions and of hand guiding.
    'yumi_step': Motion('yumi_step', ('planner.kind=offline',), 0.05, 0.02),
    # Across the workspace as fast as its joints turn; jerk over acceleration as in the defaults.
    'lwr_fast': Motion(
        'step',
        (
            'robot=lwr',
            'planner.kind=offline',
            'planner.move=[[0,0.4,0]]',
            'planner.max_velocity=1.2',
            'planner.acceleration=6',
            'planner.profile=jerk_limited',
            'planner.jerk=60',
        ),
        0.2,
        0.55,
    ),
}
CONTROLLERS = (
    'pid',
    'pd_gravity',
    'computed_torque',
    'computed_torque_observer',
    'measured',
    'observer',
)
"""The last two are simulation in the loop; the fourth is for the sake of fairness: computed torque
behind the same kind of observer."""


def control_settings(controller: str, period: float) -> tuple[str, ...]:
    """Return the settings of a controller, tuned by the rules of ``control.tuning``.

    Laws of old take the velocity from the difference of two encoder readings.
    """
    w = nominal_bandwidth(period)
    if controller in ('measured', 'observer'):
        bandwidth = observer_bandwidth(period)
        return (
            'control.law=deadbeat',
            f'control.rollback={controller}',
            f'control.bandwidth={bandwidth}',
        )
    law, observed = controller.removesuffix('_observer'), controller.endswith('_observer')
    return (
        f'control.law={law}',
        f'control.natural_frequency={w}',
        f'control.rollback={"observer" if observed else "measured"}',
        f'control.bandwidth={w}',
    )
