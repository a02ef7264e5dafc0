"""The peak of the internal force when two hands touch an object."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ..core.values import Array
from ..record.hands_summary import SETTLED_SHARE, settling
from .drawing import URGENT, Mark, finite

RISEN_SHARE = 0.9
"""Part of the peak at which a force counts as risen."""
DISTURBING = ('push start', *URGENT)
"""Labels of events after which the internal force settles anew."""


class ForceCourse(msgspec.Struct, frozen=True):
    """Internal force of one run.

    :ivar label: of the run, for instance ``K = 5e4 N/m``.
    :ivar time: [s], shape ``(steps,)``.
    :ivar force: internal force, positive when the hands press [N], shape ``(steps,)``.
    """

    label: str
    time: Array
    force: Array


class Peak(msgspec.Struct, frozen=True):
    """The contact in the internal force of a run.

    :ivar contact: first time at which the force is above ``SETTLED_SHARE`` of its peak [s].
    :ivar risen: first time at which it is above ``RISEN_SHARE`` of its peak [s].
    :ivar force: the largest one [N].
    :ivar overshoots: whether it is above the setpoint by more than ``SETTLED_SHARE``, and so more
        than noise.
    :ivar settled: time after the contact from which on the force stays within ``SETTLED_SHARE`` of
        the peak about its setpoint, or about zero if that is as small [s]; None if it does not.
    """

    contact: float
    risen: float
    force: float
    overshoots: bool
    settled: float | None


def peak_of(course: ForceCourse, setpoint: float = 0.0) -> Peak | None:
    """Return the peak of the internal force after the contact; ``None`` without contact."""
    force = np.nan_to_num(finite(course.force))
    if not len(force) or force.max() <= 0.0:
        return None
    at = int(force.argmax())
    band = SETTLED_SHARE * float(force[at])
    contact = float(course.time[np.argmax(force > band)])
    risen = float(course.time[np.argmax(force > RISEN_SHARE * force[at])])
    within = settling(force, setpoint if setpoint >= band else 0.0, band)
    settled = None if within is None else float(course.time[within]) - contact
    overshoots = float(force[at]) > (1.0 + 2.0 * SETTLED_SHARE) * setpoint
    return Peak(contact, risen, float(force[at]), overshoots, settled)


def peak_text(peak: Peak, events: Sequence[Mark]) -> str:
    """Return the peak in words; how it settled only where nothing disturbed it meanwhile."""
    if not peak.overshoots:
        return f'at most {peak.force:.3g} N, without a peak at the contact'
    text = f'peak {peak.force:.3g} N'
    disturbed = [mark.time - peak.contact for mark in events if mark.label in DISTURBING]
    if peak.settled is None or any(0.0 < after <= peak.settled for after in disturbed):
        return text
    share = 100.0 * SETTLED_SHARE
    return f'{text}, settled to {share:g} % of it {peak.settled:.2g} s after the contact'
