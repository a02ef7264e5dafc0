"""``simloop standin``: a robot's driver, played by its contract."""

from __future__ import annotations

import argparse
import sys

import numpy as np

from ..core.config_messages import convert
from ..core.errors import ConfigError
from ..core.files import load_yaml
from ..drivers.config import DriverContract
from ..drivers.delivery import StateDelivery
from ..drivers.loading import load_driver, read_faults
from ..drivers.stand_in import StandIn
from ..plants.config import PlantConfig
from ..robot.fit_robot import load_fit_robot
from ..ros.launch.graph import require_ros
from ..ros.launch.options import PRIORITY
from ..scenario.keys import check_keys, check_leaves
from ..scenario.robot_files import robot_config

PLANT = 'plant.'
"""What the keys of the simulated robot begin with."""


def call(options: argparse.Namespace) -> int:
    """Play a driver until a signal; 0 when it was not at fault then, else 1."""
    require_ros()
    contract, plant = contract_and_plant(options)
    faults = read_faults(options.faults)
    model = load_fit_robot(robot_config(options.robot))
    noise, losses = np.random.default_rng(0).spawn(2)
    stand_in = StandIn(contract, model, plant, faults, noise)
    delivery = StateDelivery(faults, stand_in.period, losses)
    from ..ros.driver.stand_in_process import run_stand_in

    def report(line: str) -> None:
        print(f'simloop: {line}', file=sys.stderr, flush=True)

    started = (
        f'{options.driver} with {model.name}: joint states at {1.0 / stand_in.period:g} Hz on '
        f'{contract.state_topic}, {contract.takes} commands on {contract.command_topic}; Ctrl-C '
        'ends it'
    )
    run_stand_in(
        stand_in,
        model,
        delivery,
        contract,
        namespace=options.namespace,
        priority=PRIORITY,
        report=report,
        started=started,
    )
    if stand_in.dropped or stand_in.rough:
        report(
            f'{stand_in.dropped} commands were dropped, {stand_in.rough} changed an effort faster '
            'than its maker allows'
        )
    return 1 if stand_in.fault else 0


def contract_and_plant(options: argparse.Namespace) -> tuple[DriverContract, PlantConfig]:
    """Return what the arguments say of the driver, and of the robot behind it."""
    own = [setting for setting in options.settings if not setting.startswith(PLANT)]
    plant = [setting for setting in options.settings if setting.startswith(PLANT)]
    return load_driver(options.driver, own), _plant(plant)


def _plant(settings: list[str]) -> PlantConfig:
    """Return the simulated robot with settings ``plant.a.b=value``."""
    raw: dict[str, object] = {}
    for setting in settings:
        key, equals, text = setting.partition('=')
        if not equals:
            raise ConfigError(f'{setting}: not of the form key=value')
        *sections, last = key.removeprefix(PLANT).split('.')
        target = raw
        for section in sections:
            target = target.setdefault(section, {})  # type: ignore[assignment]
        target[last] = load_yaml(text)
    check_keys(raw, PlantConfig, PLANT)
    check_leaves(raw)
    return convert(raw, PlantConfig, 'plant', 'plant')
