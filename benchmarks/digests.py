"""Digest of every shipped scenario, in process and composed: is this version bitwise that one?

    python benchmarks/digests.py --write before.json        # at one commit
    python benchmarks/digests.py --compare before.json      # at another one: lists what differs

A digest is the SHA-256 over the logged arrays of a run. Scenarios that leave the period open run
at 1/200 s and 1/2000 s, those with calibrations for two periods at both. ``VARIANTS`` adds noise,
model errors and every reaction. ``--simloop`` runs another installation.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
import json
import os
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile
from typing import Any

HERE = Path(__file__).resolve().parent
NEEDED = {'step': ('robot=two_link', 'planner.move=[[0.1, 0, 0.1]]')}
"""What has to be added to a shipped scenario before it runs."""
OPEN_PERIODS = ('0.005', '0.0005')
TWO_CALIBRATIONS = ('yumi_collision', 'yumi_clamp')
SECOND_PERIOD = '0.0005'
REACTIONS = ('none', 'stop', 'hold', 'retreat', 'float', 'comply')
DISTURBED = ('plant.mass_bias=0.1', 'plant.noise=1e-5', 'seed=7')
VARIANTS = {
    **{
        f'{name} disturbed': (name, *DISTURBED)
        for name in ('sphere_step', 'yumi_step', 'yumi_offline', 'irb120_rectangle')
    },
    **{
        f'{name} {kind}': (name, f'monitor.reaction={kind}', f'monitor.push={kind}')
        for name in ('sphere_collision', 'yumi_collision', 'yumi_clamp')
        for kind in REACTIONS
    },
    'yumi_collision resume': ('yumi_collision', 'monitor.resume_after=0.3', 'duration=8'),
    'yumi_step late': ('yumi_step', 'plant.delay=1', 'control.law=computed_torque'),
    'yumi_step pid': ('yumi_step', 'control.law=pid', 'plant.friction.coulomb=0.2'),
    'lwr_tcp truth': ('lwr_tcp', 'admittance.source=truth', 'plant.noise=1e-6'),
    'workerbot_carry lost': (
        'workerbot_carry',
        'plant.sensors={noise: 0.5, faults: [{tip: palm_l, start: 2.0, kind: lost}]}',
    ),
}
"""Name -> scenario and settings, in process only."""


def cases(names: list[str]) -> Iterator[tuple[str, str, tuple[str, ...], bool]]:
    """Yield name, scenario, settings, and whether it is composed."""
    for name in names:
        needed = NEEDED.get(name, ())
        text = (HERE.parent / 'config' / 'scenarios' / f'{name}.yaml').read_text()
        periods: tuple[str, ...] = ('',)
        if '\nperiod:' not in text:
            periods = OPEN_PERIODS
        elif name in TWO_CALIBRATIONS:
            periods = ('', SECOND_PERIOD)
        for period in periods:
            settings = (*needed, *((f'period={period}',) if period else ()))
            label = f'{name} {period}'.strip()
            yield label, name, settings, False
            yield f'{label} composed', name, settings, True
    for label, (name, *variant) in VARIANTS.items():
        yield label, name, tuple(variant), False


def digest(
    simloop: str, index: int, case: tuple[str, str, tuple[str, ...], bool]
) -> dict[str, Any]:
    """Return digest, status, number of steps, events and steps at an effort limit of one run."""
    _, name, settings, composed = case
    given = [word for setting in settings for word in ('--set', setting)]
    with tempfile.TemporaryDirectory() as folder:
        command = [simloop, 'launch' if composed else 'run', name, *given, '--out', folder]
        if composed:
            command += ['--composed', '--no-figures']
        else:
            command += ['--set', 'graphs=[]']
        environment = {
            **os.environ,
            'ROS_DOMAIN_ID': str(60 + index % 40),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
        }
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        try:
            summary = json.loads((Path(folder) / 'summary.json').read_text())
        except OSError:
            return {'digest': f'none: {done.stderr.strip().splitlines()[-1:]}'}
        return {
            **{key: summary[key] for key in ('digest', 'status', 'steps')},
            'effort_limited_steps': summary['effort_limited_steps'],
            'events': len(summary['events']),
        }


def main() -> int:
    """Print the digests; with ``--compare``, 1 if any differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--write', metavar='FILE', type=Path, help='write the digests there')
    parser.add_argument(
        '--compare', metavar='FILE', type=Path, help='compare with an earlier file'
    )
    parser.add_argument('--only', metavar='WORD', default='', help='runs whose name has this word')
    parser.add_argument('--workers', metavar='N', type=int, default=2, help='runs at a time [2]')
    parser.add_argument('--in-process', action='store_true', help='without the graphs')
    own = Path(sys.executable).with_name('simloop')
    simloop = str(own) if own.exists() else shutil.which('simloop')
    parser.add_argument('--simloop', metavar='PROGRAM', default=simloop, help='[this one]')
    options = parser.parse_args()
    names = sorted(path.stem for path in (HERE.parent / 'config' / 'scenarios').glob('*.yaml'))
    chosen = [
        case
        for case in cases(names)
        if options.only in case[0] and not (options.in_process and case[3])
    ]
    before = json.loads(options.compare.read_text()) if options.compare else {}
    found: dict[str, Any] = {}
    differing = []
    with ThreadPoolExecutor(options.workers) as pool:
        results = pool.map(lambda i: digest(options.simloop, i, chosen[i]), range(len(chosen)))
        for case, result in zip(chosen, results, strict=True):
            label = case[0]
            found[label] = result
            verdict = ''
            if before:
                same = before.get(label) == result
                verdict = 'same' if same else f'DIFFERS from {before.get(label)}'
                differing += [] if same else [label]
            print(f'{label:32} {result} {verdict}', flush=True)
    composed = [
        label
        for label in found
        if label.endswith(' composed')
        and label.removesuffix(' composed') in found
        and found[label] != found[label.removesuffix(' composed')]
    ]
    if composed:
        print(f'composed is not in process: {", ".join(composed)}')
    if before:
        print(f'{len(found) - len(differing)} of {len(found)} are the same')
    if options.write:
        options.write.write_text(json.dumps(found, indent=1) + '\n')
    return 1 if differing or composed else 0


if __name__ == '__main__':
    raise SystemExit(main())
