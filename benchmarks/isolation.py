"""Which link, where, how hard: cost and calibration of isolation.

    python benchmarks/isolation.py [--quick] [--robot NAME] [--beside COMMIT] [--json FILE]

YuMi, LWR, and Panda and UR5 of the PyPI package example-robot-data, each 10 % heavier than its
model, with friction and real encoders, calibrated, run into something: at random links, points,
speeds and stiffnesses, with the friction of the calibration and with 30 % more and less. Judged is
the first location that the detector gives. ``touch``: torques of random forces with the noise that
the calibration says. Prints cost of a call, right links, points, and what was said against what
was right; ``--beside`` judges another commit on the same contacts, in the same run.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
import io
import os
from pathlib import Path
import subprocess
import sys
import tarfile
import tempfile

import msgspec
import numpy as np

from simloop_bench.isolation_contacts import ROBOTS, ContactRobot, calibrated_robot, collision
from simloop_bench.isolation_files import write_collisions
from simloop_bench.isolation_judge import BEYOND, Judged, Said
from simloop_bench.isolation_reliability import (
    calibration_error,
    expected_error,
    log_score,
    reliability,
)

HERE = Path(__file__).resolve().parent
FRICTIONS = {'as calibrated': 1.0, 'friction +30 %': 1.3, 'friction -30 %': 0.7}
CALIBRATION_SEED, COLLISION_SEED = 1, 400_000
"""Nothing was ever fitted to collisions from this seed on."""


class Size(msgspec.Struct, frozen=True):
    """How much is simulated.

    :ivar calibration: free motion of each robot [s].
    :ivar collisions: of each robot and condition, in the order of ``FRICTIONS``.
    """

    calibration: float = 180.0
    collisions: tuple[int, ...] = (120, 60, 60)
    touches: int = 400
    rounds: int = 12


QUICK = Size(calibration=120.0, collisions=(6, 3, 3), touches=20, rounds=3)


def simulate(folder: Path, robots: Iterable[str], size: Size) -> None:
    """Write calibrations and collisions of robots that are not there yet into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in robots:
        if (folder / f'{name}.yaml').exists():
            continue
        learnt = calibrated_robot(name, size.calibration, CALIBRATION_SEED)
        for i, (label, friction) in enumerate(FRICTIONS.items()):
            seed = COLLISION_SEED + 10_000 * i
            robot = ContactRobot(name, friction)
            rows = [collision(robot, seed + k) for k in range(size.collisions[i])]
            write_collisions(folder / f'{name}_{label}.npz', rows)
            _tell(f'{name}: {size.collisions[i]} collisions, {label}')
        (folder / f'{name}.yaml').write_bytes(msgspec.yaml.encode(learnt))


def judged(folder: Path, tree: Path, size: Size) -> Judged:
    """Return what the package in a source tree says about the contacts in a folder."""
    environment = {
        **os.environ,
        'PYTHONPATH': os.pathsep.join((str(tree), str(HERE))),
        'OPENBLAS_NUM_THREADS': '1',
    }
    command = [sys.executable, '-m', 'simloop_bench.isolation_judge', str(folder.resolve())]
    command += [str(size.touches), str(size.rounds)]
    done = subprocess.run(command, env=environment, cwd=tree, stdout=subprocess.PIPE, check=True)
    return msgspec.json.decode(done.stdout, type=Judged)


def unpack(commit: str, folder: Path) -> Path:
    """Write the files of a commit into a folder; return it."""
    packed = subprocess.run(
        ['git', 'archive', commit], cwd=HERE.parent, stdout=subprocess.PIPE, check=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter='data')
    return folder


def cost_table(versions: dict[str, Judged]) -> None:
    """Print the cost of a call."""
    print('\nprocessor time, best of several rounds\n')
    print('| robot | version | a call, mean [ms] | slowest contact [ms] | mean over `rnea` |')
    print('|---|---|---|---|---|')
    for version, own in versions.items():
        for each in own.timed:
            print(
                f'| {each.robot} | {version} | {1e3 * each.mean:.2f} | {1e3 * each.slowest:.2f} '
                f'| {each.mean / each.rnea:.0f} |'
            )


def share_table(versions: dict[str, Judged]) -> None:
    """Print right links and points of each robot and condition, and of all."""
    print(
        '\n| version | robot | condition | contacts (untold) | right link (or its neighbour) '
        '| said, mean | calibration error (by chance) | log score | point, median / p90 [mm] '
        '| force, median |'
    )
    print(f'|{"---|" * 10}')
    for version, own in versions.items():
        counted = [each for each in own.said if each.depth > BEYOND]
        robots = list(dict.fromkeys(each.robot for each in counted))
        conditions = list(dict.fromkeys(each.condition for each in counted))
        for robot in (*robots, 'all'):
            for condition in conditions:
                chosen = [
                    each
                    for each in counted
                    if each.condition == condition and robot in ('all', each.robot)
                ]
                untold = sum(
                    own.untold.get(f'{each} {condition}', 0)
                    for each in robots
                    if robot in ('all', each)
                )
                if chosen:
                    print(f'| {version} | {robot} | {condition} | {_row(chosen, untold)} |')


def reliability_table(versions: dict[str, Judged]) -> None:
    """Print what was said against what was right."""
    print('\n| version | condition | said | contacts | said, mean | right |')
    print('|---|---|---|---|---|---|')
    for version, own in versions.items():
        for condition, said in by_condition(own).items():
            for each in reliability(said):
                print(
                    f'| {version} | {condition} | {each.low:.2f} to {each.high:.2f} '
                    f'| {each.count} | {100 * each.said:.1f} % '
                    f'| {100 * each.right:.1f} +- {100 * each.error:.1f} % |'
                )


def by_condition(own: Judged) -> dict[str, list[Said]]:
    """Return what was said about links beyond the second joint, also of all collisions."""
    counted = [each for each in own.said if each.depth > BEYOND]
    found: dict[str, list[Said]] = {
        'all collisions': [e for e in counted if e.condition != 'touch']
    }
    for each in counted:
        found.setdefault(each.condition, []).append(each)
    return found


def _row(said: Sequence[Said], untold: int) -> str:
    bins = reliability(said)
    right, near = np.mean([e.right for e in said]), np.mean([e.near for e in said])
    places = [1e3 * e.place for e in said if e.right and e.place is not None] or [np.nan]
    sizes = [e.size for e in said if e.right and e.size is not None] or [np.nan]
    return ' | '.join(
        (
            f'{len(said)} ({untold})',
            f'{100 * right:.1f} % ({100 * near:.1f} %)',
            f'{100 * np.mean([e.probability for e in said]):.1f} %',
            f'{100 * calibration_error(bins):.1f} % ({100 * expected_error(bins):.1f} %)',
            f'{log_score(said):.3f}',
            f'{np.median(places):.0f} / {np.quantile(places, 0.9):.0f}',
            f'{np.median(sizes):.2f}',
        )
    )


def study(
    robots: Sequence[str], size: Size, beside: str | None = None, kept: Path | None = None
) -> dict[str, Judged]:
    """Simulate the contacts and let each version judge them.

    :param kept: folder of contacts that are kept.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        contacts = kept or folder / 'contacts'
        simulate(contacts, robots, size)
        trees = {'this': HERE.parent}
        if beside:
            trees[beside] = unpack(beside, folder / 'tree')
        return {label: judged(contacts, tree, size) for label, tree in trees.items()}


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--quick', action='store_true', help='a few contacts: does it run at all?')
    parser.add_argument('--robot', choices=ROBOTS, action='append', help='only this one')
    parser.add_argument('--beside', metavar='COMMIT', help='judge this commit too')
    parser.add_argument(
        '--contacts', metavar='DIR', type=Path, help='keep contacts there; take those that are'
    )
    parser.add_argument('--json', metavar='FILE', type=Path, help='write all that was said')
    options = parser.parse_args()
    size = QUICK if options.quick else Size()
    versions = study(options.robot or ROBOTS, size, options.beside, options.contacts)
    if options.json:
        options.json.write_bytes(msgspec.json.encode(versions))
    cost_table(versions)
    share_table(versions)
    reliability_table(versions)
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
