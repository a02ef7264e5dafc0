"""Accident or intention: an impact, or a hand that pushes."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.state import StateValue
from ..core.values import Array, ContactNature
from .observation import Reading

RISE_WINDOW = 0.02
"""Time over which the rise of the torque is measured [s]: a hand takes longer, an impact not."""
IMPACT_TIME = 0.25
"""Time to the effort limit below which a rising torque is an accident [s]. A hand that takes hold
of a robot raises its force within some tenths of a second to a small part of what the joints
bear; an impact is on the way to all of it."""
SEPARATION_TIME = 0.2
"""Time without contact after which the next one is a new one [s]."""


class ContactClassifierSnapshot(msgspec.Struct, frozen=True):
    """All that the next step depends on.

    :ivar torques: of the last steps [N m], the oldest first.
    :ivar kind: of the present contact.
    :ivar quiet: steps since the last contact.
    """

    torques: tuple[Array, ...]
    kind: ContactNature
    quiet: int


class ContactClassifier(StateValue):
    """Tells an impact from a push by how fast the torque rises.

    With ``r = (|tau_ext(t)| - |tau_ext(t - w)|)/w`` the joint ``i`` would be at its effort limit
    in ``L_i / r_i``. Contact is an impact if that is less than ``IMPACT_TIME`` for any joint at
    any time of it, else a push. The first verdict may be a push that becomes an impact.

    :param effort_limit: ``L`` [N m], shape ``(n,)``; a joint without limit does not count.
    """

    _state: ContactClassifierSnapshot

    def __init__(self, effort_limit: Array, period: float):
        self._steps = max(1, round(RISE_WINDOW / period))
        self._inverse = 1.0 / (effort_limit * self._steps * period)
        self._separation = max(1, round(SEPARATION_TIME / period))
        self.reset()

    def reset(self) -> None:
        """Forget the past."""
        self._state = ContactClassifierSnapshot((), 'none', 0)

    def step(self, reading: Reading) -> ContactNature:
        """Return the kind of the present contact."""
        old = self._state
        torques = (*old.torques[-self._steps :], reading.torque)
        quiet = 0 if reading.verdict == 'contact' else old.quiet + 1
        kind = old.kind
        if quiet == 0 and kind != 'impact':
            rise = np.abs(reading.torque) - np.abs(torques[0])
            rate = float((rise * self._inverse).max())
            kind = 'impact' if rate * IMPACT_TIME > 1.0 else 'push'
        elif quiet > self._separation:
            kind = 'none'
        self._state = ContactClassifierSnapshot(torques, kind, quiet)
        return kind
