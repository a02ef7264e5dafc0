"""What a robot does by itself while its next command is late."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..core.state import Remembering
from ..core.values import NANO, Array, JointState, Setpoint
from ..maths.coasting import coasting_rate, coasting_time
from ..maths.effort_share import largest_share
from ..maths.plan import Plan, PlanPoint
from ..robot.model import RobotModel
from .brake import hold_gains
from .config import SafetyConfig

MEMORY = 0.1
"""Weight of a step in what the commands have beyond the law."""
STEEPEST = 1.5
"""Deceleration of a coasting motion at its steepest, times ``stop_time``."""
MAX_POSITION_ERROR, MAX_SPEED_ERROR = 0.05, 0.5
"""How far a robot may be from the reference that it shall follow [rad, rad/s]; beyond it is out of
control, and braked at once. Half of the reference's speed, and 0.1 s of its way, are added. A
robot on its reference that is pushed further away gets no larger effort, and drags the reference
along, as a brake slips: it does not swing back."""
ROUNDING = 1e-6
"""Share of a step: times of steps are not exact in floating point."""


class _Way(msgspec.Struct, frozen=True, gc=False):
    """How the reference goes on after the last command, at the end of a step ``n``.

    :ivar begin: position of the plan there [rad], shape ``(n,)``; ``None`` without a plan.
    :ivar excess: velocity that the command had beyond the plan [rad/s], shape ``(n,)``.
    :ivar end: last step whose end is planned.
    """

    begin: Array | None
    excess: Array
    end: int


class EffortFollower(Remembering):
    """Follows the plan from the last command on, and where the plan ends, coasts to rest.

    An effort alone is wrong a few milliseconds later: it was computed for a state that is over.
    From the desired position ``q_n`` of the last command, for step ``n``, the reference goes on as
    the plan ``p`` does, as far as the planner has sent it; from there it coasts
    (``maths.coasting``, over ``stop_time``)::

        r(k) = q_n + p(k) - p(n)                      position at the end of step k
        a = a_r + 2 w (v_r - v) + w^2 (q_r - q),      w: hold_frequency, at most 0.5/h
        tau = rnea(q, v, s a) + c b,                  s <= 1 the largest share within the limits

    ``v_r`` and ``a_r`` are the differences of ``r``. A velocity that the last command had beyond
    the plan coasts, too; without a plan ahead that is all of it.

    ``b`` is what the commands had beyond this law lately: a load, friction, an integrator. It
    fades with the rate ``c`` of the coasting motion.

    A robot that floats (its efforts have no desired positions) is damped: ``a = -1.5 v/T``. No
    effort is held: gravity is that of the present position.

    :param period: h [s].
    """

    _remembered = (
        '_plan',
        '_position',
        '_velocity',
        '_acceleration',
        '_bias',
        '_dragged',
        '_floats',
        '_step',
        '_stopped',
    )

    def __init__(self, model: RobotModel, period: float, config: SafetyConfig):
        self._pin_model = model.pin_model
        self._data = model.pin_model.createData()
        self._limit = model.effort_limit
        self._period = period
        self._stop_time = config.stop_time
        self._stiffness, self._damping = hold_gains(config, period)
        self._plan = Plan()
        self._undragged: Array = np.zeros(model.n)
        self.reset()

    def reset(self) -> None:
        """Forget the motion: the robot rests, or gets efforts without positions."""
        self._plan.clear()
        self._position: Array | None = None
        self._velocity: Array | None = None
        self._acceleration: Array = np.zeros(self._limit.size)
        self._bias: Array = np.zeros(self._limit.size)
        self._dragged = self._undragged
        self._floats = False
        self._step = 0
        self._stopped: int | None = None

    def plan(self, step: float, setpoint: Setpoint) -> None:
        """Take the setpoint of the step that begins at a time [steps], as a planner sends it."""
        if setpoint.effort is not None or setpoint.follows:
            self._plan.clear()
        else:
            self._plan.add(PlanPoint(self._stamp(step), setpoint))

    def stop(self, step: int) -> None:
        """Let the reference come to rest from the begin of a step on.

        Along a path that is predicted to rest time goes slower and slower, unless the motion
        brakes already.
        """
        if self._velocity is None or step - 1 > self._end:
            return
        if not self._plan.rests:
            self._position, self._velocity, _ = self._reference(step)
            self._dragged = self._undragged
            self._step = step - 1
            self._plan.clear()
        elif (self._end - step) * self._period > self._stop_time:
            self._stopped = step

    def take(self, step: int, desired: Array | None) -> None:
        """Take the desired position at the end of a step [rad], shape ``(n,)``, if it has one."""
        self._floats, self._stopped = desired is None, None
        if desired is None:
            self._position = self._velocity = None
            self._step = step
            self._plan.clear()
            return
        if self._position is not None and step > self._step:
            time = (step - self._step) * self._period
            planned = rate = self._way_planned(self._step, step)
            if step > self._step + 1:
                rate = self._way_planned(step - 1, step)
            velocity = rate / self._period + (desired - self._position - planned) / time
            if self._velocity is not None:
                self._acceleration = (velocity - self._velocity) / time
            self._velocity = velocity
        self._position, self._step = desired, step
        self._plan.forget(self._stamp(step - 1))

    def is_close(self, state: JointState, step: int, *, follows: bool = False) -> bool:
        """Return whether there is a motion to follow from a state in a step, and it is near.

        :param follows: whether the robot has followed it in the step before: then a force may
            have pushed it away, and the reference is dragged along.
        """
        if self._position is None or self._velocity is None:
            return self._floats
        q, v, a = self._reference(step)
        if not np.isfinite(a).all():
            return False
        near = (np.abs(q - state.position) <= self._reach(v)).all()
        slow = (np.abs(v - state.velocity) <= MAX_SPEED_ERROR + 0.5 * np.abs(v)).all()
        return bool(follows or (near and slow))

    def destination(self, step: int) -> Array | None:
        """Return where the reference is at a step's end [rad], shape ``(n,)``, if there is one."""
        return self._position if self._velocity is None else self._reference(step + 1)[0]

    def rests(self, step: int) -> bool:
        """Return whether the reference has come to rest before a step."""
        if self._stopped is not None:
            return (step - self._stopped) * self._period >= self._stop_time
        if self._plan.rests:
            return step > self._end
        return self._coasted(step) >= self._stop_time

    @property
    def bears(self) -> bool:
        """Return whether it still bears at rest what it bore in motion."""
        return self._plan.rests

    def load(self, step: int) -> Array:
        """Return what is borne in a step beyond the law, ``c b`` [N m], shape ``(n,)``."""
        load: Array = coasting_rate(self._coasted(step), self._stop_time) * self._bias
        return load

    def learn(self, state: JointState, effort: Array) -> None:
        """Take the effort of the step that the last command is for [N m], shape ``(n,)``.

        Nothing is learnt beyond the limits, to which the command was cut. Where a force holds the
        robot further away than the spring grows, the reference is dragged to where its spring
        bears what the command bore: the force must not win because the next one is late.
        """
        self._dragged = self._undragged
        if self._position is None or self._velocity is None:
            return
        position, velocity = self._position - self._period * self._velocity, self._velocity
        reach = self._reach(velocity)
        if not (np.abs(position - state.position) <= reach).all():
            if (np.abs(effort) < self._limit).all():
                spring = self._borne(state, velocity, effort - self._bias)
                near = state.position + np.clip(spring, -reach, reach)
                self._dragged = np.nan_to_num(near - position, posinf=0.0, neginf=0.0)
            return
        own = self._law(state, position, velocity, self._acceleration)
        if (np.abs(own) <= self._limit).all():
            self._bias = self._bias + MEMORY * (effort - own - self._bias)

    def effort(self, state: JointState, step: int) -> Array:
        """Return the effort for a step [N m], shape ``(n,)``; only where ``is_close``.

        :param state: of the robot at its begin.
        """
        q, v = state.position, state.velocity
        if self._floats:
            damping = -STEEPEST / self._stop_time * v
            effort: Array = pin.rnea(self._pin_model, self._data, q, v, damping)
        else:
            position, velocity, acceleration = self._reference(step)
            reach = self._reach(velocity)
            near = q + np.clip(position - q, -reach, reach)
            self._dragged = self._dragged + (near - position)  # by a force
            effort = self._law(state, near, velocity, acceleration)
            effort += self.load(step)
        if (np.abs(effort) <= self._limit).all():
            return effort
        if not np.isfinite(effort).all():
            return np.zeros_like(effort)
        drift = pin.rnea(self._pin_model, self._data, q, v, np.zeros_like(q))
        share = min(1.0, largest_share(drift, effort - drift, self._limit))
        return np.clip(drift + share * (effort - drift), -self._limit, self._limit)

    def _reach(self, velocity: Array) -> Array:
        """Return how far from a reference with a velocity its spring grows [rad], ``(n,)``."""
        reach: Array = MAX_POSITION_ERROR + 0.1 * np.abs(velocity)
        return reach

    def _borne(self, state: JointState, velocity: Array, effort: Array) -> Array:
        """Return how far ahead a reference bears an effort by its spring [rad], ``(n,)``."""
        q, v = state.position, state.velocity
        a = pin.aba(self._pin_model, self._data, q, v, effort)
        a = a - self._acceleration - self._damping * (velocity - v)
        borne: Array = a / self._stiffness
        return borne

    def _coasted(self, step: int) -> float:
        """Return for how long the reference has coasted at a step's begin [s]."""
        return max(0, step - 1 - self._end) * self._period

    def _law(
        self, state: JointState, position: Array, velocity: Array, acceleration: Array
    ) -> Array:
        """Return the effort that takes a state to a reference [N m], shape ``(n,)``."""
        q, v = state.position, state.velocity
        a = acceleration + self._stiffness * (position - q)
        a += self._damping * (velocity - v)
        effort: Array = pin.rnea(self._pin_model, self._data, q, v, a)
        return effort

    def _reference(self, step: int) -> tuple[Array, Array, Array]:
        """Return position, velocity and acceleration of the reference at a step's begin."""
        h, way = self._period, self._way()
        before, now, after = (self._position_after(k, way) for k in (step - 2, step - 1, step))
        velocity = (now - before) / h
        return now + self._dragged, velocity, ((after - now) / h - velocity) / h

    def _way(self) -> _Way:
        """Return what the reference goes on with after the last command."""
        assert self._velocity is not None
        begin, before = self._planned(self._step), self._planned(self._step - 1)
        excess = self._velocity
        if begin is not None and before is not None:
            excess = excess - (begin - before) / self._period
        return _Way(begin, excess, self._end_of(begin))

    def _position_after(self, step: float, way: _Way) -> Array:
        """Return the position of the reference at the end of a step [rad], shape ``(n,)``."""
        assert self._position is not None
        assert self._velocity is not None
        if self._stopped is not None and step > self._stopped:
            passed = (step - self._stopped) * self._period
            step = self._stopped + coasting_time(passed, self._stop_time) / self._period
        time = (step - self._step) * self._period
        if time <= 0.0:
            return self._position + time * self._velocity
        end = way.end
        if step <= end:
            on, there = self._position, self._planned(step)
            if way.begin is not None and there is not None:
                on = on + (there - way.begin)
            return on + coasting_time(time, self._stop_time) * way.excess
        last, before = self._position_after(end, way), self._position_after(end - 1, way)
        coasted = coasting_time((step - end) * self._period, self._stop_time)
        return last + coasted / self._period * (last - before)

    @property
    def _end(self) -> int:
        """Return the last step whose end is planned; that of the last command without a plan."""
        return self._end_of(self._planned(self._step))

    def _end_of(self, begin: Array | None) -> int:
        if begin is None:
            return self._step
        return max(self._step, int(self._plan.end / NANO / self._period + ROUNDING))

    def _planned(self, step: float) -> Array | None:
        """Return the position of the plan at the end of a step [rad], if there is one."""
        setpoint = self._plan.at(self._stamp(step), self._stop_time)
        return None if setpoint is None else setpoint.position

    def _way_planned(self, first: float, last: float) -> Array:
        """Return the way from the end of a step to that of another [rad]; zero without a plan."""
        begin, end = self._planned(first), self._planned(last)
        return self._undragged if begin is None or end is None else end - begin

    def _stamp(self, step: float) -> int:
        return round(step * self._period * NANO)
