"""The identified robot that a log is compared with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..collision.explanation import Explanation
from ..core.config_messages import convert
from ..core.errors import ConfigError
from ..record.folder import SUMMARY
from ..robot.model import RobotModel
from ..scenario.robot_files import read_mapping
from .monitoring import Span

IDENTIFIED = 'identified.yaml'
"""Name of the file in the folder of ``simloop identify``."""


def fitted_span(path: Path, log: Path) -> Span | None:
    """Return the part of a log that a robot was identified from; ``None`` if it is not known.

    :param path: the folder of ``simloop identify``, or a file in it.
    """
    folder = path if path.is_dir() else path.parent
    try:
        summary = json.loads((folder / SUMMARY).read_text())
        begin, end = (float(part) for part in summary['fit_on'].split(':'))
        logs = [Path(name).resolve() for name in summary['logs']]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return Span(begin, end) if log.resolve() in logs else None


def load_identified(path: Path, model: RobotModel) -> Explanation:
    """Read what was identified about a robot.

    :param path: the folder of ``simloop identify``, its ``identified.yaml``, or a file of
        ``simloop calibrate``.
    :raises ConfigError: it is something else, or of another robot.
    """
    file = path / IDENTIFIED if path.is_dir() else path
    raw: dict[str, Any] = read_mapping(file)
    joints = raw.get('joint_names', raw.get('joints', list(model.joint_names)))
    if list(joints) != list(model.joint_names):
        raise ConfigError(
            f'{file}: made for joints {", ".join(map(str, joints))}; the log has '
            f'{", ".join(model.joint_names)}'
        )
    try:
        explanation = convert(raw.get('explanation', raw), Explanation, 'the whole')
    except ConfigError as error:
        raise ConfigError(
            f'{file}: not a file of simloop identify or simloop calibrate: {error}'
        ) from error
    if len(explanation.inertias) != model.n:
        raise ConfigError(
            f'{file}: made for {len(explanation.inertias)} joints, the log has {model.n}'
        )
    return explanation
