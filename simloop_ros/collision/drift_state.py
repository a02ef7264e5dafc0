"""The state of a monitor that adapts."""

from __future__ import annotations

import msgspec

from ..core.values import Array
from .adaptation import Belief
from .load import Load
from .load_hypothesis import Suspicion


class Window(msgspec.Struct, frozen=True, gc=False):
    """A window of the unexplained torque so far.

    :ivar number: of the window.
    :ivar step: within it.
    :ivar total: weighted sum of the unexplained torque [N m], shape ``(n,)``.
    :ivar begin: position at its begin [rad]; ``middle``: in its middle.
    """

    number: int
    step: int
    total: Array
    begin: Array
    middle: Array


class DriftState(msgspec.Struct, frozen=True):
    """All that the next step of the adaptation depends on.

    :ivar belief: about friction and load.
    :ivar inverse: of the thresholds that hold now, shape ``(regimes, channels, n)``.
    :ivar unknown: variance of the torque that is not known [(N m)^2], shape ``(n,)``.
    :ivar whiteness: mean squared innovation over its variance, shape ``(n,)``.
    :ivar doubt: why the monitor is no longer to be trusted.
    :ivar quiet: windows since the last contact.
    :ivar suspicion: that a contact is a load.
    :ivar load: that was recognised.
    :ivar accepted: whether somebody has said that it is one, and it is not taken over yet.
    """

    belief: Belief
    inverse: Array
    unknown: Array
    whiteness: Array
    doubt: str
    quiet: int
    suspicion: Suspicion | None
    load: Load | None
    accepted: bool = False
