"""What a shell offers for an argument that is being typed; argcomplete asks for it."""

from __future__ import annotations

from argparse import Action
from collections.abc import Callable, Iterable
from glob import glob
from pathlib import Path
from typing import Any

YAML = ('.yaml', '.yml')
Completer = Callable[..., Iterable[str]]


def attach(action: Action, completer: Completer) -> None:
    """Make a completer known to argcomplete, which looks for it at the argument."""
    action.completer = completer  # type: ignore[attr-defined]


def scenarios(prefix: str = '', **_: Any) -> list[str]:
    """Return the shipped scenarios, the scenario files, and the folders that may hold some."""
    from ..scenario.shipped import scenario_names

    return [*scenario_names(), *_files(prefix, YAML)]


def robots(prefix: str = '', **_: Any) -> list[str]:
    """Return the shipped robots, robot files and descriptions, and the folders on the way."""
    from ..scenario.shipped import robot_names

    return [*robot_names(), *_files(prefix, (*YAML, '.urdf', '.xacro'))]


def drivers(prefix: str = '', **_: Any) -> list[str]:
    """Return the shipped drivers, and the YAML files that may be like them."""
    from ..scenario.shipped import driver_names

    return [*driver_names(), *_files(prefix, YAML)]


def _files(prefix: str, endings: tuple[str, ...]) -> list[str]:
    """Return the files with these endings; folders too, once something is typed."""
    found = glob(f'{prefix}*')
    folders = [f'{path}/' for path in found if prefix and Path(path).is_dir()]
    return [*(path for path in found if path.endswith(endings)), *folders]


def settings(prefix: str = '', **_: Any) -> list[str]:
    """Return the keys as ``key=``; once one is typed, its choices as ``key=value``."""
    from ..core.config_types import CUSTOM
    from ..scenario.reference import EACH, NAMED, scenario_keys

    name, equals, _value = prefix.partition('=')
    if not equals:
        return sorted(
            {f'{k.name}=' for k in scenario_keys() if EACH not in k.name and NAMED not in k.name}
        )
    found = [key for key in scenario_keys() if key.name == name and not key.is_list]
    words = dict.fromkeys(word for key in found for word in key.choices if word != CUSTOM)
    return [f'{name}={word}' for word in words]


def keys(**_: Any) -> list[str]:
    """Return the names of all keys."""
    from ..scenario.reference import scenario_keys

    return sorted({key.name for key in scenario_keys()})


def engines(**_: Any) -> list[str]:
    """Return the choices of ``launch --plant``."""
    return [*(text.partition('=')[2] for text in settings('plant.engine=')), 'none']


def runs(prefix: str = '', **_: Any) -> list[str]:
    """Return the folders of runs below the working directory, and folders on the way to others."""
    found = [str(Path(path).parent) for path in glob('runs/*/summary.json')]
    folders = [path for path in glob(f'{prefix}*') if Path(path).is_dir() and path not in found]
    return [*found, *(f'{path}/' for path in folders)]


def shown(prefix: str = '', **_: Any) -> list[str]:
    """Return what ``simloop view`` shows: scenarios, runs, and logs."""
    return [*scenarios(prefix), *runs(prefix), *glob(f'{prefix}*.mcap')]


def benches(**_: Any) -> list[str]:
    """Return the names of the benchmarks."""
    from .bench import FOLDER

    files = (FOLDER / 'simloop_bench').glob('*.py')
    return sorted(path.stem for path in files if f'def bench_{path.stem}(' in path.read_text())
