"""Keys and values of scenarios that had another name in the last release."""

from __future__ import annotations

from typing import Any

from ..collision.config import RENAMED_KINDS
from ..core.errors import warn_renamed

RENAMED_KEYS = {'admittance.even': 'admittance.isotropy'}
"""New keys by old ones, of the same section."""
RENAMED_VALUES = {
    'monitor.kind': RENAMED_KINDS,
    'safety.stop': {'gravity': 'damp', 'zero': 'damp'},
}
"""New values by old ones, by key."""


def rename_old(raw: dict[str, Any]) -> None:
    """Replace old names in a scenario, or in a part of one, by the new ones, and warn of each.

    :param raw: sections by name, as they were read; changed in place.
    """
    for old, new in RENAMED_KEYS.items():
        section, key, fresh = _section(raw, old), _last(old), _last(new)
        if key in section and fresh not in section:
            section[fresh] = section.pop(key)
            warn_renamed('scenario', old, new)
    for where, values in RENAMED_VALUES.items():
        section, key = _section(raw, where), _last(where)
        value = section.get(key)
        if isinstance(value, str) and value in values:
            section[key] = values[value]
            warn_renamed(where, value, values[value])


def renamed_setting(key: str, value: Any) -> tuple[str, Any]:
    """Return key and value of a setting under their new names."""
    *sections, last = key.split('.')
    nested: Any = {last: value}
    for section in reversed(sections):
        nested = {section: nested}
    rename_old(nested)
    for section in sections:
        nested = nested[section]
    ((last, value),) = nested.items()
    return '.'.join((*sections, last)), value


def _section(raw: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the section that a key is in; an empty one if there is none."""
    for name in key.split('.')[:-1]:
        raw = raw.get(name, {})
        if not isinstance(raw, dict):
            return {}
    return raw


def _last(key: str) -> str:
    return key.rpartition('.')[2]
