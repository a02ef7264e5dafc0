"""The documentation is true."""

import json
from pathlib import Path
import re
import runpy
import shlex

import pytest

from simloop_ros.cli.main import main
from simloop_ros.record.verdict import EXIT_STATUS

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / 'README.md', *sorted((ROOT / 'docs').glob('*.md')))
OF_THE_READER = re.compile(r'SCENARIO|my\.urdf|panda\.urdf')
"""In a command: something that the reader has, and this repository has not."""
FAILING = {
    'sphere_collision': 'missed',
    'yumi_collision': 'stopped',
    'control.law=pd_gravity': 'missed',
    'name: shelf': 'missed',
}
"""Part of a command -> how its run ends, if that is not with success."""


def commands() -> list[tuple[str, ...]]:
    """Return the arguments of every ``simloop run`` in the code blocks of the pages, once."""
    found: list[str] = []
    for page in PAGES:
        for block in re.findall(r'```\n(.*?)```', page.read_text(), re.DOTALL):
            lines = block.replace('\\\n', ' ').splitlines()
            found += [line for line in lines if line.startswith('simloop run')]
    known = [command for command in found if not OF_THE_READER.search(command)]
    return list(dict.fromkeys(tuple(shlex.split(line, comments=True)[1:]) for line in known))


def test_page_of_keys_is_current():
    page = runpy.run_path(str(ROOT / 'docs' / 'make_keys.py'))['page']
    assert (ROOT / 'docs' / 'scenarios.md').read_text() == page()


@pytest.mark.parametrize('command', commands())
def test_commands_of_the_pages_run_for_a_moment(command, tmp_path, capsys):
    short = ['--set', 'duration=0.1', '--out', str(tmp_path)]
    if not any(argument.startswith('graphs=') for argument in command):
        short += ['--set', 'graphs=[]']
    assert main([*command, *short]) == 0, capsys.readouterr().err


@pytest.mark.long  # minutes: whole runs, whose laws have tests of their own
@pytest.mark.parametrize('command', commands())
def test_commands_of_the_pages_run_to_their_end(command, tmp_path, capsys):
    words, folder = ' '.join(command), tmp_path / 'out'
    found = main([*command, '--out', str(folder)])
    status = json.loads((folder / 'summary.json').read_text())['status']
    wanted = [end for part, end in FAILING.items() if part in words] or ['reached', 'ended']
    assert status in wanted, capsys.readouterr().err
    assert found == EXIT_STATUS[status]


def test_there_are_commands():
    assert len(commands()) >= 6
