"""``simloop payload``: tell a running graph what the robot carries now."""

from __future__ import annotations

import argparse
import sys

from ..core.config_messages import convert
from ..core.errors import ConfigError
from ..robot.config import Payload
from ..ros.launch.graph import require_ros


def call(options: argparse.Namespace) -> int:
    """Publish a payload; 0 if a node was told, else 1."""
    require_ros()
    given = {key: getattr(options, key) for key in ('mass', 'tip', 'centre', 'inertia')}
    for key, value in given.items():
        if key != 'tip' and not all(abs(x) < float('inf') for x in _numbers(value)):
            raise ConfigError(f'--{key}: {value} given; finite numbers are needed')
    payload = convert(given, Payload, 'payload', '-')
    from ..ros.node.payload_command import tell_payload

    told = tell_payload(payload, options.namespace)
    if not told:
        print('simloop: no node listens to payload: is the graph up?', file=sys.stderr)
        return 1
    print(f'{payload.mass:g} kg at {payload.tip or "the first tip"}: {told} nodes were told')
    return 0


def _numbers(value: float | list[float]) -> list[float]:
    return [value] if isinstance(value, float) else list(value)
