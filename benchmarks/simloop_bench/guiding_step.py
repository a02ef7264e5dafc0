"""A step of the admittance by itself: what it costs, and that changed parameters make no bump."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from simloop_ros.guiding.config import AdmittanceConfig
from simloop_ros.guiding.guidance import Guidance
from simloop_ros.guiding.joint_admittance import Admittance, AdmittanceState
from simloop_ros.maths.discretisation import Parameters
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.robot_files import robot_config

from .bare import Candidate
from .timing import best_of

PERIOD = 0.002
MOMENT = 1e-12
"""Time after a change at which nothing can have happened yet, but a bump [s]."""
PUSHED = 50
"""Steps of a push before the change."""
FACTOR = 10.0


class Bump(msgspec.Struct, frozen=True):
    """Largest jump in position [rad] and in velocity [rad/s]."""

    position: float
    velocity: float


def bump(count: int, seed: int) -> Bump:
    """Return the largest jump when parameters change tenfold in the middle of random pushes.

    What a step of ``MOMENT`` moves a joint by beyond ``e' t`` and ``e'' t``: once with all
    parameters changed at once, once by ``Guidance.configure``.
    """
    model = load_fit_robot(robot_config('lwr'))
    n, rng = model.n, np.random.default_rng([seed, 6])
    largest = np.zeros(2)
    for _ in range(count):
        ratio = FACTOR ** rng.choice([-1.0, 0.0, 1.0], 3)
        torque = rng.normal(size=n) * 10.0 ** rng.uniform(0.0, 1.5)
        config = AdmittanceConfig(
            mass=float(rng.uniform(0.1, 1.0)),
            damping=float(rng.uniform(5.0, 50.0)),
            stiffness=float(rng.uniform(0.0, 100.0)),
            stuck_time=np.inf,
        )
        changed = msgspec.structs.replace(
            config,
            mass=float(ratio[0]) * config.mass,
            damping=float(ratio[1]) * config.damping,
            stiffness=float(ratio[2]) * config.stiffness,
        )
        guidance = Guidance(model, config, PERIOD)
        for _ in range(PUSHED):
            guidance.step(model.home, torque)
        state, p = guidance.snapshot().state, guidance.parameters
        guidance.configure(changed)
        after = Guidance(model, changed, MOMENT)
        after.restore(guidance.snapshot())
        guided = after.step(model.home, torque)
        away = after.deflection
        own = guided.acceleration * MOMENT
        for position, velocity in (
            (away.position, away.velocity - own),
            _at_once(state, p, ratio, torque),
        ):
            jump = position - state.deflection - MOMENT * state.velocity
            largest[0] = max(largest[0], np.abs(jump).max())
            largest[1] = max(largest[1], np.abs(velocity - state.velocity).max())
    return Bump(float(largest[0]), float(largest[1]))


def _at_once(
    state: AdmittanceState, p: Parameters, ratio: np.ndarray, torque: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return deflection and velocity, less its own change, a moment after all has changed."""
    new = Parameters(ratio[0] * p.mass, ratio[1] * p.damping, ratio[2] * p.stiffness)
    end = Admittance(MOMENT).step(state, new, torque)
    return end.state.deflection, end.state.velocity - MOMENT * end.acceleration


def step_costs(quick: bool, progress: Callable[[float], None]) -> dict[str, float]:
    """Return the cost of a step for the seven joints of the LWR [us].

    ``step_us``: the admittance with constant parameters; ``changing_us``: with others in every
    step; ``guidance_us``, ``touched_us``: everything, with dead zone, adaptation, tanks and
    limits, untouched and while it adapts.
    """
    rounds, steps = (2, 100) if quick else (25, 2000)
    model = load_fit_robot(robot_config('lwr'))
    candidates: dict[str, Candidate] = {
        'step_us': _constant(model.n, steps),
        'changing_us': _changing(model.n, steps),
        'guidance_us': _guided(Guidance(model, AdmittanceConfig(), PERIOD), 0.0, steps),
        'touched_us': _guided(Guidance(model, AdmittanceConfig(), PERIOD), 5.0, steps),
    }
    total, done = rounds * len(candidates), 0

    def count() -> None:
        nonlocal done
        done += 1
        progress(done / total)

    return {name: 1e6 * cost for name, cost in best_of(candidates, rounds, count).items()}


def _parameters(n: int, share: float) -> Parameters:
    return Parameters(np.full(n, 0.2), np.full(n, 10.0 + share), np.full(n, 40.0 - share))


def _constant(n: int, steps: int) -> Candidate:
    admittance, torque, parameters = Admittance(PERIOD), np.ones(n), _parameters(n, 0.0)

    def run() -> int:
        state = AdmittanceState(np.zeros(n), np.zeros(n))
        for _ in range(steps):
            state = admittance.step(state, parameters, torque).state
        return steps

    return run


def _changing(n: int, steps: int) -> Candidate:
    admittance, torque = Admittance(PERIOD), np.ones(n)
    each = [_parameters(n, 30.0 * i / steps) for i in range(steps)]

    def run() -> int:
        state = AdmittanceState(np.zeros(n), np.zeros(n))
        for parameters in each:
            state = admittance.step(state, parameters, torque).state
        return steps

    return run


def _guided(guidance: Guidance, torque: float, steps: int) -> Candidate:
    """Return the steps of a robot that is pushed to and fro, so that it never stops adapting."""
    home, memory = np.zeros(7), guidance.snapshot()
    pushes = [
        torque * np.sin(0.05 * i + np.arange(7.0)) * (i // 50 % 2 == 0) for i in range(steps)
    ]

    def run() -> int:
        guidance.restore(memory)
        for push in pushes:
            guidance.step(home, push)
        return steps

    return run
