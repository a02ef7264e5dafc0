"""Configuration of the collision monitor in a scenario: the one place of these defaults."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ..core.config_types import (
    NonNegative,
    Parameters,
    Positive,
    ReactionKind,
    is_class_name,
    one_of_or_class,
)

MonitorKind = Annotated[
    str,
    one_of_or_class(
        'position_difference', 'force_difference', 'momentum_observer', 'disturbance_observer'
    ),
]
MonitorSignal = Literal['command', 'measured']
PayloadMode = Literal['none', 'ask', 'take']
RENAMED_KINDS = {'matched_filter': 'disturbance_observer'}
"""Kinds by their names in the last release."""


class DriftConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What may have changed since the calibration, for a monitor that adapts.

    :ivar friction: share of its friction by which a joint may differ at the start (standard
        deviation): a gear that was calibrated warm and starts cold.
    :ivar friction_per_minute: share by which friction changes in a minute (standard deviation).
    :ivar payload: unknown mass that a tip may carry at the start [kg] (standard deviation).
    """

    friction: NonNegative = 0.25
    friction_per_minute: NonNegative = 0.03
    payload: NonNegative = 0.0


class MonitorConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which monitor detects contacts, and how the robot reacts to them.

    :ivar kind: ``position_difference`` and ``force_difference``, the two residuals of 000
        section 7.1, ``momentum_observer``, ``disturbance_observer``, which uses the model that was
        identified by the calibration, or a class of the user, ``my_module:MyMonitor``.
    :ivar parameters: values for a monitor of the user, by name.
    :ivar calibration: file of ``simloop calibrate``, or the name of a shipped one; without
        it torques are estimated, but nothing counts as a contact.
    :ivar adapt: whether ``disturbance_observer`` follows friction that drifts, estimates noise and
        lateness, and widens its thresholds by what it does not know.
    :ivar payload: what follows where a contact turns out to be a load at a tip, with ``adapt``:
        ``none`` nothing, it stays a contact; ``ask`` it is proposed; ``take`` monitor and control
        take it over.
    :ivar signal: what counts as the torque of the drives: the commands, or what the joints
        measured.
    :ivar effort: meaning of what is measured: the torque of the joints, the same without what
        gravity needs, or the current of the motors.
    :ivar drive_gains: torque per current by joint [N m/A].
    :ivar reaction: to a contact: ``none``, ``stop``, ``hold``, ``retreat``, ``float``, ``comply``.
    :ivar push: reaction to a contact that builds up slowly, as that of a hand; the same where none
        is given.
    :ivar resume_after: time of rest without contact after which the motion goes on [s]; where none
        is given, somebody has to ask for it.
    """

    kind: MonitorKind = 'force_difference'
    parameters: Parameters = {}
    calibration: str = ''
    adapt: bool = False
    drift: DriftConfig = DriftConfig()
    payload: PayloadMode = 'none'
    signal: MonitorSignal = 'command'
    effort: Literal['torque', 'torque_without_gravity', 'current'] = 'torque'
    drive_gains: dict[str, Positive] = {}
    reaction: ReactionKind = 'none'
    push: ReactionKind | None = None
    resume_after: Positive | None = None

    @property
    def watches(self) -> bool:
        """Return whether contacts are to be detected."""
        return bool(self.calibration) or self.reacts or is_class_name(self.kind)

    @property
    def reactions(self) -> tuple[ReactionKind, ReactionKind]:
        """Return the reactions to an impact and to a push."""
        return self.reaction, self.reaction if self.push is None else self.push

    @property
    def reacts(self) -> bool:
        """Return whether any contact has a consequence."""
        return self.reaction != 'none' or self.push not in (None, 'none')
