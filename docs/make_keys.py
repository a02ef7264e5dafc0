"""Make ``docs/scenarios.md`` and the JSON schemas: ``python docs/make_keys.py``."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from simloop_ros.scenario.reference import scenario_keys
from simloop_ros.scenario.schema import FILES, schema_text

PAGE = Path(__file__).parent / 'scenarios.md'
SCHEMAS = Path(__file__).parents[1] / 'config' / 'schema'
HEAD = """# Every key of a scenario

Set them in a YAML file like those in `config/scenarios`, or with `--set key=value`. SI units and
rad; on a prismatic joint m stands for rad and N for N m. `simloop keys PATTERN` prints the same;
editors complete files with the schemas in `config/schema`. This page is made by `make_keys.py`.

`plant.pushes[].force` is a key of each entry of the list `plant.pushes`. A list is given whole:
`--set 'plant.pushes=[{link: tip, start: 1, duration: 0.1, force: [0, 0, 10]}]'`.

A key that does not exist is refused, with the valid ones. So is a key of another `planner.kind`.
If `--set planner.kind=...` changes the kind of a scenario, keys of its file that the new kind does
not have are left out, with a note.

`module:Class` stands for a class of your own, for instance `my_package.my_module:MyPlanner`. Its
`parameters` are a mapping of numbers, text, lists and mappings.
"""


def page() -> str:
    """Return the page as Markdown."""
    lines = [HEAD]
    for section, keys in groupby(scenario_keys(), lambda key: key.section):
        if section:
            lines += [f'{"###" if ": " in section else "##"} {section}', '']
        lines += ['| key | value | default | what |', '|---|---|---|---|']
        lines += [f'| `{key.name}` | {key.kind} | {key.default} | {key.meaning} |' for key in keys]
        lines.append('')
    return '\n'.join(lines).rstrip() + '\n'


if __name__ == '__main__':
    PAGE.write_text(page())
    for kind in FILES:
        (SCHEMAS / f'{kind}.json').write_text(schema_text(kind))
