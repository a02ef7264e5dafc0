"""Identification: ``python benchmarks/identification.py [--quick] [--data DIR] [--only PART]``.

``coverage``: an LWR with other inertias and friction than its description moves for 20 s; torques
and positions have noise. In how many of 100 cases is the true value of a parameter within its
95 % interval? ``payload``: the LWR, simulated with friction and encoder noise, carries a known
mass for 5 s. ``data``: logs of real robots, fitted on their first half and judged on the second,
if ``--data`` names their folder. The exit status is 1 if a figure is beyond its limit.
"""

from __future__ import annotations

import argparse
from pathlib import Path
import tempfile

import msgspec
import numpy as np
import pinocchio as pin

from simloop_ros.assembly.plant import build_simulated_robot
from simloop_ros.calibration.following import follow
from simloop_ros.cli.main import main as simloop
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.values import Array
from simloop_ros.identification.excitation import ExcitingMotion, exciting_motion
from simloop_ros.identification.identify import identify
from simloop_ros.identification.motion import Stretch
from simloop_ros.identification.payload import identify_payload
from simloop_ros.identification.regression import known_parameters
from simloop_ros.robot.config import Payload
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.robot_files import robot_config

PERIOD = 0.002
"""Time between two samples of the simulated logs [s]."""
TORQUE_NOISE, ENCODER_NOISE = 0.2, 2e-5
"""Standard deviations of the noise [N m], [rad]."""
INTERVAL = 1.96
"""Standard errors of a 95 % interval."""
LEAST_COVERAGE, LEAST_OF_ONE = 0.93, 0.85
"""Share of the intervals that must contain the true value, of all parameters and of each one: 100
cases of 95 % are below 85 only once in 10 000."""
MASSES = (0.25, 0.5, 1.0)
TRIALS = 3
"""Motions with each payload."""
CENTRE = (0.03, -0.02, 0.06)
MASS_ERROR, CENTRE_ERROR = 0.03, 0.01
"""Largest error of a payload: share of its mass, and distance of its centre [m]."""
PANDA_LIMIT, PHASE_LIMIT = 0.35, 1.25
"""Largest held-out rms of the 1 kHz Panda [N m], and factor above the zero-phase fit."""
PANDA_MAP = """
joints: [panda_joint1, panda_joint2, panda_joint3, panda_joint4, panda_joint5, panda_joint6,
  panda_joint7]
time: {file: time.txt}
position: {file: positions.txt, layout: stacked}
velocity: {file: velocity.txt, layout: stacked}
effort: {file: torques.txt, layout: stacked}
"""
BAG_MAP = 'rename: {' + ', '.join(f'fer_joint{i}: panda_joint{i}' for i in range(1, 8)) + '}'
LOGS = {
    'panda 1 kHz': ('panda_1khz', 'panda', PANDA_MAP),
    'panda 30 Hz': ('bags/panda_exciting_trajectory.db3', 'panda', BAG_MAP),
    'ur10 125 Hz': ('bags/ur10_exciting_trajectory.db3', 'ur10', 'topic: /joint_states'),
}


def main() -> int:
    """Measure and print; 1 if a figure is beyond its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--quick', action='store_true', help='8 cases instead of 100')
    parser.add_argument('--seeds', type=int, default=100, help='cases of the coverage')
    parser.add_argument('--data', type=Path, help='folder of the logs of real robots')
    parser.add_argument('--only', choices=('coverage', 'payload', 'data'))
    options = parser.parse_args()
    parts = [options.only] if options.only else ['coverage', 'payload', 'data']
    good = True
    if 'coverage' in parts:
        good &= coverage(8 if options.quick else options.seeds)
    if 'payload' in parts:
        good &= payloads()
    if 'data' in parts and options.data is not None:
        good &= real_logs(options.data)
    return 0 if good else 1


def true_robot(model: RobotModel, rng: np.random.Generator) -> RobotModel:
    """Return the robot with masses, centres and inertias that differ by some ten percent."""
    other = model.copy()
    for joint in range(1, other.pin_model.njoints):
        body = other.pin_model.inertias[joint]
        scale = np.exp(0.15 * rng.normal())
        lever = np.asarray(body.lever) + 0.01 * rng.normal(size=3)
        other.pin_model.inertias[joint] = pin.Inertia(
            scale * body.mass, lever, scale * np.asarray(body.inertia)
        )
    other.pin_model.armature = rng.uniform(0.05, 0.3, model.n)
    return other


def noisy_log(
    model: RobotModel, motion: ExcitingMotion, rng: np.random.Generator
) -> tuple[Stretch, dict[str, Array], RobotModel]:
    """Return a log of a robot that differs from its model, its friction and the robot."""
    robot = true_robot(model, rng)
    n = model.n
    friction: dict[str, Array] = {
        'coulomb': rng.uniform(0.3, 2.0, n),
        'viscous': rng.uniform(0.2, 2.0, n),
        'offset': rng.normal(size=n) * 0.3,
        'armature': np.array(robot.pin_model.armature),
    }
    smoothing = np.exp(rng.uniform(np.log(0.005), np.log(0.03), n))
    time = np.arange(0.0, motion.duration, PERIOD)
    q, v, a = motion.motion(PERIOD)
    q, v, a = (each[: len(time)] for each in (q, v, a))
    data = robot.pin_model.createData()
    torque = np.array([pin.rnea(robot.pin_model, data, *row) for row in zip(q, v, a, strict=True)])
    torque += friction['coulomb'] * np.tanh(v / smoothing) + friction['viscous'] * v
    torque += friction['offset'] + TORQUE_NOISE * rng.normal(size=q.shape)
    return (
        Stretch(0.0, PERIOD, q + ENCODER_NOISE * rng.normal(size=q.shape), torque),
        friction,
        robot,
    )


def coverage(seeds: int) -> bool:
    """Print how often the intervals contain the true values."""
    model = load_fit_robot(robot_config('lwr'))
    motion = exciting_motion(model, 20.0, 0.5, np.random.default_rng(0)).motion
    inside: dict[str, list[tuple[bool, ...]]] = {}
    for seed in range(seeds):
        log, friction, robot = noisy_log(model, motion, np.random.default_rng(1000 + seed))
        found = identify(model, [log])
        kinds = [(j, term.kind) for j, own in enumerate(found.terms) for term in own]
        terms = [friction[kind][j] if kind in friction else 0.0 for j, kind in kinds]
        truth = found.base.of(np.concatenate((known_parameters(robot), terms)))
        for k in range(len(truth)):
            bound = INTERVAL * found.errors[k]
            pair = (
                abs(found.values[k] - truth[k]) <= bound,
                abs(found.free[k] - truth[k]) <= bound,
            )
            inside.setdefault(found.base.names[found.base.base[k]], []).append(pair)
        print(f'\rcoverage: {seed + 1} of {seeds} cases', end='', flush=True)
    print()
    often = {name: pairs for name, pairs in inside.items() if len(pairs) >= 0.5 * seeds}
    shares = {name: np.mean(pairs, axis=0) for name, pairs in often.items()}
    every = np.mean([pair for pairs in inside.values() for pair in pairs], axis=0)
    frictions = [name for name in shares if name.rpartition('.')[2] in ('coulomb', 'viscous')]
    of_friction = np.mean([pair for name in frictions for pair in inside[name]], axis=0)
    print(f'{"":32}{"consistent":>12}{"least squares":>15}')
    print(f'{f"all {len(inside)} parameters":32}{every[0]:12.1%}{every[1]:15.1%}')
    print(f'{"friction":32}{of_friction[0]:12.1%}{of_friction[1]:15.1%}')
    for name in sorted(shares, key=lambda each: shares[each][0])[:5]:
        print(f'{name:32}{shares[name][0]:12.1%}{shares[name][1]:15.1%}')
    worst = min(share[0] for share in shares.values())
    return bool(every[0] >= LEAST_COVERAGE and worst >= LEAST_OF_ONE - (seeds < 50))


class Followed:
    """An exciting motion as ``follow`` takes it."""

    def __init__(self, motion: ExcitingMotion):
        self._motion, self.home = motion, motion.home

    def positions(self, period: float, first: int, count: int) -> Array:
        """Return the positions at the ends of steps [rad], shape ``(count, n)``."""
        return self._motion.positions(period * (first + 1 + np.arange(count)))


def loaded_log(mass: float, seed: int, seconds: float = 5.0) -> tuple[RobotModel, Stretch]:
    """Return the LWR and a log of its plant with a payload that it does not know of."""
    scenario = load_scenario('lwr_goals', ['plant.friction={coulomb: 0.5, viscous: 0.5}'])
    plant = msgspec.structs.replace(scenario.plant, noise=1e-5, resolution=1e-5)
    model = load_fit_robot(scenario.robot)
    body = Payload(mass=mass, tip='flange', centre=CENTRE, inertia=(1e-3, 0, 0, 1e-3, 0, 1e-3))
    robot = load_fit_robot(msgspec.structs.replace(scenario.robot, payloads=(body,)))
    built = build_simulated_robot(plant, robot, PERIOD, seed, scenario.safety)
    config = scenario.control.resolved(noisy=True, flexible=False)
    control = ControlSimulation(model, config, PERIOD)
    motion = Followed(exciting_motion(model, seconds, 0.5, np.random.default_rng(seed)).motion)
    steps = round(seconds / PERIOD)
    try:
        rows = list(follow(control, built.plant, motion, PERIOD, steps))
    finally:
        built.plant.close()
    positions, efforts = (np.array([getattr(r, k) for r in rows]) for k in ('measured', 'effort'))
    return model, Stretch(0.0, PERIOD, positions[:-1], efforts[1:])


def payloads() -> bool:
    """Print the errors of payloads of known mass."""
    print(f'payload after 5 s {"mass [kg]":>10}{"error":>8}{"s.e.":>8}{"centre error [mm]":>20}')
    good = True
    for seed, mass in enumerate(mass for mass in MASSES for _ in range(TRIALS)):
        model, log = loaded_log(mass, seed)
        found = identify_payload(model, [log], 'flange')
        error = found.mass / mass - 1.0
        away = float(np.linalg.norm(found.centre - CENTRE))
        good &= abs(error) <= MASS_ERROR and away <= CENTRE_ERROR
        print(f'{"":18}{mass:10.2f}{error:8.1%}{found.mass_error / mass:8.1%}{1e3 * away:20.1f}')
    return good


def real_logs(folder: Path) -> bool:
    """Print rms errors of the torques of real robots, held out."""
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        mapping = Path(scratch) / 'map.yaml'
        for name, (log, robot, text) in LOGS.items():
            mapping.write_text(text)
            figures = Path(scratch) / 'figures.json'
            arguments = ['identify', str(folder / log), '--robot', robot, '--out', scratch]
            arguments += ['--json', str(figures), '--map', str(mapping)]
            print(f'{name}: simloop {" ".join(arguments[:4])} --map ...')
            assert simloop(arguments) == 0
            found = msgspec.json.decode(figures.read_bytes())
            held, ratio = (np.array(found[k]) for k in ('held_out_rms', 'causal_over_zero_phase'))
            good &= bool((ratio <= PHASE_LIMIT).all())
            good &= name != 'panda 1 kHz' or bool((held <= PANDA_LIMIT).all())
            print(f'causal over zero-phase: {" ".join(f"{x:.2f}" for x in ratio)}')
    return good


if __name__ == '__main__':
    raise SystemExit(main())
