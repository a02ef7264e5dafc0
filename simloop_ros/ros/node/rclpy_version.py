"""Which ROS 2 the nodes run with."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from ...core.errors import MissingDependencyError

OLDEST = 7
"""Oldest major version of rclpy that has all that the nodes use: that of Jazzy. Humble has 3."""


def require_rclpy() -> None:
    """Raise MissingDependencyError if the installed rclpy is too old; it is not imported."""
    try:
        installed = version('rclpy')
    except PackageNotFoundError:
        return  # built without metadata: it is taken as it is
    if int(installed.partition('.')[0]) < OLDEST:
        raise MissingDependencyError(
            f'rclpy {installed} is that of ROS 2 Humble, Iron or older; the nodes need Jazzy or '
            "newer. Without them: simloop run. With them: pip install '.[ros]' in an environment "
            'in which no ROS is sourced'
        )
