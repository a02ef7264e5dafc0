"""From a driver file to the options of a graph that drives a real robot."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from math import floor

import msgspec

from ...control.config import ControlConfig
from ...control.tuning import bearable_frequency
from ...core.errors import ConfigError
from ...drivers.config import ControllersConfig, DriverContract
from ...safety.config import SafetyConfig
from ...scenario.scenario import Scenario
from .options import WiringOptions

ROUNDING = 1e-9
"""Of a frequency [rad/s]."""
SWITCHING = 'controller_manager_msgs'
"""ROS package of the services with which controllers are switched."""


def driven_options(options: WiringOptions, driver: DriverContract) -> WiringOptions:
    """Return options with what a driver file says where nothing else is given.

    :raises ConfigError: the file does not say who compensates gravity, and nobody else does.
    """
    handled = options.gravity_handled or driver.gravity_handled
    output = options.driver_output or driver.takes
    if output == 'velocity':
        raise ConfigError(
            'driver: it takes velocities, and the suite sends efforts or positions; set its '
            'takes=position or takes=effort, with a controller for that'
        )
    if output == 'effort' and driver.gravity is None and not handled:
        raise ConfigError(
            'driver: who compensates gravity is not in its file, because robots differ; set its '
            'gravity=robot or gravity=command'
        )
    _refuse_switching(driver.controllers)
    return msgspec.structs.replace(
        options,
        realtime=True,
        simulated=False,
        driver_topic=options.driver_topic or driver.command_topic,
        driver_output=output,
        driver_message=driver.message,
        driver_joints=driver.full_joints,
        driver_controllers=driver.controllers,
        driver_lag=driver.lag,
        driver_effort=driver.effort or '',
        gravity_handled=handled and output == 'effort',
        robot_states=options.robot_states or driver.state_topic,
    )


def _refuse_switching(controllers: ControllersConfig) -> None:
    """Raise ConfigError if controllers shall be switched, and ROS cannot do that here."""
    if not controllers.ours or find_spec(SWITCHING) is not None:
        return
    there = f'--deactivate {controllers.robot} ' if controllers.robot else ''
    back = f'--activate {controllers.robot} ' if controllers.robot else ''
    manager = f'-c {controllers.manager}'
    raise ConfigError(
        f'controllers: {SWITCHING} is not installed here, so nobody can switch them; set '
        f'controllers={{}}, type "ros2 control switch_controllers {there}--activate '
        f'{controllers.ours} {manager}" before, and "ros2 control switch_controllers '
        f'--deactivate {controllers.ours} {back}{manager}" after the run'
    )


def driver_settings(driver: DriverContract, settings: Sequence[str]) -> list[str]:
    """Return what a driver changes in the scenario: its period, unless a setting gives one."""
    if driver.rate is None or any(setting.startswith('period=') for setting in settings):
        return []
    return [f'period={1.0 / driver.rate!r}']


def refuse_rate(driver: DriverContract, scenario: Scenario) -> None:
    """Raise ConfigError if the scenario's period is not that of the driver."""
    if (
        driver.rate is None
        or abs(driver.rate * scenario.period - 1.0) <= scenario.safety.rate_tolerance
    ):
        return
    raise ConfigError(
        f'period: {scenario.period:g} s given, and the driver publishes at {driver.rate:g} Hz; '
        'leave the period out, or change the rate of the driver'
    )


def measuring(driver: DriverContract, scenario: Scenario) -> Scenario:
    """Return the scenario with what ``effort`` in the joint states of its driver is.

    Only where the monitor takes it for its signal.

    :raises ConfigError: the driver publishes none, or its file does not say what it is.
    """
    monitor = scenario.monitor
    if monitor.signal != 'measured':
        return scenario
    if driver.effort == 'none':
        raise ConfigError(
            'monitor.signal: measured, but this driver publishes no efforts; set '
            'monitor.signal=command'
        )
    if driver.effort is None:
        raise ConfigError(
            'monitor.signal: measured, but what effort is in the joint states is not in the file '
            'of the driver, because robots differ; set its effort, simloop connect finds it out'
        )
    gains = {f'{driver.prefix}{name}': gain for name, gain in driver.drive_gains.items()}
    if driver.effort == 'current' and not gains:
        raise ConfigError(
            'monitor.signal: measured, but the efforts of this driver are currents; set its '
            'drive_gains, by joint [N m/A]'
        )
    told = msgspec.structs.replace(
        monitor, effort=driver.effort, drive_gains=gains if driver.effort == 'current' else {}
    )
    return msgspec.structs.replace(scenario, monitor=told)


def bearing_delay(
    control: ControlConfig, safety: SafetyConfig, period: float, options: WiringOptions
) -> tuple[ControlConfig, SafetyConfig]:
    """Return control and safety with frequencies that bear the delay of a real robot's commands.

    A driver takes a command in its next cycle, so up to a period after it was sent, and
    ``driver_lag`` later the robot does. A robot that takes positions closes its own loop.

    :param control: with its law chosen.
    :raises ConfigError: the law bears no delay, or less and ``safety.lateness`` is ``refuse``.
    """
    if options.simulated or options.driver_output == 'position':
        return control, safety
    delay = period + options.driver_lag
    late = f'commands of this robot take effect up to {1e3 * delay:.3g} ms after their joint state'
    if control.law == 'deadbeat':
        raise ConfigError(f'control.law: deadbeat bears no delay, and {late}: leave it out')
    largest = bearable_frequency(period, delay)
    given = {
        'control.natural_frequency': control.natural_frequency,
        'safety.hold_frequency': safety.hold_frequency,
    }
    if safety.lateness == 'refuse':
        for key, frequency in given.items():
            if frequency > largest + ROUNDING:
                told = f'{floor(10.0 * largest + ROUNDING) / 10.0:g}'  # not above the largest
                raise ConfigError(
                    f'{key}: {frequency:g} rad/s, and {late}, which {told} rad/s bear: set '
                    f'{key}={told}, or safety.lateness=adapt'
                )
    frequency, hold = (min(each, largest) for each in given.values())
    return (
        msgspec.structs.replace(control, natural_frequency=frequency),
        msgspec.structs.replace(safety, hold_frequency=hold),
    )
