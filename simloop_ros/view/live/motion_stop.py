"""The stop button of a live run, and how its motion goes on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...assembly.motion import Motion
from ...core.errors import ConfigError
from ...core.values import NO_INPUTS, Array, JointState
from ...goals.goal import AnyGoal, CancelCommand, JointsGoal, PauseCommand, ResumeCommand
from ...goals.goal_planner import GoalPlanner
from ...goals.goal_status import GoalState
from ...planning.planner import HaltablePlanner, Planner
from ...robot.model import RobotModel

HALTED = 'halted from the page'
LONGEST = 30.0
"""Longest rest of a motion whose end is looked for [s]."""
REST_SPEED = 1e-4
"""Speed below which a planned motion has ended [rad/s], for ``REST_TIME`` [s]."""
REST_TIME = 0.1
ANSWERS = ('done', 'refused')
"""What becomes of commands, and of goals that change nothing."""


class StopOutcome(NamedTuple):
    """What was done.

    :ivar said: a line for the person.
    :ivar command: that a scenario can have in its goals; ``None`` where there is none for it.
    :ivar unrepeatable: what was done beside, that a scenario cannot say.
    """

    said: str
    command: AnyGoal | None = None
    unrepeatable: str = ''


class MotionStop:
    """Stops a motion along its way, and lets it go on.

    A robot that goes to a goal is paused. Another motion is given up and, to go on, the robot goes
    straight to where that would have ended. Two hands halt together. A robot that reacts to a
    contact comes to rest by its reaction.

    :param period: of a step [s].
    """

    def __init__(self, motion: Motion, model: RobotModel, period: float):
        self._motion = motion
        self._model = model
        self._h = period

    def halt(self) -> StopOutcome:
        """Let the robot come to rest.

        :raises ConfigError: it does not move.
        """
        goals, reactive, base = (
            self._motion.goal_planner,
            self._motion.reactive,
            self._motion.base,
        )
        if reactive is not None and reactive.activity != 'moving':
            if reactive.activity == 'resting':
                raise ConfigError('stop: the robot rests already, after a contact')
            reactive.stop()
            return StopOutcome('the robot stops and is held', None, 'a reaction was stopped')
        if goals is None:
            if not isinstance(base, HaltablePlanner):
                raise ConfigError('stop: this motion cannot be stopped; pause it')
            base.halt(HALTED)
            return StopOutcome('both arms stop along their path', None, 'both arms were halted')
        if phase_of(goals) == 'active':
            return self._tell(PauseCommand(at=self._at(goals)), 'the robot stops along its way')
        if goals.taken_over:
            raise ConfigError('stop: the robot has stopped already')
        return self._tell(CancelCommand(at=self._at(goals)), 'the robot stops')

    def resume(self, control: JointState) -> StopOutcome:
        """Let the robot go on.

        :param control: state of the control simulation.
        :raises SimloopError: it cannot, with the reason.
        """
        goals, reactive, base = (
            self._motion.goal_planner,
            self._motion.reactive,
            self._motion.base,
        )
        if reactive is not None and reactive.activity != 'moving':
            if not self._motion.resume(control):
                return StopOutcome(
                    'the robot comes to rest first: then resume again',
                    None,
                    'a reaction was stopped',
                )
            return StopOutcome('the robot goes on', None, 'the motion was resumed after a contact')
        if goals is None:
            return self._restart(base)
        if phase_of(goals) == 'paused':
            return self._tell(ResumeCommand(at=self._at(goals)), 'the robot goes on')
        if not goals.taken_over or phase_of(goals):
            raise ConfigError('resume: the robot is not stopped')
        end = end_of(goals.base, self._h)
        positions = dict(zip(self._model.joint_names, end.tolist(), strict=True))
        return self._tell(
            JointsGoal(at=self._at(goals), positions=positions),
            'the robot goes straight to the end of its motion',
        )

    def _at(self, goals: GoalPlanner) -> float:
        return goals.count * self._h

    def _tell(self, command: AnyGoal, said: str) -> StopOutcome:
        goals = self._motion.goal_planner
        assert goals is not None
        reply = goals.submit(command)
        if not reply.accepted:
            raise ConfigError(reply.reason)
        return StopOutcome(said, command)

    def _restart(self, base: Planner) -> StopOutcome:
        if not isinstance(base, HaltablePlanner):
            raise ConfigError('resume: this motion cannot be stopped')
        here = base.expected.position
        if not base.resting:
            raise ConfigError('resume: both arms move, or are not at rest yet')
        if not base.restart(JointState(here, np.zeros_like(here))):
            raise ConfigError('resume: both arms cannot go on from here; go back, or reset')
        return StopOutcome('both arms go on', None, 'both arms were resumed')


def phase_of(goals: GoalPlanner) -> GoalState | None:
    """Return what became of the last goal; ``None`` without any."""
    states = (change.state for change in reversed(goals.changes()))
    return next((state for state in states if state not in ANSWERS), None)


def end_of(planner: Planner, period: float) -> Array:
    """Return where a motion ends if nothing disturbs it [rad], shape ``(n,)``.

    :param period: of a step [s].
    :raises ConfigError: it does not end.
    """
    before = planner.snapshot()
    quiet, needed = 0, round(REST_TIME / period)
    for _ in range(round(LONGEST / period)):
        planner.step(planner.expected, NO_INPUTS)
        speed = float(np.abs(planner.expected.velocity).max())
        quiet = quiet + 1 if speed < REST_SPEED else 0
        if quiet > needed:
            break
    end = planner.expected.position
    planner.restore(before)
    if quiet <= needed:
        raise ConfigError(f'resume: this motion does not end within {LONGEST:g} s; reset')
    return end
