"""The documentation is true."""

from pathlib import Path
import re
import runpy
import shlex

import pytest

from simloop_ros.cli.main import main

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / 'README.md', *sorted((ROOT / 'docs').glob('*.md')))
OF_THE_READER = re.compile(r'SCENARIO|my\.urdf|panda\.urdf')
"""In a command: something that the reader has, and this repository has not."""


def commands() -> list[str]:
    """Return every ``simloop run`` in the code blocks of the pages."""
    found = []
    for page in PAGES:
        for block in re.findall(r'```\n(.*?)```', page.read_text(), re.DOTALL):
            lines = block.replace('\\\n', ' ').splitlines()
            found += [line for line in lines if line.startswith('simloop run')]
    return [command for command in found if not OF_THE_READER.search(command)]


def test_page_of_keys_is_current():
    page = runpy.run_path(str(ROOT / 'docs' / 'make_keys.py'))['page']
    assert (ROOT / 'docs' / 'scenarios.md').read_text() == page()


@pytest.mark.parametrize('command', commands())
def test_commands_of_the_pages_run(command, tmp_path, capsys):
    arguments = shlex.split(command, comments=True)[1:]
    assert main([*arguments, '--out', str(tmp_path)]) == 0, capsys.readouterr().err


def test_there_are_commands():
    assert len(commands()) >= 6
