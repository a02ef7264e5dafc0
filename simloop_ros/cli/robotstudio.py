"""``simloop robotstudio``: the joint motion of a finished run, sent to a controller of ABB."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rich.console import Console

from ..core.errors import ConfigError, LinkError
from ..core.resources import resource_folder
from ..record.recording import is_csv, read_recording, recorded_robot
from ..report.progress import progress_bar
from ..robot.config import RobotConfig
from ..robot.loading import load_robot
from ..robotstudio.axes import find_axes
from ..robotstudio.client import RobotStudioClient
from ..robotstudio.config import LinkConfig, read_move_time, read_port
from ..robotstudio.packet import Target, encode
from ..robotstudio.targets import plan_targets
from ..scenario.robot_files import robot_config

DEFAULTS = LinkConfig()


def call(options: argparse.Namespace) -> int:
    """Check the whole motion, then send it target by target."""
    if not 0.0 < options.timeout < float('inf'):
        raise ConfigError(f'--timeout: {options.timeout:g} is not a positive number')
    config = LinkConfig(
        host=options.host,
        port=read_port(options.port),
        move_time=read_move_time(options.every),
        approach_time=read_move_time(options.approach),
        answer_timeout=options.timeout,
        joints=tuple(name.strip() for name in options.joints.split(',') if name.strip()),
    )
    recording = read_recording(options.source, options.column)
    model = load_robot(_robot(options), resource_folder('urdf'))
    axes = find_axes(model, config.joints)
    targets = plan_targets(recording, axes, config.move_time, config.approach_time)
    if options.dry_run:
        for target in targets:
            print(encode(target).decode())
        return 0
    _send(targets, config)
    return 0


def _send(targets: Sequence[Target], config: LinkConfig) -> None:
    """Send targets, and print how many were acknowledged, whatever happens."""
    with RobotStudioClient(config) as client, progress_bar(Console(stderr=True)) as progress:
        task = progress.add_task(
            'connecting', total=sum(target.time for target in targets), factor=''
        )
        try:
            client.connect()
            for i, target in enumerate(targets, 1):
                progress.update(
                    task, description='sending', factor=f'target {i} of {len(targets)}'
                )
                client.send(target)
                progress.advance(task, target.time)
        except LinkError as error:
            done = (
                f'{client.acknowledged} of {len(targets)} targets were acknowledged and nothing '
                'more is sent: check where the robot is, then start again'
                if client.sent
                else 'nothing was sent'
            )
            raise LinkError(f'{error}; {done}', error.fault) from error
        except KeyboardInterrupt:
            _print_count(client.acknowledged, len(targets))
            raise
    _print_count(client.acknowledged, len(targets))


def _print_count(acknowledged: int, targets: int) -> None:
    print(f'{acknowledged} of {targets} targets acknowledged')


def _robot(options: argparse.Namespace) -> RobotConfig:
    name = options.robot
    if name:
        return robot_config(name)
    if is_csv(options.source):
        raise ConfigError('a CSV file does not have the limits of the robot: add --robot')
    return recorded_robot(options.source)
