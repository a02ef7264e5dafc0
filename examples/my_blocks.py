"""Blocks of your own; in this folder: ``simloop run my_blocks.yaml``."""

import numpy as np

import simloop_ros as sl


class Swing(sl.OfflinePlanner):
    """All joints swing once about the start: ``q = q_0 + A (1 - cos(2 pi t/T))``."""

    def __init__(self, _: sl.RobotModel, h: float, start: sl.JointState, A: float, T: float):
        wave = A * (1.0 - np.cos(np.linspace(0.0, 2.0 * np.pi, round(T / h))))
        super().__init__(start.position + wave[:, None], h)


class Gentle(sl.AccelerationLaw):
    """A share of the acceleration of deadbeat control: ``a = s (v_d - v)/h``."""

    def __init__(self, _: sl.RobotModel, h: float, share: float):
        self.rate = share / h

    def acceleration(self, state: sl.JointState, velocity: np.ndarray) -> np.ndarray:  # noqa: D102
        return self.rate * (velocity - state.velocity)


class Damped(sl.PinocchioPlant):
    """Rigid joints with a viscous damping of 0.3 N m s/rad."""

    def step(self, effort: np.ndarray, *disturbance: sl.Disturbance) -> None:  # noqa: D102
        super().step(effort - 0.3 * self.truth.velocity, *disturbance)


class Difference(sl.Monitor):
    """Contact where ``|tau' - tau|`` is beyond a fifth of the effort limits."""

    def step(self, seen: sl.Observation) -> sl.Reading:  # noqa: D102
        torque = seen.rollback_effort - seen.effort
        margin = 1.0 - float((np.abs(torque) / (0.2 * self.model.effort_limit)).max())
        return sl.Reading(torque, torque, 'contact' if margin < 0.0 else 'free', margin)
