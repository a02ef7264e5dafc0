"""``simloop connect``: is a robot's driver fit for the suite? No command is sent."""

from __future__ import annotations

import argparse
import json

import msgspec

from ..drivers.examination import examine
from ..drivers.finding import is_fit
from ..drivers.loading import load_driver
from ..robot.fit_robot import load_fit_robot
from ..ros.launch.graph import require_ros
from ..scenario.robot_files import robot_config


def call(options: argparse.Namespace) -> int:
    """Print what is found about a driver; 0 if it is fit, else 1."""
    require_ros()
    contract = load_driver(options.driver, options.settings)
    model = None if options.robot is None else load_fit_robot(robot_config(options.robot))
    from ..ros.driver.listener import listen

    findings = examine(contract, model, listen(contract, options.namespace, options.seconds))
    fit = is_fit(findings)
    if options.json:
        found = [msgspec.to_builtins(finding) for finding in findings]
        print(json.dumps({'driver': options.driver, 'fit': fit, 'findings': found}, indent=1))
    else:
        wrong = sum(finding.verdict == 'wrong' for finding in findings)
        print('\n'.join(finding.line for finding in findings))
        print(f'{options.driver}: {"fit" if fit else f"unfit, {wrong} to correct"}')
    return 0 if fit else 1
