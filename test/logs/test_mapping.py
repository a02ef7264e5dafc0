"""Mapping files."""

from __future__ import annotations

from pages import ROOT, blocks
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.logs.mapping import load_log_mapping


def load(folder, text):
    path = folder / 'map.yaml'
    path.write_text(text)
    return load_log_mapping(path)


def test_a_mapping_is_typed_data(tmp_path):
    found = load(
        tmp_path,
        'joints: [a, b]\n'
        'time: {columns: [t], unit: ms}\n'
        'position: {columns: "{joint} pos", unit: deg}\n'
        'effort: {columns: [3, 4]}\n'
        'effort_means: current\n'
        'drive_gains: {a: 10, b: -8.5}\n',
    )
    assert found.scale('time') == 1e-3
    assert found.scale('position') == pytest.approx(3.14159265358979 / 180)
    assert found.scale('effort') == found.scale('velocity') == 1.0
    assert found.drive_gains == {'a': 10.0, 'b': -8.5}


def test_the_mappings_of_the_page_are_valid(tmp_path):
    made = [
        block for block in blocks(ROOT / 'docs' / 'logs.md', 'yaml') if 'contacts' not in block
    ]
    assert len(made) == 4
    for block in made:
        assert load(tmp_path, block).description or 'plotjuggler' in block


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('positon: {columns: [a]}', 'did you mean position'),
        ('position: {colums: [a]}', 'did you mean position.columns'),
        ('position: {columns: [a], unit: grad}', 'position.unit: unknown unit'),
        ('effort_means: torqe', 'did you mean torque'),
        ('effort_means: current', 'needs drive_gains'),
        ('drive_gains: {a: 1}', 'leave them out'),
        ('joints: [a, a]', 'twice'),
        ('time: {columns: [t]}\nrate: 100', 'both given'),
        ('rate: -1', 'rate: a number'),
        ('skip: -1', '0 or more'),
        ('- a', 'no keys'),
    ],
)
def test_a_mistake_is_told_with_its_remedy(tmp_path, text, words):
    with pytest.raises(ConfigError, match=words) as refused:
        load(tmp_path, text)
    assert str(refused.value).startswith(str(tmp_path))
    assert '\n' not in str(refused.value)
