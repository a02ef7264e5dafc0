"""The documentation is true: its commands run, its snippets run, its links lead somewhere."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import files
import json
import os
from pathlib import Path
import re
import runpy
import subprocess
import sys
from typing import Any

import numpy as np
from pages import PAGES, ROOT, blocks, commands, words
import pytest
import xacro

from simloop_ros.cli.commands import COMMANDS
from simloop_ros.cli.launch import planned
from simloop_ros.cli.main import main, make_parser
from simloop_ros.cli.move import read_goal
from simloop_ros.cli.standin import contract_and_plant
from simloop_ros.core.resources import resource_folder
from simloop_ros.drivers.loading import read_faults
from simloop_ros.drivers.stand_in import StandIn
from simloop_ros.record.verdict import EXIT_STATUS
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.ros.launch.wiring import wire
from simloop_ros.scenario.robot_files import robot_config
from simloop_ros.teaching.task_file import find_task

MADE = runpy.run_path(str(ROOT / 'docs' / 'make_reference.py'))
SHORT = {'bench': ['--quick'], 'calibrate': ['--duration', '120']}
"""Commands that take minutes -> what makes them as short as they can be."""
DESCRIPTIONS = {
    'panda.urdf': 'panda_description/urdf/panda.urdf',
}
"""Descriptions of robots that a reader has -> what takes their place."""
PLAYED = ('standin', 'connect')
"""Commands that need each other; ``nodes/test_drivers.py`` runs such."""
TO_A_GRAPH = ('move', 'payload')
"""Commands that need a graph that is up; ``test/nodes`` runs such."""
FROM_LOGS = ('identify', 'excite', 'replay')
"""Commands about logs that a reader has, or that take a while; ``test/cli`` runs such."""
ENDLESS = ('view',)
"""Commands that run until Ctrl-C; ``test/cli/test_view.py`` runs such."""
ELSEWHERE = (PLAYED, TO_A_GRAPH, FROM_LOGS, ENDLESS, SHORT)
NEEDS_A_RUN = re.compile(r'simloop (plot|robotstudio|teach) ')
FAILING = {
    'irb120_around --set planner.kind=offline': 'missed',
    'sphere_collision': 'missed',
    'yumi_collision': 'stopped',
    'control.law=pd_gravity': 'missed',
    'name: shelf': 'missed',
    '--out runs/pushed': 'missed',
}
"""Part of a command -> how its run ends, if that is not with success."""


@pytest.fixture(scope='module', autouse=True)
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder with the files of a reader: a robot, and the YAML files of the pages."""
    folder = tmp_path_factory.mktemp('desk')
    robot = xacro.process_file(str(resource_folder('urdf') / 'irb120.urdf.xacro')).toxml()
    (folder / 'my_robot.urdf').write_text(robot)
    for name, file in DESCRIPTIONS.items():
        found = next(f for f in files('example-robot-data') or [] if str(f).endswith(file))
        (folder / name).symlink_to(str(found.locate()))
    (folder / 'task.yaml').write_text(find_task('lwr_led').read_text())
    for page in PAGES:
        for block in blocks(page, 'yaml'):
            name = re.match(r'# (\w+\.yaml)\n', block)
            if name:
                (folder / name[1]).write_text(block)
    before = Path.cwd()
    os.chdir(folder)
    _make_robots()
    yield folder
    os.chdir(before)


def _make_robots() -> None:
    """Write the descriptions that the pages of robots make from others'."""
    for page in sorted((ROOT / 'docs' / 'robots').glob('*.md')):
        for block in blocks(page, 'python'):
            exec(compile(block, str(page), 'exec'), {'__name__': 'snippet'})


def test_pages_of_the_reference_are_current() -> None:
    """``python docs/make_reference.py`` writes them."""
    for path, text in MADE['made']().items():
        assert path.read_text() == text, path


def run_shortly(command: str, out: Path) -> int:
    given = words(command)
    short = ['--set', 'duration=0.1', '--out', str(out)]
    if not any(argument.startswith('graphs=') for argument in given):
        short += ['--set', 'graphs=[]']
    return main([*given, *short])


@pytest.mark.parametrize('command', commands('run'))
def test_runs_of_the_pages_run_for_a_moment(command: str, tmp_path: Path, capsys: Any) -> None:
    """A run that is shorter than its motion has ended, and not missed its goal."""
    assert run_shortly(command, tmp_path / 'out') == 0, capsys.readouterr().err
    summary = json.loads((tmp_path / 'out' / 'summary.json').read_text())
    assert set(summary) <= set(MADE['SUMMARY_KEYS'])


@pytest.mark.parametrize('command', commands('launch'))
def test_graphs_of_the_pages_can_be_wired(command: str) -> None:
    """Most run in ``nodes/test_graphs_of_the_pages.py``; some need a robot."""
    given = words(command)
    scenario, wiring = planned(make_parser('launch').parse_args(given))
    assert len(wire(scenario, wiring)) >= 2 + wiring.simulated


@pytest.mark.parametrize(
    'command',
    commands(
        *set(COMMANDS) - {'run', 'launch', *PLAYED, *TO_A_GRAPH, *FROM_LOGS, *ENDLESS, *SHORT}
    ),
)
def test_other_commands_of_the_pages(command: str, capsys: Any) -> None:
    given = words(command)
    if NEEDS_A_RUN.match(command):
        folder = next(argument for argument in given if argument.startswith('runs/'))
        if given[0] == 'teach':
            _lead(folder)
        elif not Path(folder).exists():
            robot = 'irb120_rectangle' if given[0] == 'robotstudio' else 'sphere_step'
            assert run_shortly(f'simloop run {robot}', Path(folder)) == 0
        if given[0] == 'robotstudio' and '--dry-run' not in given:
            given.append('--dry-run')
    assert main(given) == 0, capsys.readouterr().err


def _lead(folder: str) -> None:
    """Run what the pages write to a folder, in few steps, but all of it: a hand takes its time."""
    made = [each for each in commands('run') if each.endswith(f'--out {folder}')]
    command = made[0] if made else f'simloop run {Path(folder).name} --out {folder}'
    if not Path(folder).exists():
        few = ('--set', 'period=0.005', '--set', 'graphs=[]')
        assert main([*words(command), *few]) in (0, 1)


@pytest.mark.parametrize('command', commands(*PLAYED))
def test_drivers_of_the_pages_can_be_played(command: str) -> None:
    given = words(command)
    options = make_parser(given[0]).parse_args(given)
    contract, plant = contract_and_plant(options)
    if given[0] == 'standin':
        model = load_fit_robot(robot_config(options.robot))
        faults, rng = read_faults(options.faults), np.random.default_rng(0)
        assert StandIn(contract, model, plant, faults, rng).state().position.size


@pytest.mark.parametrize('command', commands('move'))
def test_goals_of_the_pages_are_valid(command: str) -> None:
    assert read_goal(make_parser('move').parse_args(words(command))).kind


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.stem)
def test_snippets_of_the_pages_run(page: Path) -> None:
    for block in blocks(page, 'python'):
        if 'import' in block:
            exec(compile(block, str(page), 'exec'), {'__name__': 'snippet'})


@pytest.mark.parametrize('command', commands(*SHORT, *TO_A_GRAPH, *FROM_LOGS, *ENDLESS))
def test_arguments_of_long_commands_are_valid(command: str) -> None:
    given = words(command)
    assert make_parser(given[0]).parse_args(given).command == given[0]


@pytest.mark.long
@pytest.mark.parametrize('command', commands(*SHORT))
def test_long_commands_of_the_pages_run_in_their_short_form(command: str, capsys: Any) -> None:
    given = words(command)
    if '--trace' in given:
        path = Path(given[given.index('--trace') + 1])
        path.parent.mkdir(exist_ok=True)
        path.write_text('{"plant": [[0.6, 0.62]]}')
    status = main([*given, *SHORT[given[0]]])
    shown = capsys.readouterr()
    # Times are limited too, and a busy machine misses those limits.
    assert status in ((0, 1) if given[0] == 'bench' else (0,)), shown.out + shown.err
    assert not shown.err


@pytest.mark.long  # minutes: whole runs, whose laws have tests of their own
@pytest.mark.parametrize('command', commands('run'))
def test_runs_of_the_pages_run_to_their_end(command: str, tmp_path: Path, capsys: Any) -> None:
    found = main([*words(command), '--out', str(tmp_path / 'out')])
    status = json.loads((tmp_path / 'out' / 'summary.json').read_text())['status']
    expected = [end for part, end in FAILING.items() if part in command] or ['reached', 'ended']
    assert status in expected, capsys.readouterr().err
    assert found == EXIT_STATUS[status]


def test_there_are_commands_of_most_kinds() -> None:
    assert len(commands()) >= 30
    assert {words(command)[0] for command in commands()} >= set(COMMANDS) - {'completion'}


def test_brackets_in_commands_are_quoted() -> None:
    """``zsh`` takes them for patterns."""
    for page in PAGES:
        assert not re.findall(r'--set [\w.]+=[\[{]', page.read_text()), page


def test_the_site_builds_and_every_link_anchor_and_image_exists(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, '-m', 'mkdocs', 'build', '--strict', '--site-dir', str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / 'tutorials' / 'first_run.html').is_file()


@pytest.mark.parametrize('page', [ROOT / 'README.md', ROOT / 'benchmarks' / 'README.md'])
def test_links_of_pages_beside_the_site_lead_to_files(page: Path) -> None:
    links = re.findall(r'\]\(([^)#\s]+)', page.read_text())
    for link in links:
        assert link.startswith('https://') or (page.parent / link).exists(), link


def test_documents_are_cited_by_links() -> None:
    """Headings, code and names of links aside, 000 to 004 are links to the list of references."""
    aside = r'^```.*?^```|^ {4}[^\n]*$|^#[^\n]*$|`[^`]*`|\[[^\]]*\]\([^)]*\)'
    bare = re.compile(r'(?<![\w.,\[#])(?<!\d )00[0-4](?![\w\]]|[.,]\d)')
    for page in PAGES[1:]:
        text = re.sub(aside, '', page.read_text(), flags=re.DOTALL | re.MULTILINE)
        if page.name != 'references.md':
            assert not bare.findall(text), page
