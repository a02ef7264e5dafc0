"""The pages of the documentation, their code blocks and their ``simloop`` commands."""

from __future__ import annotations

from pathlib import Path
import re
import shlex

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md')))


def blocks(page: Path, language: str) -> list[str]:
    """Return the code blocks of a page that are marked with a language; empty for a shell."""
    found = re.findall(r'^```(\w*)\n(.*?)^```', page.read_text(), re.DOTALL | re.MULTILINE)
    return [text for name, text in found if name == language]


def commands(*kinds: str) -> list[str]:
    """Return every ``simloop`` command in the code blocks of the pages, once, without comments.

    :param kinds: only those, for instance ``run``; all if none is given.
    """
    found: list[str] = []
    for page in PAGES:
        for block in blocks(page, ''):
            lines = block.replace('\\\n', ' ').splitlines()
            found += [line for line in lines if line.startswith('simloop ')]
    unique = dict.fromkeys(shlex.join(shlex.split(line, comments=True)) for line in found)
    return [command for command in unique if not kinds or words(command)[0] in kinds]


def words(command: str) -> list[str]:
    """Return the arguments of a command, without redirections."""
    given = shlex.split(command)[1:]
    return given[: given.index('>')] if '>' in given else given
