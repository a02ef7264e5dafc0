"""Which ROS 2 the nodes run with."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from ...core.errors import MissingDependencyError

JAZZY, KILTED = 7, 9
"""Major versions of rclpy; Humble has 3. Jazzy's is the oldest with all that the nodes use. Before
Kilted the events executor does not await services: a call ended the process with a TypeError."""


def awaits_events() -> bool:
    """Return whether the events executor of this rclpy awaits coroutines of services."""
    installed = _installed()
    return not installed or _major(installed) >= KILTED


def require_rclpy() -> None:
    """Raise MissingDependencyError if the installed rclpy is too old; it is not imported."""
    installed = _installed()
    if installed and _major(installed) < JAZZY:
        raise MissingDependencyError(
            f'rclpy {installed} is that of ROS 2 Humble, Iron or older; the nodes need Jazzy or '
            "newer. Without them: simloop run. With them: pip install '.[ros]' in an environment "
            'in which no ROS is sourced'
        )


def _installed() -> str:
    """Return the version of rclpy; empty if it was built without metadata: it is taken as new."""
    try:
        return version('rclpy')
    except PackageNotFoundError:
        return ''


def _major(installed: str) -> int:
    return int(installed.partition('.')[0])
