"""Configuration of the collision monitor in a scenario: the one place of these defaults."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ..core.config_types import Parameters, Positive, ReactionKind, is_class_name, one_of_or_class

MonitorKind = Annotated[
    str,
    one_of_or_class(
        'position_difference', 'force_difference', 'momentum_observer', 'disturbance_observer'
    ),
]
RENAMED_KINDS = {'matched_filter': 'disturbance_observer'}
"""Kinds by their names in the last release."""


class MonitorConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which monitor detects contacts, and how the robot reacts to them.

    :ivar kind: ``position_difference`` and ``force_difference``, the two residuals of 000
        section 7.1, ``momentum_observer``, ``disturbance_observer``, which uses the model that was
        identified by the calibration, or a class of the user, ``my_module:MyMonitor``.
    :ivar parameters: values for a monitor of the user, by name.
    :ivar calibration: file of ``simloop calibrate``, or the name of a shipped one; without
        it torques are estimated, but nothing counts as a contact.
    :ivar reaction: to a contact: ``none``, ``stop``, ``hold``, ``retreat``, ``float``, ``comply``.
    :ivar push: reaction to a contact that builds up slowly, as that of a hand; the same where none
        is given.
    :ivar resume_after: time of rest without contact after which the motion goes on [s]; where none
        is given, somebody has to ask for it.
    """

    kind: MonitorKind = 'force_difference'
    parameters: Parameters = {}
    calibration: str = ''
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
