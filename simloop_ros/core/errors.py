"""Exceptions, one base class and leaves that carry data; and the warning of an old name."""

from __future__ import annotations

from collections.abc import Iterable
import difflib
from typing import Literal
import warnings

LinkFault = Literal['unreachable', 'dropped', 'silent', 'malformed', 'rejected', 'ended']
UnsafeKind = Literal[
    'not_finite',
    'effort_limit',
    'effort_rate',
    'stale_state',
    'joints',
    'position_range',
    'unknown_position',
    'velocity_limit',
    'tracking_error',
]

UnreachableKind = Literal[
    'not_finite', 'not_a_rotation', 'out_of_reach', 'joint_limit', 'inside_base', 'leap'
]

USER_ERROR = 2
"""Exit status of errors that the user can correct."""
STORAGE_ERROR = 3
"""Exit status where results could not be written, or not all of them."""


class SimloopError(Exception):
    """Base of every error that the user can correct; its text is one line.

    :cvar exit_status: of a program that ends with it.
    """

    exit_status = USER_ERROR


class ConfigError(SimloopError):
    """A scenario, robot file or argument that is not valid."""


class StorageError(SimloopError):
    """Results that could not be written, for instance because the disk is full."""

    exit_status = STORAGE_ERROR


class UnknownNameError(ConfigError):
    """A name that is not among the valid ones.

    :param what: kind of name, for instance ``scenario``.
    :param valid: every accepted name.
    """

    def __init__(self, what: str, name: str, valid: Iterable[str]):
        self.name = name
        self.valid = tuple(sorted(valid))
        near = difflib.get_close_matches(name, self.valid, n=3, cutoff=0.5)
        hint = f'did you mean {" or ".join(near)}? ' if near else ''
        super().__init__(f'unknown {what} {name!r}: {hint}valid: {", ".join(self.valid)}')


class ModelError(SimloopError):
    """A robot description that cannot be read or is not fit for control."""


class LogError(SimloopError):
    """A recording of a robot that cannot be read, or is not what it is taken for."""


class GoalError(SimloopError):
    """A motion that is refused before it starts.

    :param tip: frame that cannot follow the motion.
    :param missing: distance between the goal and the nearest point reached [m].
    :param joints: those at their limits there.
    """

    def __init__(
        self, message: str, tip: str = '', missing: float = 0.0, joints: tuple[str, ...] = ()
    ):
        super().__init__(message)
        self.tip = tip
        self.missing = missing
        self.joints = joints


class UnreachableError(GoalError):
    """A pose that no joint position reaches.

    :param index: of the pose, where there are several.
    """

    def __init__(
        self,
        message: str,
        kind: UnreachableKind,
        tip: str = '',
        missing: float = 0.0,
        joints: tuple[str, ...] = (),
        index: int | None = None,
    ):
        super().__init__(message, tip, missing, joints)
        self.kind = kind
        self.index = index


class DivergenceError(SimloopError):
    """A run that diverged, at a step and first at a joint."""

    def __init__(self, message: str, step: int, joint: str):
        super().__init__(message)
        self.step = step
        self.joint = joint


class MessageError(SimloopError):
    """A message from another program that cannot be used."""


class UnsafeCommandError(SimloopError):
    """An effort or a position that must not reach a robot.

    :param joint: the first joint concerned; empty where it is no single one.
    """

    def __init__(self, message: str, kind: UnsafeKind, joint: str = ''):
        super().__init__(message)
        self.kind = kind
        self.joint = joint


class LinkError(SimloopError):
    """A robot controller that cannot be reached, or does not answer as it should."""

    def __init__(self, message: str, fault: LinkFault):
        super().__init__(message)
        self.fault = fault


class MissingDependencyError(SimloopError):
    """An optional package that the chosen option needs and that is not installed."""


def warn_renamed(where: str, old: str, new: str) -> None:
    """Warn that an old name was given; users see a ``FutureWarning`` without asking for it.

    :param where: file, key or option that has the old name.
    """
    text = f'{where}: {old} is now called {new}; the old name is accepted for one more release'
    warnings.warn(text, FutureWarning, stacklevel=2)
