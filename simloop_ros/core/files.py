"""Text files of the user: read within bounds, refused in one line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
import re
from typing import Any

import yaml

from .errors import ConfigError

LARGEST_FILE = 64 * 2**20
"""Size of the largest file that is read [bytes]; the largest URDF in use has about 1 MB."""
LARGEST_YAML = 1_000_000
"""Number of values of the largest YAML, with everything counted as often as it is repeated."""


def read_text(path: Path) -> str:
    """Return the text of a file.

    :raises ConfigError: it is not a file, cannot be read, is far too large, or is not text.
    """
    try:
        if path.exists() and not path.is_file():
            what = 'a folder' if path.is_dir() else 'not a regular file'
            raise ConfigError(f'{path}: {what}; name a file')
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise ConfigError(
                f'{path}: too large: {size / 2**20:.0f} MB, at most {LARGEST_FILE / 2**20:.0f} MB '
                'are read'
            )
        return path.read_text(encoding='utf-8-sig')
    except OSError as error:
        raise ConfigError(f'{path}: cannot be read: {error.strerror}') from error
    except UnicodeDecodeError as error:
        raise ConfigError(
            f'{path}: not a text file in UTF-8: byte {error.start} is not valid'
        ) from error
    except ValueError as error:
        raise ConfigError(f'{path!s:.80}: not the name of a file: {error}') from error


class _Loader(yaml.SafeLoader):
    """YAML 1.1, but ``1e-5`` is a number, as in YAML 1.2, and no key is given twice."""

    def get_single_node(self) -> yaml.Node | None:
        """Return the document, once it is known to be finite, small, and without double keys."""
        node: yaml.Node | None = super().get_single_node()
        if node is not None and _size(node, {}) > LARGEST_YAML:
            raise yaml.YAMLError(
                f'its anchors and aliases expand to more than {LARGEST_YAML} values'
            )
        return node


_Loader.add_implicit_resolver(
    'tag:yaml.org,2002:float',
    re.compile(r'^[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$'),
    list('-+.0123456789'),
)


def load_yaml(text: str) -> Any:
    """Return the value of a text in YAML.

    :raises ConfigError: with the reason, and the line where it is known.
    """
    try:
        return yaml.load(text, _Loader)
    except RecursionError as error:
        raise ConfigError('not valid YAML: nested too deep') from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f'line {mark.line + 1}: ' if mark is not None else ''
        what = error.problem or ''
        if not what or what.startswith('but '):
            what = f'{error.context} {what}'.strip()
        raise ConfigError(f'not valid YAML: {where}{what}') from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise ConfigError(f'not valid YAML: {" ".join(str(error).split())}') from error


def _size(node: yaml.Node, known: dict[yaml.Node, int]) -> int:
    """Return the number of values in a node, with every alias written out.

    :param known: sizes by node; 0 for those that are being counted.
    """
    if node in known:
        if known[node] == 0:
            raise yaml.YAMLError('it contains itself')
        return known[node]
    known[node] = 0
    children: list[yaml.Node] = []
    if isinstance(node, yaml.MappingNode):
        _refuse_double_keys(node)
        children = [part for pair in node.value for part in pair]
    elif isinstance(node, yaml.SequenceNode):
        children = node.value
    known[node] = 1 + sum(_size(child, known) for child in children)
    return known[node]


def _refuse_double_keys(node: yaml.MappingNode) -> None:
    keys = [key for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
    for name, count in Counter(key.value for key in keys).items():
        if count > 1:
            last = next(key for key in reversed(keys) if key.value == name)
            raise yaml.MarkedYAMLError(
                problem=f'the key {name} is given {"twice" if count == 2 else f"{count} times"}; '
                'keep one',
                problem_mark=last.start_mark,
            )
