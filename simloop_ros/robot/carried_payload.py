"""What a robot carries, in models whose inertias follow it while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.state import Remembering
from ..core.values import NANO, Array
from .config import Payload
from .model import RobotModel
from .payload import carrying_tip, payload_parameters
from .weight import weight_efforts

BLEND_TIME = 0.2
"""Time in which a payload takes effect [s]: the weight of what a gripper lifts comes upon the
robot gradually, and so does the effort for it."""


class _Change(msgspec.Struct, frozen=True):
    """From a time on [ns] a tip carries something else; ``(10,)`` inertial parameters each."""

    tip: str
    begin: int
    before: Array
    after: Array

    def at(self, time: int) -> Array:
        """Return what the tip carries at a time [ns] after the begin."""
        if self.begin == 0:  # nothing to blend from: the run begins with it
            return self.after
        share = min(1.0, (time - self.begin) / (BLEND_TIME * NANO))
        return self.before + share**2 * (3.0 - 2.0 * share) * (self.after - self.before)


def later_payloads(model: RobotModel) -> tuple[Payload, ...]:
    """Return what the tips carry only after the beginning."""
    return tuple(payload for payload in model.payloads if payload.at > 0.0)


def without_later_payloads(model: RobotModel) -> RobotModel:
    """Return the robot with what it carries at the beginning."""
    first = tuple(payload for payload in model.payloads if payload.at == 0.0)
    return replace(model, payloads=first)


class CarriedPayload(Remembering):
    """Keeps the inertias of Pinocchio models those of what the robot carries at a time.

    The dynamics are linear in the ten inertial parameters of what each joint moves::

        phi(t) = phi(0) + sum (p(t) - p(0))            over the tips that the joint moves
        p(t) = p + s(x) (p' - p),  x = (t - t_i)/T     T: BLEND_TIME, s(x) = 3 x^2 - 2 x^3

    for a tip whose payload ``p`` is replaced by ``p'`` at ``t_i``. All blocks that compute with
    the same model know of it at once; it costs them nothing.

    :ivar now: time of the last call [ns].
    :param model: whose Pinocchio model is changed in place.
    :param payloads: what is known beforehand, with their times.
    :raises ConfigError: a tip does not exist, or the robot cannot bear a payload.
    """

    _remembered = ('_changes', 'now')

    def __init__(self, model: RobotModel, payloads: Sequence[Payload] = ()):
        self._model = model.copy()
        self._models: list[pin.Model] = []
        self._bases: list[list[pin.Inertia]] = []
        self.include(model.pin_model)
        self._start = {
            carrying_tip(model, each): payload_parameters(model, each)
            for each in model.payloads
            if each.at == 0.0
        }
        self._changes: tuple[_Change, ...] = ()
        self.now = 0
        for payload in sorted(payloads, key=lambda each: each.at):
            self.tell(round(payload.at * NANO), payload)

    @property
    def changes(self) -> bool:
        """Return whether a payload differs, or will, from what the models have by themselves."""
        return bool(self._changes)

    @property
    def carries(self) -> bool:
        """Return whether a payload differs by now from what the models have by themselves."""
        return any(change.begin <= self.now for change in self._changes)

    def include(self, *pin_models: pin.Model) -> None:
        """Change other Pinocchio models of the same robot likewise; nothing has changed yet."""
        for pin_model in pin_models:
            if all(pin_model is not known for known in self._models):
                self._models.append(pin_model)
                self._bases.append([body.copy() for body in pin_model.inertias])

    def tell(self, begin: int, payload: Payload) -> None:
        """Let a tip carry a payload from a time on [ns], and nothing else.

        :raises ConfigError: the tip does not exist, or the robot cannot bear it.
        """
        tip = carrying_tip(self._model, payload)
        after = payload_parameters(self._model, payload)
        self._refuse_heavy(payload, tip, after)
        earlier = tuple(each for each in self._changes if each.tip != tip or each.begin < begin)
        before = self._of_tip(tip, begin, earlier)
        self._changes = (*earlier, _Change(tip, begin, before, after))

    def at(self, time: int) -> None:
        """Give the models the inertias that hold at a time [ns]."""
        self.now = time
        if self._changes:
            self._apply()

    def restore(self, snapshot: object) -> None:
        """Go back to an earlier snapshot, also to one before a payload was told."""
        carrying = self._added(self.now)
        super().restore(snapshot)
        for joint in carrying:
            for pin_model, bases in zip(self._models, self._bases, strict=True):
                pin_model.inertias[joint] = bases[joint].copy()
        self._apply()

    def _apply(self) -> None:
        for joint, added in self._added(self.now).items():
            for pin_model, bases in zip(self._models, self._bases, strict=True):
                pin_model.inertias[joint] = _sum(bases[joint], added)

    def _added(self, time: int) -> dict[int, Array]:
        """Return the parameters to add to those of each joint that carries, at a time [ns]."""
        frames = self._model.pin_model.frames
        added: dict[int, Array] = {}
        for tip in dict.fromkeys(change.tip for change in self._changes):
            joint = int(frames[self._model.frame(tip)].parentJoint)
            more = self._of_tip(tip, time, self._changes) - self._of_tip(tip, -1, ())
            added[joint] = added.get(joint, np.zeros(10)) + more
        return added

    def _of_tip(self, tip: str, time: int, changes: Sequence[_Change]) -> Array:
        """Return what a tip carries at a time [ns], after some changes."""
        begun = [change for change in changes if change.tip == tip and change.begin <= time]
        return begun[-1].at(time) if begun else self._start.get(tip, np.zeros(10))

    def _refuse_heavy(self, payload: Payload, tip: str, after: Array) -> None:
        """Refuse what the robot could not hold at its home, where every block can tell."""
        model = self._model.copy()
        joint = model.pin_model.frames[model.frame(tip)].parentJoint
        more = after - self._of_tip(tip, -1, ())
        model.pin_model.inertias[joint] = _sum(model.pin_model.inertias[joint], more)
        needed = np.abs(weight_efforts(model, model.home))
        beyond = np.flatnonzero(needed > model.effort_limit)
        if beyond.size:
            i = int(beyond[0])
            raise ConfigError(
                f'payload: {payload.mass:g} kg at {tip}: {model.joint_names[i]} would need '
                f'{needed[i]:.4g} {model.effort_units[i]} at home, its limit is '
                f'{model.effort_limit[i]:.4g}; give a lighter one'
            )


def _sum(body: pin.Inertia, added: Array) -> pin.Inertia:
    if not added.any():
        return body
    return pin.Inertia.FromDynamicParameters(body.toDynamicParameters() + added)
