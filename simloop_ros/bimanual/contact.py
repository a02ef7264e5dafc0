"""The values of contact control: what is required of a contact, what was measured, its state."""

from __future__ import annotations

import msgspec

from ..core.values import Array, PathCorrection
from ..guiding.joint_admittance import AdmittanceState
from ..maths.discretisation import Parameters
from .wrench_validator import WrenchValidatorSnapshot


class ContactTarget(msgspec.Struct, frozen=True, gc=False):
    """What is required of the contact in a step.

    :ivar squeeze: setpoint of the internal force [N]; None: the hands are free, corrections fade
        to zero.
    :ivar yielding: impedance of the object against an external wrench, for its six axes; None:
        the object does not yield.
    :ivar tare: the hands are surely free: what the sensors read is their bias.
    :ivar seek: hands without contact close further, as their impedance allows, until they measure
        one: the object may be shorter than configured.
    """

    squeeze: float | None
    yielding: Parameters | None = None
    tare: bool = False
    seek: bool = False


class ContactStep(msgspec.Struct, frozen=True, gc=False):
    """What was measured in a step, and the resulting correction; in axes of the object.

    :ivar correction: of the hands' paths.
    :ivar internal: internal wrenches on the hands at the origins of their tips, ``(hands, 6)``.
    :ivar moving: total wrench of the hands on the object, at its centre, shape ``(6,)``.
    :ivar squeeze: internal force along the lines between the hands [N], positive in compression.
    :ivar contact: whether there is contact; it lasts until the hands are free.
    :ivar fault: why both arms must stop; empty if there is no fault.
    """

    correction: PathCorrection
    internal: Array
    moving: Array
    squeeze: float
    contact: bool
    fault: str


class YieldingImpedance(msgspec.Struct, frozen=True, gc=False):
    """Impedance of the hands and of an object that yields.

    :ivar object: of the object, for its six axes.
    :ivar combined: of each hand and then of the object, shape ``(6 hands + 6,)`` each.
    """

    object: Parameters
    combined: Parameters


class ContactSnapshot(msgspec.Struct, frozen=True, gc=False):
    """All that the next step depends on.

    :ivar state: deflection of each hand and then of the object, six axes each, and its velocity
        [m, rad, and per s], shape ``(6 hands + 6,)``.
    :ivar contact: whether there is contact.
    :ivar sensors: of their validation.
    :ivar fault: why both arms must stop; it stays.
    :ivar locked: whether corrections stay as they are.
    :ivar yielding: impedance in the last step in which the object yielded.
    """

    state: AdmittanceState
    contact: bool
    sensors: WrenchValidatorSnapshot
    fault: str
    locked: bool = False
    yielding: YieldingImpedance | None = None

    @property
    def object_deflection(self) -> Array:
        """Return by how much the object has yielded, in its axes [m, rad], shape ``(6,)``."""
        return self.state.deflection[-6:]

    def settled(self) -> ContactSnapshot:
        """Return the same without the deflection of the object: it has become its new pose."""
        deflection = self.state.deflection.copy()
        deflection[-6:] = 0.0
        state = AdmittanceState(deflection, self.state.velocity)
        return msgspec.structs.replace(self, state=state)
