"""What a robot feels."""

from __future__ import annotations

import msgspec

from ..collision.contact_kind import Kind
from ..values import Array


class Felt(msgspec.Struct, frozen=True, gc=False):
    """What is known of the outside after a step.

    :ivar contact: whether a monitor sees a contact now.
    :ivar kind: of the present contact, and for a while after it.
    :ivar torque: from outside, as far as it is known [N m], shape ``(n,)``; none if it is not.
    :ivar wrenches: what the wrist sensors read, as ``Plant.wrenches``; none where nobody does.
    """

    contact: bool = False
    kind: Kind = 'none'
    torque: Array | None = None
    wrenches: Array | None = None


UNTOUCHED = Felt()
